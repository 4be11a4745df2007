// Filters, keyboard control, and the details of a case. The page contains the matrix, and the data for the details.
"use strict";

const data = JSON.parse(document.querySelector("#data").textContent);
const table = document.querySelector("#matrix");
const form = document.querySelector(".filters");
const status = form.querySelector("output");
const none = document.querySelector(".none");
const rows = [...table.querySelectorAll("tr.case")];
const bodies = [...table.tBodies];

// The searchable text of each row of the matrix. The text of a row is built on its first use.
const words = new Map();
function wordsOf(row) {
  if (!words.has(row)) {
    const head = row.cells[0];
    const id = head.querySelector("a").textContent;
    const found = data.cases[id].cells.filter(Boolean).map(([, message]) => data.texts[message]);
    words.set(row, [id, row.dataset.rule, head.querySelector("small").textContent, ...found].join("\n").toLowerCase());
  }
  return words.get(row);
}

function hasGrade(row, grade, reader) {
  if (grade === "*differ") return "differs" in row.dataset;
  const cells = [...row.cells].slice(1).filter((_, at) => reader === "" || at === Number(reader));
  return cells.some((cell) => (grade === "*bad" ? cell.classList.contains("bad") : cell.dataset.grade === grade));
}

function filter() {
  const chosen = Object.fromEntries(new FormData(form));
  const text = chosen.text.trim().toLowerCase();
  let shown = 0;
  for (const row of rows) {
    row.hidden =
      (chosen.rule !== "" && row.dataset.rule !== chosen.rule) ||
      (chosen.stage !== "" && row.dataset.stage !== chosen.stage) ||
      (chosen.area !== "" && row.parentElement.dataset.area !== chosen.area) ||
      (chosen.grade !== "" && !hasGrade(row, chosen.grade, chosen.reader ?? "")) ||
      (text !== "" && !wordsOf(row).includes(text));
    shown += row.hidden ? 0 : 1;
  }
  for (const body of bodies) {
    body.hidden = ![...body.rows].some((row) => row.classList.contains("case") && !row.hidden);
  }
  none.hidden = shown > 0;
  status.textContent = shown === rows.length ? `${shown} cases` : `${shown} of ${rows.length} cases`;
  if (current.closest("tr").hidden) {
    const first = rows.find((row) => !row.hidden);
    if (first) makeCurrent(first.querySelector("a"));
  }
}

// Only one link of the matrix is a tab stop; the arrow keys move to the other links.
let current = table.querySelector("tr.case a");
function makeCurrent(link) {
  current.tabIndex = -1;
  current = link;
  current.tabIndex = 0;
}

function linksOf(row) {
  return [...row.cells].map((cell) => cell.querySelector("a"));
}

function move(event) {
  const link = event.target.closest("tr.case a");
  if (!link || event.altKey || event.ctrlKey || event.metaKey) return;
  const row = link.closest("tr");
  const column = link.closest("td, th").cellIndex;
  const visible = () => rows.filter((other) => !other.hidden);
  const across = (step) => {
    const links = linksOf(row);
    let at = column + step;
    while (links[at] === null) at += step;
    return links[at];
  };
  const down = (step) => {
    const all = visible();
    const at = Math.max(0, Math.min(all.length - 1, all.indexOf(row) + step));
    return linksOf(all[at])[column] ?? linksOf(all[at])[0];
  };
  const targets = {
    ArrowLeft: () => across(-1),
    ArrowRight: () => across(1),
    ArrowUp: () => down(-1),
    ArrowDown: () => down(1),
    PageUp: () => down(-20),
    PageDown: () => down(20),
    Home: () => linksOf(event.ctrlKey ? visible()[0] : row)[0],
    End: () => linksOf(row).filter(Boolean).at(-1),
  };
  const target = Object.hasOwn(targets, event.key) ? targets[event.key]() : undefined;
  if (!target) return;
  event.preventDefault();
  makeCurrent(target);
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "nearest", behavior: "instant" });
}

// Returns a new element with children. Strings become text, so that no text of a reader becomes markup.
function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

const names = [...document.querySelectorAll(".summary tbody .name")].map((name) => name.textContent);
const tones = new Map([...document.querySelectorAll(".summary .count")].map((count) => [count.dataset.grade, count.classList[0]]));

// Returns the article about the result of one reader.
function article(id, reader, [grade, message, ms, confirmed, stderr]) {
  const tone = tones.get(grade);
  const again = confirmed === true ? "; confirmed in a fresh process" : "; flaky: not confirmed in a fresh process";
  const [before, after] = data.again[reader];
  return element("article", { id: `${id}:${reader}`, className: tone },
    element("h3", {}, element("span", { className: "name" }, names[reader]), " ",
      element("span", { className: `${tone} chip` }, grade), " ", element("small", {}, `${ms} ms`)),
    element("p", { className: "explained" }, data.texts[message]),
    tone === "bad" ? element("p", { className: "dim" }, `${grade}: ${data.meanings[grade]}${confirmed === null ? "" : again}`) : "",
    ...(stderr === null ? [] : [element("h4", {}, "End of stderr"),
      element("pre", { className: "stderr", tabIndex: 0 }, data.texts[stderr])]),
    element("h4", {}, "Repeat"),
    element("pre", { className: "command", tabIndex: 0 }, before + (data.cases[id].word ?? id) + after));
}

// Returns a figure with a byte map, in which rows that begin with ">" are marked.
function bytes(caption, lines) {
  const pre = element("pre", { tabIndex: 0 });
  for (const line of lines) pre.append(line.startsWith(">") ? element("mark", {}, line) : line, "\n");
  return element("figure", {}, element("figcaption", {}, caption), pre);
}

