// The first screen: what the file is, what it needs, where its bytes are, what runs outside delegates, and what is wrong.

import { h, pending, terms } from "./dom.ts";
import type { Inspect, Method, Needs, Port, Target } from "./model.ts";
import { roleColor, swatch } from "./palette.ts";
import { Table } from "./table.ts";
import { counted, exactSize, number, plain, share, size, typeText } from "./text.ts";

type Go = (target: Target) => void;

function card(title: string, ...content: (Node | null)[]): HTMLElement {
  return h("section", { class: "card" }, h("h2", {}, title), ...content);
}

function port(file: Inspect, one: Port): string {
  return one.tensor === undefined || one.tensor < 0 ? one.type : typeText(file.tensor_types[one.tensor]);
}

function ports(file: Inspect, list: Port[]): string {
  const shown = list.slice(0, 8).map((one) => port(file, one));
  if (list.length > 8) shown.push(`… (${number(list.length)})`);
  return shown.join("; ") || "none";
}

function methods(file: Inspect, go: Go): HTMLElement {
  const one = (method: Method, at: number) =>
    h(
      "div",
      { class: "method" },
      h("h3", {}, plain(method.name, 80)),
      terms(
        ["takes", ports(file, method.inputs)],
        ["returns", ports(file, method.outputs)],
        ["runs", runs(method, () => go({ tab: "instructions", method: at, instruction: 0 }))],
      ),
    );
  const shown = file.methods.slice(0, 6).map(one);
  const rest = file.methods.length - shown.length;
  const constants = file.constant_methods.slice(0, 12).map((method) => `${plain(method.name, 80)} = ${plain(method.values.join(", "), 80)}`);
  const more = file.constant_methods.length - constants.length;
  return card(
    "What it is",
    ...shown,
    rest > 0 ? h("p", { class: "dim" }, `and ${counted(rest, "more method", "more methods")}`) : null,
    constants.length > 0 ? h("div", {}, h("h3", {}, "Constant methods"), h("p", {}, constants.join("; "), more > 0 ? `; and ${number(more)} more` : "")) : null,
    file.methods.length + file.constant_methods.length > 0 ? null : h("p", { class: "dim" }, empty(file)),
  );
}

function empty(file: Inspect): string {
  const { kind } = file.file;
  if (kind === "ptd" || kind === "ptd-legacy") return `${counted(file.bytes.parts.name.filter(Boolean).length, "entry", "entries")} of data for programs`;
  if (kind === "unknown") return "Neither a program nor a data file: the identifier at byte 4 is unknown.";
  return "No method can be read.";
}

function runs(method: Method, open: () => void): HTMLElement {
  const delegated = method.delegates.reduce((sum, delegate) => sum + delegate.calls, 0);
  const outside = method.operators.calls.reduce((sum, calls) => sum + calls, 0);
  const parts = [
    delegated > 0 ? `${counted(delegated, "delegate call")}` : "",
    outside > 0 ? `${counted(outside, "kernel call")} outside delegates` : "nothing outside delegates",
  ];
  return h("button", { type: "button", class: "link", click: open }, parts.filter(Boolean).join(", "));
}

/** The needs, once they are known; `null` for a file that has none. */
function needs(file: Inspect, whole: Promise<Inspect> | undefined): HTMLElement | null {
  if (!whole) return file.needs ? card("What it needs", needsTerms(file, file.needs)) : null;
  if (file.file.kind !== "pte" && file.file.kind !== "bpte") return null;
  return card("What it needs", pending(whole.then((full) => (full.needs ? needsTerms(full, full.needs) : h("p", {}, "Nothing can be read.")))));
}

function needsTerms(file: Inspect, all: Needs): HTMLElement {
  const backends = Object.entries(all.backends).map(([id, need]) => `${plain(id, 60)} (${counted(need.delegates, "delegate")}, ${size(need.bytes)})`);
  const operators = Object.entries(all.operators);
  const program = all.programs[0];
  const memory = (program?.methods ?? []).slice(0, 6).map((method) => {
    const release = method.arenas.at(-1)?.release;
    const arenas = method.arenas.filter((arena) => arena.release === release).map((arena) => `${size(arena.bytes)} on ${arena.abi}`);
    const planned = file.methods.find((known) => known.name === method.name)?.plan.buffers.reduce((sum, buffer) => sum + buffer.bytes, 0);
    const own = arenas.length > 0 ? `arena ${arenas.join(", ")} (${release})` : "";
    const texts = [planned === undefined ? "" : `${size(planned)} planned`, own, method.state_bytes > 0 ? `${size(method.state_bytes)} of state` : ""];
    return h("div", {}, `${plain(method.name, 60)}: ${texts.filter(Boolean).join(", ")}`);
  });
  const data = program?.data ?? [];
  const missing = data.filter((entry) => entry.found_in === undefined).length;
  const places = [...new Set(data.flatMap((entry) => entry.found_in ?? []))].slice(0, 4).map((place) => plain(place, 60));
  return terms(
    ["backends", backends.join(", ") || "none"],
    ["operators", operators.length === 0 ? "none" : `${counted(operators.length, "operator")}: ${operators.slice(0, 6).map(([name]) => plain(name, 80)).join(", ")}${operators.length > 6 ? ", …" : ""}`],
    ["memory", memory.length === 0 ? "" : h("div", {}, ...memory)],
    ["data", data.length === 0 ? "" : `${counted(data.length, "key")}, ${missing > 0 ? `${number(missing)} of them not found; drop or pass the data files, too` : `found in ${places.join(", ")}`}`],
  );
}

