// The view of one file: its name and verdict, the search, and a tab for each picture.

import { bytesView } from "./bytes.ts";
import { h, pending } from "./dom.ts";
import { fileView } from "./file.ts";
import { instructionsView } from "./instructions.ts";
import { memoryView } from "./memory.ts";
import type { Inspect, Panel, Target } from "./model.ts";
import { overview } from "./overview.ts";
import { Search } from "./search.ts";
import { Tabs, type Tab } from "./tabs.ts";
import { counted, exactSize, plain } from "./text.ts";

const KINDS: Record<string, string> = {
  pte: "program",
  ptd: "data file",
  "ptd-legacy": "data file, legacy layout",
  bpte: "bundled program",
  ptn: "package",
  unknown: "unknown kind of file",
};

export function verdictChip(file: Inspect): HTMLElement {
  const musts = file.check.findings.filter((finding) => finding.strength === "must").length;
  const others = file.check.findings.length - musts;
  switch (file.check.verdict) {
    case "accept":
      return h("span", { class: "good chip" }, others === 0 ? "valid" : `valid, ${counted(others, "remark")}`);
    case "reject":
      return h("span", { class: "bad chip" }, `rejected, ${counted(musts, "fault")}`);
    default:
      return h("span", { class: "quiet chip" }, "unexamined");
  }
}

/** `whole` is the complete result, if `file` is only the part of it that the first screen needs. */
export function inspectView(file: Inspect, whole?: Promise<Inspect>): HTMLElement {
  const panels = new Map<string, Panel>();
  const waiting = new Map<string, Target>();
  const go = (target: Target) => {
    tabs.open(target.tab);
    const panel = panels.get(target.tab);
    if (panel) panel.go(target);
    else waiting.set(target.tab, target);
  };
  const tab = (name: string, title: string, make: (file: Inspect) => Panel): Tab => {
    const built = (full: Inspect) => {
      const panel = make(full);
      panels.set(name, panel);
      const target = waiting.get(name);
      if (target) panel.go(target);
      return panel.element;
    };
    return { name, title, build: () => (whole ? pending(whole.then(built)) : built(file)) };
  };
  const hasMethods = file.methods.length > 0;
  const isShown = file.bytes.parts.offset.length > 0;
  const tabs = new Tabs("Views of the file", [
    { name: "overview", title: "Overview", build: () => overview(file, go, whole) },
    ...(isShown ? [tab("bytes", "Bytes", (full) => bytesView(full, go))] : []),
    ...(hasMethods ? [tab("memory", "Memory", (full) => memoryView(full, go)), tab("instructions", "Instructions", (full) => instructionsView(full, go))] : []),
    tab("file", file.check.findings.length > 0 ? `File and findings (${file.check.findings.length})` : "File and findings", fileView),
  ]);
  const about = [KINDS[file.file.kind] ?? file.file.kind, exactSize(file.file.bytes), file.file.version === undefined ? "" : `version ${file.file.version}`];
  return h(
    "article",
    { class: "inspect" },
    h(
      "header",
      { class: "top" },
      h("div", {}, h("h1", {}, plain(file.file.name), " ", verdictChip(file)), h("p", { class: "dim" }, about.filter(Boolean).join(" · "))),
      new Search(whole ?? Promise.resolve(file), go).element,
    ),
    file.file.kind === "unknown" ? h("p", { class: "note bad" }, `${plain(file.file.name)} is neither a program nor a data file: ${plain(file.check.findings.find((finding) => finding.strength === "must")?.message ?? "its identifier is unknown", 400)}.`) : null,
    file.check.error ? h("p", { class: "note bad" }, plain(file.check.error, 500)) : null,
    file.check.note ? h("p", { class: "note quiet" }, plain(file.check.note, 500)) : null,
    file.omitted ? h("p", { class: "note quiet" }, `The file is too large to show all of it. Left out: ${plain(file.omitted.join(", "), 500)}`) : null,
    tabs.element,
  );
}
