// The byte map of the whole file with the findings marked, and the tables of parts, findings, header and segments.

import { partTerms } from "./bytes.ts";
import { button, color, fitted, h, redrawn, surface, terms } from "./dom.ts";
import { type Finding, type Inspect, rows, word, type Panel } from "./model.ts";
import { roleColor, swatch } from "./palette.ts";
import { Table } from "./table.ts";
import { exactSize, hex, number, partName, plain, size } from "./text.ts";

const ROW = 18;
const GAP = 3;
const LEFT = 74;

/** The file as rows of bytes, like lines of text. */
class ByteMap {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private low = 0;
  private high: number;
  private chosen = -1;
  private finding = -1;

  constructor(private readonly file: Inspect, private readonly pick: (part: number) => void, private readonly pickFinding: (at: number) => void) {
    this.high = Math.max(1, file.file.bytes);
    const label = `Byte map of ${file.file.name.slice(0, 80)}, ${size(file.file.bytes)}. Arrow keys move between parts, plus and minus zoom.`;
    this.element = h("div", { class: "plan map", role: "group", tabindex: "0", "aria-label": label }, this.canvas);
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("click", (event) => this.click(event));
    redrawn(this.element, () => this.draw());
  }

  mark(part: number, finding = -1): void {
    this.chosen = part;
    this.finding = finding;
    this.draw();
  }

  window(low: number, high: number): void {
    const most = Math.max(1, this.file.file.bytes);
    const wanted = Math.min(most, Math.max(16, high - low));
    this.low = Math.floor(Math.max(0, Math.min(low, most - wanted)) / 16) * 16;
    this.high = Math.min(most, this.low + wanted);
    this.draw();
  }

  whole(): void {
    this.window(0, this.file.file.bytes);
  }

  scale(factor: number): void {
    const middle = (this.low + this.high) / 2;
    const half = ((this.high - this.low) * factor) / 2;
    this.window(middle - half, middle + half);
  }

  private geometry(width: number, height: number) {
    const count = Math.max(1, Math.floor((height - GAP) / (ROW + GAP)));
    const wide = width - LEFT - 2;
    // Rows begin at round offsets if that costs at most a sixteenth of the picture.
    const exact = (this.high - this.low) / count;
    const unit = Math.max(16, 2 ** (Math.ceil(Math.log2(exact)) - 4));
    return { count, wide, per: Math.ceil(exact / unit) * unit };
  }

  private draw(): void {
    const ready = surface(this.canvas);
    if (!ready) return;
    const { context, width, height } = ready;
    const { count, wide, per } = this.geometry(width, height);
    const { parts } = this.file.bytes;
    const [ink, dim, code, bad, focus, line] = ["--ink", "--dim", "--code", "--bad", "--focus", "--line"].map(color) as [string, string, string, string, string, string];
    const paint = new Map(parts.role.words.map((role) => [role, color(roleColor(role))]));
    const each = (from: number, to: number, draw: (x: number, y: number, w: number) => void) => {
      const [begin, end] = [Math.max(from, this.low), Math.min(Math.max(to, from), this.high)];
      if (begin > end || to < this.low || from >= this.high) return;
      const first = Math.floor((begin - this.low) / per);
      const last = Math.min(count - 1, Math.max(first, Math.ceil((end - this.low) / per) - 1));
      for (let row = first; row <= last; row += 1) {
        const start = this.low + row * per;
        const x = (Math.max(0, begin - start) / per) * wide;
        const x2 = (Math.min(per, end - start) / per) * wide;
        draw(LEFT + x, GAP + row * (ROW + GAP), Math.max(1, x2 - x));
      }
    };
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "right";
    for (let row = 0; row < count && this.low + row * per < this.high; row += 1) {
      const y = GAP + row * (ROW + GAP);
      context.fillStyle = code;
      context.fillRect(LEFT, y, Math.min(1, (this.high - this.low) / per - row) * wide, ROW);
      context.fillStyle = dim;
      context.fillText(hex(Math.round(this.low + row * per)), LEFT - 6, y + 13, LEFT - 8);
    }
    context.textAlign = "left";
    context.lineWidth = 1;
    for (const part of this.visible()) {
      const from = parts.offset[part] ?? 0;
      let isNamed = false;
      context.fillStyle = paint.get(word(parts.role, part)) ?? code;
      context.strokeStyle = line;
      each(from, from + (parts.bytes[part] ?? 0), (x, y, w) => {
        context.fillStyle = paint.get(word(parts.role, part)) ?? code;
        context.fillRect(x, y, w, ROW);
        if (w > 4) context.strokeRect(x + 0.5, y + 0.5, w - 1, ROW - 1);
        if (w > 60 && !isNamed) {
          isNamed = true;
          context.fillStyle = ink;
          context.fillText(fitted(context, partName(this.file, part), w - 10), x + 5, y + 13);
        }
      });
    }
    if (this.chosen >= 0) {
      const from = parts.offset[this.chosen] ?? 0;
      context.strokeStyle = focus;
      context.lineWidth = 3;
      each(from, from + (parts.bytes[this.chosen] ?? 0), (x, y, w) => context.strokeRect(x - 1, y - 1, w + 2, ROW + 2));
    }
    this.file.check.findings.forEach((finding, at) => {
      if (finding.companion) return;
      context.lineWidth = at === this.finding ? 4 : 2;
      const { offset, len } = finding.span;
      each(offset, offset + Math.max(1, len), (x, y, w) => {
        context.strokeStyle = finding.strength === "must" ? bad : dim;
        const shown = Math.max(6, w);
        const start = Math.max(LEFT, Math.min(x + w / 2 - shown / 2, LEFT + wide - shown));
        context.strokeRect(start, y - 0.5, shown, ROW + 1);
      });
    });
  }

