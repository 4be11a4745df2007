// The view of two files: what changed, the largest change first, and each of the files.

import { h, terms } from "./dom.ts";
import { inspectView } from "./inspect.ts";
import type { Change, Diff, Inspect } from "./model.ts";
import { roleColor } from "./palette.ts";
import { Table } from "./table.ts";
import { Tabs } from "./tabs.ts";
import { counted, exactSize, number, plain, size } from "./text.ts";

function signed(bytes: number): string {
  return bytes === 0 ? "0" : `${bytes > 0 ? "+" : "−"}${size(Math.abs(bytes))}`;
}

function grown(change: Change): number {
  return (change.bytes_b ?? 0) - (change.bytes_a ?? 0);
}

/** Two bars for each part: the upper one for the old size, the lower one for the new size. */
function bars(diff: Diff): HTMLElement {
  const most = Math.max(1, ...diff.sizes.map((row) => Math.max(row.a, row.b)));
  const bar = (bytes: number, shade: string, old: boolean) => {
    const made = h("span", { class: `pair${old ? " old" : ""}` });
    made.style.width = `${Math.max(bytes > 0 ? 0.4 : 0, (100 * bytes) / most)}%`;
    made.style.background = `var(${shade})`;
    return made;
  };
  return h(
    "div",
    { class: "pairs", role: "img", "aria-label": "Sizes of the parts before and after; the table has the numbers" },
    ...diff.sizes.slice(0, 16).map((row) => {
      const shade = roleColor(row.role);
      const name = row.backend ? `${row.role}, ${plain(row.backend, 40)}` : row.role;
      return h("div", {}, h("small", {}, `${name}: ${size(row.a)} → ${size(row.b)} (${signed(row.b - row.a)})`), bar(row.a, shade, true), bar(row.b, shade, false));
    }),
  );
}

function changeTerms(change: Change): HTMLElement {
  const { distance } = change;
  const far = distance ? `${number(distance.differ)} of ${counted(distance.elements, "element")}; at most ${distance.max}, on average ${distance.mean}` : "";
  return h(
    "div",
    { class: "detail" },
    h("h2", {}, `${change.kind} ${plain(change.name)} ${change.change}`),
    terms(
      ["method", plain(change.method ?? "", 80)],
      ["before", plain(change.a ?? "", 600)],
      ["after", plain(change.b ?? "", 600)],
      ["size", change.bytes_a === undefined && change.bytes_b === undefined ? "" : `${exactSize(change.bytes_a ?? 0)} → ${exactSize(change.bytes_b ?? 0)}`],
      ["values differ", far],
    ),
  );
}

function changes(diff: Diff): HTMLElement {
  const detail = h("div", { "aria-live": "polite" });
  const table = new Table<Change>({
    label: "Changes",
    noun: "change",
    rows: diff.changes,
    empty: "Nothing changed.",
    columns: [
      { label: "What", width: "minmax(7rem, 1fr)", text: (change) => change.kind },
      { label: "Name", width: "minmax(8rem, 3fr)", text: (change) => plain(change.name) },
      { label: "Change", width: "6.8rem", text: (change) => change.change, cell: (change) => h("span", { class: `chip quiet ${change.change}` }, change.change) },
      { label: "Size", width: "minmax(6.5rem, 1fr)", text: (change) => (change.bytes_a === undefined && change.bytes_b === undefined ? "" : signed(grown(change))), value: (change) => Math.abs(grown(change)) },
      { label: "Before", width: "minmax(6rem, 2fr)", text: (change) => plain(change.a ?? ""), extra: true },
      { label: "After", width: "minmax(6rem, 2fr)", text: (change) => plain(change.b ?? ""), extra: true },
    ],
    select: (change) => detail.replaceChildren(changeTerms(change)),
  });
  const { operators, backends, kernel_keys: keys } = diff.build;
  const calls = (list: { name: string; calls: number }[]) => list.slice(0, 20).map((row) => `${plain(row.name, 80)} (${number(row.calls)})`).join(", ");
  const joined = (list: string[]) => list.slice(0, 20).map((name) => plain(name, 80)).join(", ") + (list.length > 20 ? `, and ${number(list.length - 20)} more` : "");
  const add = operators.length + backends.length + keys.length > 0;
  const summary = h(
    "section",
    { class: "card" },
    h("h2", {}, "What a build must add"),
    add ? terms(["backends", joined(backends)], ["operators", joined(operators)], ["kernels", joined(keys)]) : h("p", { class: "dim" }, "Nothing."),
    terms(["new outside delegates", calls(diff.outside.added)], ["no longer outside delegates", calls(diff.outside.removed)]),
  );
  const unread = diff.unread ? h("p", { class: "note quiet" }, `The bytes of ${counted(diff.unread, "constant")} were not compared.`) : null;
  return h("div", {}, unread, h("div", { class: "beside" }, h("div", {}, h("section", { class: "card" }, h("h2", {}, "Size by part"), bars(diff)), summary), h("div", {}, table.element, detail)));
}

export function diffView(diff: Diff, a: Inspect | undefined, b: Inspect | undefined): HTMLElement {
  const tabs = new Tabs("Difference and files", [
    { name: "changes", title: "Difference", build: () => changes(diff) },
    ...(a ? [{ name: "a", title: `Before: ${plain(a.file.name, 40)}`, build: () => inspectView(a) }] : []),
    ...(b ? [{ name: "b", title: `After: ${plain(b.file.name, 40)}`, build: () => inspectView(b) }] : []),
  ]);
  const chip = diff.same ? h("span", { class: "good chip" }, diff.unread ? "same, as far as compared" : "same") : h("span", { class: "quiet chip" }, counted(diff.changes.length, "change"));
  return h(
    "article",
    { class: "diff" },
    h(
      "header",
      { class: "top" },
      h("div", {}, h("h1", {}, plain(diff.a.name, 60), " → ", plain(diff.b.name, 60), " ", chip), h("p", { class: "dim" }, `${size(diff.a.bytes)} → ${size(diff.b.bytes)}, ${signed(diff.b.bytes - diff.a.bytes)}`)),
    ),
    tabs.element,
  );
}
