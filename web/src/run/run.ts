// The script of the HTML report of a run: filters, the table of cases, and the details of a case. The page contains the
// results as a table, and the data for the details. A printer, or a browser without scripts, shows only the table.

import "./run.css";

import { type Child, h } from "../view/dom.ts";
import { Table } from "../view/table.ts";

/** The grade, the index of the message, the milliseconds, whether a termination recurred, and the index of the stderr. */
type Cell = [string, number, number, boolean | null, number | null];

interface Detail {
  why: string;
  place: string;
  files: string[];
  rows: string;
  control: string;
  control_is: string;
  control_rows: string;
}

interface Rule {
  strength: string;
  basis: string;
  statement: string;
  paragraphs: [string, string][];
  references: string;
}

interface Data {
  again: [string, string][];
  meanings: Record<string, string>;
  rules: Record<string, Rule>;
  texts: string[];
  cases: Record<string, { word?: string; explain?: string; page?: string; demand: string; cells: (Cell | null)[]; detail?: Detail }>;
}

/** A row of the page's table. */
interface Case {
  id: string;
  title: string;
  rule: string;
  stage: string;
  area: string;
  differs: boolean;
  cells: HTMLTableCellElement[];
}

function find<E extends HTMLElement>(selector: string): E {
  return document.querySelector<E>(selector) as E;
}

const data = JSON.parse(find("#data").textContent) as Data;
const plain = find<HTMLTableElement>("#matrix");
const form = find<HTMLFormElement>(".filters");
const panel = find(".panel");
const names = [...plain.querySelectorAll("thead .name")].map((name) => name.textContent);
const tones = new Map([...document.querySelectorAll<HTMLElement>(".summary .count")].map((count) => [count.dataset["grade"], count.classList[0]]));

const cases = [...plain.querySelectorAll<HTMLTableRowElement>("tr.case")].map((row): Case => {
  const [head, ...cells] = row.cells;
  const { rule = "", stage = "", differs } = row.dataset;
  const [id = "", title = ""] = ["a", "small"].map((part) => head?.querySelector(part)?.textContent);
  return { id, title, rule, stage, differs: differs !== undefined, area: row.parentElement?.dataset["area"] ?? "", cells };
});

function hasGrade({ differs, cells }: Case, grade: string, reader: string): boolean {
  if (grade === "*differ") return differs;
  const some = cells.filter((_, at) => reader === "" || at === Number(reader));
  return some.some((cell) => (grade === "*bad" ? cell.classList.contains("bad") : cell.dataset["grade"] === grade));
}

function isChosen(one: Case): boolean {
  const { grade = "", reader = "", area = "", rule = "", stage = "" } = Object.fromEntries(new FormData(form)) as Record<string, string>;
  const isAlike = (["area", "rule", "stage"] as const).every((name) => ["", one[name]].includes({ area, rule, stage }[name]));
  return isAlike && (grade === "" || hasGrade(one, grade, reader));
}

const link = (hash: string, text: string) => h("a", { href: `#${encodeURIComponent(hash)}`, tabindex: -1 }, text);
const table = new Table<Case>({
  label: "Cases",
  noun: "case",
  rows: cases,
  links: true,
  keep: isChosen,
  words: ({ id, rule, title }) => [id, rule, title, ...(data.cases[id]?.cells ?? []).map((cell) => (cell ? data.texts[cell[1]] : ""))].join("\n"),
  columns: [
    { label: "Case", width: "minmax(14rem, 4fr)", text: ({ id, title }) => `${id}: ${title}`, cell: ({ id, title }) => h("span", {}, link(id, id), " ", h("small", {}, title)) },
    ...names.map((label, reader) => ({
      label,
      width: "minmax(7rem, 1fr)",
      text: ({ cells }: Case) => cells[reader]?.dataset["grade"] ?? "",
      cell: ({ id, cells }: Case) => {
        const { grade = "" } = cells[reader]?.dataset ?? {};
        return grade && h("span", { class: cells[reader]?.classList.contains("bad") ? "bad chip" : "dim" }, link(`${id}:${reader}`, grade));
      },
    })),
  ],
});
table.element.style.setProperty("--least", `${14 + 7 * names.length}rem`);

function article(id: string, reader: number, [grade, message, ms, confirmed, stderr]: Cell): HTMLElement {
  const tone = tones.get(grade) ?? "";
  const again = confirmed === true ? "; confirmed in a fresh process" : "; flaky: not confirmed in a fresh process";
  return h(
    "article",
    { id: `${id}:${reader}`, class: tone },
    h("h3", {}, h("span", { class: "name" }, names[reader]), " ", h("span", { class: `${tone} chip` }, grade), " ", h("small", {}, `${ms} ms`)),
    h("p", { class: "explained" }, data.texts[message]),
    tone === "bad" && h("p", { class: "dim" }, `${grade}: ${data.meanings[grade]}${confirmed === null ? "" : again}`),
    stderr !== null && h("h4", {}, "End of stderr"),
    stderr !== null && h("pre", { class: "stderr", tabindex: 0 }, data.texts[stderr]),
    h("h4", {}, "Repeat"),
    h("pre", { class: "command", tabindex: 0 }, data.again[reader]?.join(data.cases[id]?.word ?? id)),
  );
}