  /** The parts in the window; they are in the order of the file. */
  private visible(): number[] {
    const { offset, bytes } = this.file.bytes.parts;
    return rows(offset.length).filter((part) => (offset[part] ?? 0) < this.high && (offset[part] ?? 0) + (bytes[part] ?? 0) > this.low);
  }

  private click(event: MouseEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const { wide, per } = this.geometry(box.width, box.height);
    const row = Math.floor((event.clientY - box.top - GAP / 2) / (ROW + GAP));
    const at = this.low + (row + Math.max(0, Math.min(1, (event.clientX - box.left - LEFT) / wide))) * per;
    const slack = (per / wide) * 4;
    const finding = this.file.check.findings.findIndex(({ span, companion }) => !companion && at >= span.offset - slack && at <= span.offset + span.len + slack);
    if (finding >= 0) return this.pickFinding(finding);
    const { offset, bytes } = this.file.bytes.parts;
    const part = this.visible().find((one) => at >= (offset[one] ?? 0) && at < (offset[one] ?? 0) + (bytes[one] ?? 0));
    if (part !== undefined) this.pick(part);
  }

  private key(event: KeyboardEvent): void {
    const count = this.file.bytes.parts.offset.length;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined && count > 0) this.pick(Math.max(0, Math.min(count - 1, this.chosen + step)));
    else if (event.key === "+" || event.key === "=") this.scale(0.5);
    else if (event.key === "-") this.scale(2);
    else if (event.key === "0" || event.key === "Escape") this.whole();
    else return;
    event.preventDefault();
  }
}