function stored(file: Inspect): HTMLElement {
  const { total, by_role, unused, equal, parameters } = file.bytes;
  const bar = h("div", { class: "stack", "aria-hidden": "true" });
  for (const role of by_role) {
    const piece = h("span", { title: `${role.name}: ${size(role.bytes)}` });
    piece.style.flexGrow = String(role.bytes);
    piece.style.background = `var(${roleColor(role.name)})`;
    bar.append(piece);
  }
  const twice = equal.reduce((sum, group) => sum + group.bytes * (group.parts.length - 1), 0);
  const table = new Table({
    label: "Bytes by role",
    noun: "role",
    rows: by_role,
    columns: [
      { label: "Role", width: "minmax(8rem, 2fr)", text: (row) => row.name, cell: (row) => swatch(roleColor(row.name), row.name) },
      { label: "Bytes", width: "minmax(5rem, 1fr)", text: (row) => size(row.bytes), value: (row) => row.bytes },
      { label: "Share", width: "minmax(4rem, 1fr)", text: (row) => share(row.bytes, total), value: (row) => row.bytes },
      { label: "Parts", width: "minmax(4rem, 1fr)", text: (row) => number(row.parts), value: (row) => row.parts, extra: true },
    ],
  });
  return card(
    "Where the bytes are",
    bar,
    table.element,
    terms(
      ["parameters", parameters > 0 ? number(parameters) : ""],
      ["unused", unused > 0 ? exactSize(unused) : ""],
      ["stored twice", twice > 0 ? exactSize(twice) : ""],
    ),
  );
}

function outside(file: Inspect): HTMLElement | null {
  const calls = new Map<string, number>();
  for (const { operators } of file.methods) operators.name.forEach((name, at) => calls.set(name, (calls.get(name) ?? 0) + (operators.calls[at] ?? 0)));
  if (file.methods.length === 0) return null;
  const table = new Table({
    label: "Operators outside delegates",
    noun: "operator",
    rows: [...calls],
    sort: 1,
    empty: "No operator runs outside delegates.",
    columns: [
      { label: "Operator", width: "minmax(10rem, 3fr)", text: ([name]) => plain(name) },
      { label: "Calls", width: "minmax(4rem, 1fr)", text: ([, count]) => number(count), value: ([, count]) => count },
    ],
  });
  return card("What runs outside delegates", table.element);
}

function findings(file: Inspect, go: Go): HTMLElement {
  const list = file.check.findings.slice(0, 5).map((finding, at) =>
    h(
      "li",
      {},
      h("button", { type: "button", class: "link", click: () => go({ tab: "file", finding: at }) }, finding.rule),
      " ",
      h("span", { class: `${finding.strength === "must" ? "bad" : "quiet"} chip` }, finding.strength),
      h("div", {}, plain(finding.message, 400)),
    ),
  );
  const rest = file.check.findings.length - list.length;
  const none = file.check.verdict === "unexamined" ? "Not checked." : "No findings.";
  return card(
    "Findings",
    list.length > 0 ? h("ul", { class: "findings" }, ...list) : h("p", { class: "dim" }, none),
    rest > 0 ? h("p", { class: "dim" }, `and ${number(rest)} more under “File and findings”`) : null,
  );
}

export function overview(file: Inspect, go: Go, whole: Promise<Inspect> | undefined): HTMLElement {
  const tests = file.tests?.map((set) => `${plain(set.method, 60)}: ${counted(set.cases, "case")}, ${size(set.bytes)}`);
  const cards = [
    file.check.findings.length > 0 && file.check.verdict !== "accept" ? findings(file, go) : null,
    methods(file, go),
    needs(file, whole),
    file.bytes.parts.offset.length > 0 ? stored(file) : null,
    outside(file),
    tests ? card("Test cases", h("p", {}, tests.join("; "))) : null,
    file.check.findings.length === 0 || file.check.verdict === "accept" ? findings(file, go) : null,
  ];
  return h("div", { class: "cards" }, ...cards);
}
