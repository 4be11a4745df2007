// The treemap of bytes, and the parts that it shows.

import { hierarchy, type HierarchyRectangularNode, treemap } from "d3-hierarchy";

import { button, choice, h, redrawn, terms } from "./dom.ts";
import { type Inspect, list, type Target, word, type Panel } from "./model.ts";
import { roleColor, swatch } from "./palette.ts";
import { Table } from "./table.ts";
import { exactSize, hex, number, partName, plain, share, size, typeText } from "./text.ts";
import { groupOf, type Grouping, GROUPINGS, largest, type Piece, tree } from "./tree.ts";

/** A piece, with those pieces below it that are drawn. */
interface Drawn {
  piece: Piece;
  children?: Drawn[];
}

type Rectangle = HierarchyRectangularNode<Drawn>;

/** The maximum number of groups in the picture and of pieces in a group, and the area in pixels that a piece should have. */
const MOST_GROUPS = 60;
const MOST = 600;
const AREA = 100;
const HEAD = 20;

/** Skips levels with a single piece. */
function only(piece: Piece): Piece {
  const [first] = piece.children;
  return piece.children.length === 1 && first && first.children.length > 0 ? only(first) : piece;
}

class Treemap {
  readonly element = h("div", { class: "treemap", role: "group", "aria-label": "Treemap of bytes" });
  private cells: { piece: Piece; cell: HTMLElement }[] = [];
  private shown: Piece;

  constructor(private root: Piece, private readonly pick: (piece: Piece) => void, private readonly zoomed: (root: Piece) => void) {
    this.shown = root;
    this.element.addEventListener("keydown", (event) => this.key(event));
    redrawn(this.element, () => this.draw());
  }

  replace(root: Piece): void {
    this.root = root;
    this.zoom(root);
  }

  zoom(to: Piece): void {
    const from = this.shown;
    const hadFocus = this.element.contains(document.activeElement);
    this.shown = to;
    this.draw();
    if (hadFocus) (this.cells.find(({ piece }) => piece === from) ?? this.cells[0])?.cell.focus();
    this.zoomed(to);
  }

  mark(part: number): void {
    for (const { piece, cell } of this.cells) {
      const own = piece.parts.length === 1 && piece.parts[0] === part;
      cell.classList.toggle("at", own);
      if (own) this.focusable(cell);
    }
  }

  private focusable(chosen: HTMLElement): void {
    for (const { cell } of this.cells) cell.tabIndex = cell === chosen ? 0 : -1;
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0) return;
    const room = (piece: Piece) => Math.max(8, Math.min(MOST, ((piece.bytes / this.shown.bytes) * width * height) / AREA));
    const groups = largest(this.shown, MOST_GROUPS).map((piece) => ({ piece, children: largest(only(piece), room(piece)).map((below) => ({ piece: below })) }));
    const data = hierarchy<Drawn>({ piece: this.shown, children: groups }, (drawn) => (drawn.children?.length ? drawn.children : null));
    data.sum((drawn) => (drawn.children?.length ? 0 : drawn.piece.bytes));
    const layout = treemap<Drawn>().size([width, height]).paddingInner(1).paddingOuter(1).paddingTop((node) => (node.depth === 1 && node.children ? HEAD : 1)).round(true)(data);
    const visible = layout.descendants().filter((node) => node.depth > 0 && node.x1 - node.x0 >= 2 && node.y1 - node.y0 >= 2);
    this.cells = visible.map((node) => ({ piece: node.data.piece, cell: this.cell(node) }));
    this.element.replaceChildren(...this.cells.map(({ cell }) => cell));
    const first = this.cells[0]?.cell;
    if (first) this.focusable(first);
  }

  private cell(node: Rectangle): HTMLElement {
    const { piece } = node.data;
    const width = node.x1 - node.x0;
    const height = node.y1 - node.y0;
    const label = `${piece.name} ${size(piece.bytes)}, ${share(piece.bytes, this.root.bytes)}`;
    const hasText = width > 34 && height > 15;
    const text = [h("span", {}, piece.name), " ", height > 34 || node.children ? h("small", {}, size(piece.bytes)) : null];
    const cell = h(
      "button",
      {
        type: "button",
        class: `cell${node.children ? " group" : ""}${piece.children.length > 0 ? " more" : ""}`,
        title: label,
        "aria-label": label,
        tabindex: "-1",
        click: () => (piece.children.length > 0 ? this.zoom(piece) : this.pick(piece)),
        focus: () => this.focusable(cell),
      },
      ...(hasText ? text : []),
    );
    Object.assign(cell.style, { left: `${node.x0}px`, top: `${node.y0}px`, width: `${width}px`, height: `${height}px` });
    cell.style.background = `var(${piece.color})`;
    return cell;
  }

  private key(event: KeyboardEvent): void {
    if ((event.key === "Escape" || event.key === "Backspace") && this.shown.parent) {
      event.preventDefault();
      return this.zoom(this.shown.parent);
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = this.cells.findIndex(({ cell }) => cell === document.activeElement);
    this.cells[Math.max(0, Math.min(this.cells.length - 1, at + step))]?.cell.focus();
  }
}