/** A figure with a byte map, in which rows that begin with ">" are marked. */
function bytes(caption: string, lines: string[]): HTMLElement {
  const marked = lines.flatMap((line) => [line.startsWith(">") ? h("mark", {}, line) : line, "\n"]);
  return h("figure", {}, h("figcaption", {}, caption), h("pre", { tabindex: 0 }, ...marked));
}

/** The rows of the base. A row "=3-5" stands for rows 3 to 5 of `own`. */
function rowsOfBase(rows: string, own: string[]): string[] {
  return rows.split("\n").flatMap((row) => {
    const [, first, last] = /^=(\d+)-(\d+)$/.exec(row) ?? [];
    return first === undefined ? [row] : own.slice(Number(first), Number(last) + 1);
  });
}

function description(id: string, { why, place, files, rows, control, control_is, control_rows }: Detail): Child[] {
  const own = rows.split("\n");
  const list = [...(place ? [["defect", place]] : []), ...files.map((file) => ["file", file])];
  return [
    why && h("h3", {}, "Description"),
    why && h("p", {}, why),
    h("dl", {}, ...list.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)])),
    rows && h("div", { class: "beside" }, bytes(control ? `${id}, changed bytes marked` : id, own), control_rows && bytes(`${control}, ${control_is}`, rowsOfBase(control_rows, own))),
  ];
}

/** The content of the panel of a case. */
function details({ id, rule, title }: Case): Child[] {
  const { demand = "", cells = [], explain, page, detail } = data.cases[id] ?? {};
  const known = data.rules[rule];
  return [
    h("p", {}, title),
    h("p", { class: "dim" }, demand, rule && ` · ${demand.startsWith("must be rejected") ? "breaks" : "about"} `, rule && h("code", {}, rule)),
    ...cells.map((cell, reader) => cell && article(id, reader, cell)),
    explain && h("h4", {}, "Explain"),
    explain && h("pre", { class: "command explain", tabindex: 0 }, explain),
    page && h("p", { class: "dim" }, "Its page in the book: ", page.startsWith("https:") ? h("a", { href: page }, page) : page),
    ...(detail ? description(id, detail) : []),
    ...(known
      ? [
          h("h3", {}, "Rule ", h("code", {}, rule), " ", h("small", {}, `${known.strength}, basis: ${known.basis}`)),
          h("p", {}, known.statement),
          ...known.paragraphs.map(([word, text]) => h("p", {}, h("strong", {}, `${word}.`), ` ${text}`)),
          known.references && h("p", { class: "dim" }, known.references),
        ]
      : []),
  ];
}

/** Shows the case, or the result of one reader, that the hash in the page's address names. */
function show(): void {
  let name = "";
  try {
    name = decodeURIComponent(location.hash.slice(1));
  } catch {
    // A hash that cannot be decoded names no case.
  }
  const split = name.lastIndexOf(":");
  const one = cases.find(({ id }) => id === name || id === name.slice(0, split));
  const wasOpen = panel.classList.contains("open");
  panel.classList.toggle("open", one !== undefined);
  if (!one) return wasOpen ? table.focus() : undefined;
  const title = find(".panel h2");
  if (panel.id !== one.id) {
    panel.id = one.id;
    title.textContent = one.id;
    find(".panel .content").replaceChildren(...details(one).filter((part): part is Node | string => Boolean(part)));
    panel.scrollTop = 0;
  }
  document.querySelector("article.at")?.classList.remove("at");
  const chosen = one.id === name ? null : document.getElementById(name);
  chosen?.classList.add("at");
  table.show(one, chosen ? Number(name.slice(split + 1)) + 1 : 0);
  title.focus({ preventScroll: true });
  chosen?.scrollIntoView({ block: "nearest" });
}

function choose(name: string, value = ""): void {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLSelectElement) field.value = value;
}

for (const count of document.querySelectorAll<HTMLElement>(".summary .count")) {
  const { grade, reader } = count.dataset;
  const click = () => {
    choose("grade", grade);
    choose("reader", reader);
    table.arrange();
    form.scrollIntoView({ block: "start" });
  };
  count.replaceWith(h("button", { type: "button", class: count.className, "aria-label": `show the ${count.textContent} cases with grade ${grade}`, click }, count.textContent));
}

// A page with failures begins with them. The button "Show all" shows the other cases.
if (plain.querySelector("td.bad")) choose("grade", "*bad");

// Shows a hint if the summary is wider than the window.
const summary = find(".scroll");
const hint = () => {
  find(".more").hidden = summary.scrollWidth <= summary.clientWidth + summary.scrollLeft + 1;
};
summary.addEventListener("scroll", hint);
addEventListener("resize", hint);

form.hidden = false;
form.append(table.element);
document.body.classList.add("scripted");
form.addEventListener("input", () => table.arrange());
form.addEventListener("submit", (event) => event.preventDefault());
// Wait until the event ends, because the fields keep their old values until then.
form.addEventListener("reset", () => setTimeout(() => table.arrange()));
document.addEventListener("keydown", (event) => {
  // Use a hash that names no element, so that the page does not scroll.
  if (event.key === "Escape" && panel.classList.contains("open")) location.hash = "_";
  if (event.key === "/" && !(event.target as Element).closest("input, select")) {
    event.preventDefault();
    find("input[type=search]").focus();
  }
});
addEventListener("hashchange", show);
table.arrange();
hint();
show();