// Returns the rows of the base. A row "=3-5" stands for the rows 3 to 5 of `own`.
function rowsOfBase(rows, own) {
  return rows.split("\n").flatMap((row) => {
    const [, first, last] = /^=(\d+)-(\d+)$/.exec(row) ?? [];
    return first === undefined ? [row] : own.slice(Number(first), Number(last) + 1);
  });
}

// Returns the content of the panel of a case.
function details(id, rule, title) {
  const entry = data.cases[id];
  const known = data.rules[rule];
  const rejects = entry.demand.startsWith("must be rejected");
  const parts = [
    element("p", {}, title),
    element("p", { className: "dim" }, entry.demand, ...(rule ? [` · ${rejects ? "breaks" : "about"} `, element("code", {}, rule)] : [])),
    ...entry.cells.flatMap((cell, reader) => (cell ? [article(id, reader, cell)] : [])),
  ];
  if (entry.explain) parts.push(element("h4", {}, "Explain"), element("pre", { className: "command explain", tabIndex: 0 }, entry.explain));
  const detail = entry.detail;
  if (detail) {
    if (detail.why) parts.push(element("h3", {}, "Description"), element("p", {}, detail.why));
    const list = [...(detail.place ? [["defect", detail.place]] : []), ...detail.files.map((file) => ["file", file])];
    parts.push(element("dl", {}, ...list.flatMap(([term, text]) => [element("dt", {}, term), element("dd", {}, text)])));
    if (detail.rows) {
      const own = detail.rows.split("\n");
      const beside = element("div", { className: "beside" }, bytes(detail.control ? `${id}, changed bytes marked` : id, own));
      if (detail.control_rows) {
        beside.append(bytes(`${detail.control}, ${detail.control_is}`, rowsOfBase(detail.control_rows, own)));
      }
      parts.push(beside);
    }
  }
  if (known) {
    parts.push(
      element("h3", {}, "Rule ", element("code", {}, rule), " ", element("small", {}, `${known.strength}, basis: ${known.basis}`)),
      element("p", {}, known.statement),
      ...known.paragraphs.map(([word, text]) => element("p", {}, element("strong", {}, `${word}.`), ` ${text}`)),
      known.references ? element("p", { className: "dim" }, known.references) : "");
  }
  return parts;
}

const panel = document.querySelector(".panel");
// The id of the case in the open panel, which the hash in the page's address names; `null` if the panel is closed.
let open = null;
function show() {
  let name = "";
  try {
    name = decodeURIComponent(location.hash.slice(1));
  } catch {
    // A hash that cannot be decoded names no case.
  }
  const split = name.lastIndexOf(":");
  const id = [name, name.slice(0, split)].find((id) => Object.hasOwn(data.cases, id)) ?? null;
  for (const marked of document.querySelectorAll(".at")) marked.classList.remove("at");
  panel.classList.toggle("open", id !== null);
  if (id !== null) {
    const row = rows.find((row) => row.querySelector("a").textContent === id);
    if (panel.id !== id) {
      panel.id = id;
      panel.querySelector("h2").textContent = id;
      const head = row.cells[0].querySelector("small").textContent;
      panel.querySelector(".content").replaceChildren(...details(id, row.dataset.rule, head).filter((part) => part !== ""));
      panel.scrollTop = 0;
    }
    const cell = id === name ? 0 : Number(name.slice(split + 1)) + 1;
    if (cell > 0) document.getElementById(name)?.classList.add("at");
    row.cells[cell]?.classList.add("at");
    const link = linksOf(row)[cell];
    if (link) makeCurrent(link);
    panel.querySelector("h2").focus({ preventScroll: true });
    document.getElementById(name)?.scrollIntoView({ block: "nearest" });
  } else if (open !== null) {
    current.focus({ preventScroll: true });
  }
  open = id;
}

// Closes the panel. The new hash names no element, so that the page does not scroll.
function close() {
  location.hash = "_";
}

table.setAttribute("role", "grid");
for (const cell of table.querySelectorAll("tr.case > td")) cell.setAttribute("role", "gridcell");
for (const link of table.querySelectorAll("tr.case a")) link.tabIndex = -1;
makeCurrent(current);
table.addEventListener("keydown", move);
table.addEventListener("focusin", (event) => {
  const link = event.target.closest("tr.case a");
  if (link) makeCurrent(link);
});

for (const count of document.querySelectorAll(".summary .count")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = count.className;
  button.textContent = count.textContent;
  button.setAttribute("aria-label", `show the ${count.textContent} cases with grade ${count.dataset.grade}`);
  button.addEventListener("click", () => {
    form.elements.grade.value = count.dataset.grade;
    if (form.elements.reader) form.elements.reader.value = count.dataset.reader;
    filter();
    form.scrollIntoView({ block: "start" });
  });
  count.replaceWith(button);
}

// A page with failures begins with them. The button "Show all" shows the other cases.
if (document.querySelector(".matrix td.bad")) form.elements.grade.value = "*bad";

// Shows a hint if the summary is wider than the window.
const summary = document.querySelector(".scroll");
const more = document.querySelector(".more");
function hint() {
  more.hidden = summary.scrollWidth <= summary.clientWidth + summary.scrollLeft + 1;
}
summary.addEventListener("scroll", hint);
addEventListener("resize", hint);

form.hidden = false;
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
// Filter after the `reset` event, because the form's fields keep their old values until the event ends.
form.addEventListener("reset", () => setTimeout(filter));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && open !== null) close();
  if (event.key === "/" && !event.target.closest("input, select")) {
    event.preventDefault();
    form.elements.text.focus();
  }
});
addEventListener("hashchange", show);
filter();
hint();
show();
