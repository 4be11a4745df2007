// Filters, keyboard control, and the commands that repeat passing cases. The page contains everything else; without this script,
// links open and close the panels.
"use strict";

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
    const id = row.querySelector("a").textContent;
    const found = [...document.getElementById(id).querySelectorAll(".find")].map((part) => part.textContent);
    words.set(row, [id, row.dataset.rule, ...found].join("\n").toLowerCase());
  }
  return words.get(row);
}

function hasGrade(row, grade, reader) {
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

// Adds a command to each article of `panel` without a command. The command repeats the panel's case with the article's
// reader.
const readers = [...document.querySelectorAll(".summary tbody tr")];
function addCommands(panel) {
  for (const article of panel.querySelectorAll("article")) {
    if (article.querySelector(".command")) continue;
    const { before, after } = readers[Number(article.id.slice(panel.id.length + 1))].dataset;
    const title = document.createElement("h4");
    title.textContent = "Repeat";
    const command = document.createElement("pre");
    command.className = "command";
    command.tabIndex = 0;
    command.textContent = before + (panel.dataset.word ?? panel.id) + after;
    article.append(title, command);
  }
}

// The open panel, which the hash in the page's address names; `null` if no panel is open.
let open = null;
function show() {
  let name = "";
  try {
    name = decodeURIComponent(location.hash.slice(1));
  } catch {
    // A hash that cannot be decoded names no panel.
  }
  const target = name === "" ? null : document.getElementById(name);
  const panel = target?.closest(".panel") ?? null;
  for (const marked of document.querySelectorAll(".panel.open, .at")) marked.classList.remove("open", "at");
  if (panel) {
    panel.classList.add("open");
    addCommands(panel);
    const row = rows.find((row) => row.querySelector("a").textContent === panel.id);
    const cell = target === panel ? 0 : Number(name.slice(panel.id.length + 1)) + 1;
    if (target !== panel) target.classList.add("at");
    row?.cells[cell]?.classList.add("at");
    const link = row && linksOf(row)[cell];
    if (link) makeCurrent(link);
    panel.querySelector("h2").focus({ preventScroll: true });
  } else if (open) {
    current.focus({ preventScroll: true });
  }
  open = panel;
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

form.hidden = false;
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
// Filter after the `reset` event, because the form's fields keep their old values until the event ends.
form.addEventListener("reset", () => setTimeout(filter));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && open) close();
  if (event.key === "/" && !event.target.closest("input, select")) {
    event.preventDefault();
    form.elements.text.focus();
  }
});
addEventListener("hashchange", show);
filter();
show();