/** What is known about a part. */
export function partTerms(file: Inspect, part: number): HTMLElement {
  const { parts } = file.bytes;
  const methods = list(parts.methods, part).slice(0, 8).map((at) => plain(file.methods[at]?.name ?? `method ${at}`, 60));
  const offset = parts.offset[part] ?? 0;
  const bytes = parts.bytes[part] ?? 0;
  const equal = file.bytes.equal.find((group) => group.parts.includes(part));
  return h(
    "div",
    { class: "detail" },
    h("h2", {}, partName(file, part)),
    terms(
      ["role", [word(parts.role, part), (parts.index[part] ?? -1) >= 0 ? String(parts.index[part]) : ""].filter(Boolean).join(" ")],
      ["type", typeText(file.tensor_types[parts.tensor[part] ?? -1])],
      ["size", exactSize(bytes)],
      ["bytes", `${hex(offset)} to ${hex(offset + bytes)}`],
      ["backend", plain(word(parts.backend, part), 80)],
      ["methods", methods.join(", ")],
      ["users", (parts.uses[part] ?? 0) > 1 ? number(parts.uses[part] ?? 0) : ""],
      ["same bytes as", equal ? equal.parts.filter((other) => other !== part).slice(0, 5).map((other) => partName(file, other)).join(", ") : ""],
      ["sha256", parts.digest?.[part] ?? ""],
    ),
  );
}

export function bytesView(file: Inspect, go: (target: Target) => void): Panel {
  const { parts } = file.bytes;
  let grouping: Grouping = "role";
  const detail = h("div", { "aria-live": "polite" }, h("p", { class: "dim" }, "Choose a piece to see where it is and who uses it."));
  const path = h("nav", { class: "path", "aria-label": "Position in the treemap" });
  const show = (part: number) => {
    map.mark(part);
    detail.replaceChildren(partTerms(file, part), button("Show in the file", () => go({ tab: "file", part })));
  };
  const table = new Table<number>({
    label: "Parts",
    noun: "part",
    rows: [],
    sort: 1,
    columns: [
      { label: "Name", width: "minmax(9rem, 3fr)", text: (part) => partName(file, part), cell: (part) => swatch(roleColor(word(parts.role, part)), partName(file, part)) },
      { label: "Bytes", width: "5.6rem", text: (part) => size(parts.bytes[part] ?? 0), value: (part) => parts.bytes[part] ?? 0 },
      { label: "Type", width: "minmax(7rem, 2fr)", text: (part) => typeText(file.tensor_types[parts.tensor[part] ?? -1]), extra: true },
      { label: "Group", width: "minmax(5rem, 1fr)", text: (part) => groupOf(file, grouping, part) },
    ],
    select: show,
  });
  const zoomed = (to: Piece) => {
    table.setRows(to.parts);
    const above: Piece[] = [];
    for (let at: Piece | undefined = to; at; at = at.parent) above.unshift(at);
    path.replaceChildren(
      ...above.flatMap((piece, at) => [
        at > 0 ? " › " : "",
        piece === to ? h("span", { "aria-current": "location" }, `${piece.name} (${size(piece.bytes)})`) : h("button", { type: "button", class: "link", click: () => map.zoom(piece) }, piece.name),
      ]),
    );
  };
  const pick = (piece: Piece) => {
    const part = piece.parts[0] ?? 0;
    table.show(part);
    show(part);
  };
  let root = tree(file, grouping);
  const map = new Treemap(root, pick, zoomed);
  zoomed(root);
  const group = choice("Group by", [...GROUPINGS], 0, (at) => {
    grouping = GROUPINGS[at] ?? "role";
    root = tree(file, grouping);
    map.replace(root);
  });
  const hint = "Enter or a click zooms in, Escape zooms out, arrow keys move.";
  return {
    element: h("div", {}, h("div", { class: "bar" }, group, path, h("small", {}, hint)), h("div", { class: "beside" }, h("div", {}, map.element, detail), table.element)),
    go: (target) => {
      if (!("part" in target)) return;
      map.zoom(root);
      table.show(target.part);
      show(target.part);
    },
  };
}