export function fileView(file: Inspect): Panel {
  const { parts } = file.bytes;
  const { findings } = file.check;
  const detail = h("div", { "aria-live": "polite" });
  let [low, high] = [0, file.file.bytes];
  const showPart = (part: number) => {
    map.mark(part);
    partTable.show(part);
    low = parts.offset[part] ?? 0;
    high = low + (parts.bytes[part] ?? 0);
    detail.replaceChildren(partTerms(file, part));
  };
  const showFinding = (at: number) => {
    const finding = findings[at];
    if (!finding) return;
    map.mark(-1, at);
    findingTable.show(at);
    low = finding.span.offset;
    high = low + finding.span.len;
    detail.replaceChildren(findingTerms(finding));
  };
  const map = new ByteMap(file, showPart, showFinding);
  const zoom = () => {
    const room = Math.max(32, (high - low) / 2);
    map.window(low - room, high + room);
  };
  const partTable = new Table<number>({
    label: "Parts in file order",
    noun: "part",
    rows: rows(parts.offset.length),
    empty: "No part can be read.",
    columns: [
      { label: "Offset", width: "minmax(5rem, 1fr)", text: (part) => hex(parts.offset[part] ?? 0), value: (part) => parts.offset[part] ?? 0 },
      { label: "Bytes", width: "minmax(5rem, 1fr)", text: (part) => size(parts.bytes[part] ?? 0), value: (part) => parts.bytes[part] ?? 0 },
      { label: "Part", width: "minmax(8rem, 3fr)", text: (part) => partName(file, part), cell: (part) => swatch(roleColor(word(parts.role, part)), partName(file, part)) },
      { label: "Role", width: "minmax(5rem, 1fr)", text: (part) => word(parts.role, part), extra: true },
    ],
    select: showPart,
  });
  const findingTable = new Table<number>({
    label: "Findings",
    noun: "finding",
    rows: rows(findings.length),
    empty: file.check.verdict === "unexamined" ? "Not checked." : "No findings.",
    columns: [
      { label: "Rule", width: "minmax(8rem, 2fr)", text: (at) => findings[at]?.rule ?? "" },
      { label: "Kind", width: "4.6rem", text: (at) => findings[at]?.strength ?? "", cell: (at) => h("span", { class: `${findings[at]?.strength === "must" ? "bad" : "quiet"} chip` }, findings[at]?.strength ?? "") },
      { label: "Offset", width: "minmax(4.5rem, 1fr)", text: (at) => hex(findings[at]?.span.offset ?? 0), value: (at) => findings[at]?.span.offset ?? 0 },
      { label: "Finding", width: "minmax(9rem, 4fr)", text: (at) => plain(findings[at]?.message ?? ""), extra: true },
    ],
    select: showFinding,
  });
  const bar = h(
    "div",
    { class: "bar" },
    button("−", () => map.scale(2), "Zoom out"),
    button("+", () => map.scale(0.5), "Zoom in"),
    button("Zoom to selection", zoom),
    button("Whole file", () => map.whole()),
    h("span", { class: "legend" }, ...file.bytes.by_role.map((role) => swatch(roleColor(role.name), role.name)), h("span", {}, h("span", { class: "swatch outline" }), "finding")),
  );
  const header = new Table({
    label: "Header",
    noun: "field",
    rows: file.header,
    empty: "The file has no header.",
    columns: [
      { label: "Field", width: "minmax(11rem, 1fr)", text: (field) => plain(field.name) },
      { label: "Value", width: "minmax(6rem, 1fr)", text: (field) => (typeof field.value === "number" ? number(field.value) : plain(String(field.value))) },
      { label: "Meaning", width: "minmax(9rem, 3fr)", text: (field) => plain(field.meaning) },
    ],
  });
  const { segments } = file;
  const segmentTable = new Table<number>({
    label: "Segments",
    noun: "segment",
    rows: rows(segments.offset.length),
    columns: [
      { label: "Segment", width: "minmax(5rem, 1fr)", text: String, value: (at) => at },
      { label: "Offset", width: "minmax(5rem, 1fr)", text: (at) => hex(segments.offset[at] ?? 0), value: (at) => segments.offset[at] ?? 0 },
      { label: "Bytes", width: "minmax(5rem, 1fr)", text: (at) => size(segments.bytes[at] ?? 0), value: (at) => segments.bytes[at] ?? 0 },
      { label: "Used for", width: "minmax(8rem, 3fr)", text: (at) => plain(word(segments.users, at)) },
    ],
  });
  if (findings.length > 0) showFinding(0);
  return {
    element: h(
      "div",
      {},
      bar,
      h("div", { class: "beside" }, h("div", {}, map.element, detail), h("div", {}, h("h2", {}, "Findings"), findingTable.element, h("h2", {}, "Parts"), partTable.element)),
      h("div", { class: "beside" }, h("div", {}, h("h2", {}, "Header"), header.element), h("div", {}, h("h2", {}, "Segments"), segmentTable.element)),
    ),
    go: (target) => {
      if ("finding" in target) showFinding(target.finding);
      else if ("part" in target) {
        showPart(target.part);
        zoom();
      }
    },
  };
}

function findingTerms(finding: Finding): HTMLElement {
  return h(
    "div",
    { class: "detail" },
    h("h2", {}, finding.rule, " ", h("span", { class: `${finding.strength === "must" ? "bad" : "quiet"} chip` }, finding.strength)),
    h("p", {}, plain(finding.message, 2000)),
    terms(
      ["field", plain(finding.path, 300)],
      ["bytes", `${hex(finding.span.offset)}, ${exactSize(finding.span.len)}`],
      ["in", plain(finding.companion ?? "", 200)],
      ["more", `torchproof explain ${finding.rule}`],
    ),
  );
}
