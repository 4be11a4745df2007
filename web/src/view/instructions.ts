// The instructions of a method as a list, and the neighbors of one of them as a graph.

import { button, choice, h, redrawn, svg, terms } from "./dom.ts";
import { type Inspect, list, type Method, rows, type Target, word, type Panel } from "./model.ts";
import { Table } from "./table.ts";
import { exactSize, number, plain, targetName, valueName, valueText, writtenText } from "./text.ts";

/** Limited, because in a hostile file all instructions can share one list of arguments. */
const MOST_VISITS = 5_000_000;

/** The instructions that write and that read each value, in order. */
class Flow {
  private readonly writers = new Map<number, number[]>();
  private readonly readers = new Map<number, number[]>();

  constructor(private readonly method: Method) {
    const { instructions } = method;
    const note = (map: Map<number, number[]>, value: number, at: number) => {
      const known = map.get(value);
      if (!known) map.set(value, [at]);
      else if (known.at(-1) !== at) known.push(at);
    };
    let visits = 0;
    for (const at of rows(instructions.target.length)) {
      visits += list(instructions.args, at).length;
      if (visits > MOST_VISITS) break;
      if (word(instructions.kind, at) === "free") continue;
      for (const value of this.reads(at)) note(this.readers, value, at);
      for (const value of list(instructions.writes, at)) note(this.writers, value, at);
    }
  }

  reads(at: number): number[] {
    const { args, writes } = this.method.instructions;
    const written = new Set(list(writes, at));
    return [...new Set(list(args, at))].filter((value) => !written.has(value));
  }

  writerBefore(value: number, at: number): number {
    const all = this.writers.get(value) ?? [];
    return all[below(all, at) - 1] ?? -1;
  }

  /** The readers of a value after `at`, up to the next instruction that writes it. */
  readersAfter(value: number, at: number): number[] {
    const [writers, readers] = [this.writers.get(value) ?? [], this.readers.get(value) ?? []];
    const next = writers[below(writers, at + 1)] ?? Number.POSITIVE_INFINITY;
    return readers.slice(below(readers, at + 1), below(readers, Math.min(next, Number.MAX_SAFE_INTEGER) + 1));
  }
}

/** How many numbers in a sorted list are below `limit`. */
function below(sorted: number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const MOST = 6;

/** Shows the instruction in the middle, what it reads on the left, and what uses its results on the right. */
function graph(file: Inspect, method: Method, flow: Flow, at: number, pick: (at: number) => void): HTMLElement {
  const { instructions, values } = method;
  const source = (value: number) => {
    const writer = flow.writerBefore(value, at);
    const text = plain(valueText(file, method, value), 60);
    if (writer >= 0) return node(writer, `#${writer} ${targetName(method, writer)}`, `${valueName(method, value)}: ${text}`);
    return still(`${valueName(method, value)}`, [word(values.place, value), text].filter(Boolean).join(", "));
  };
  const node = (to: number, name: string, about: string) => h("button", { type: "button", class: "node", title: `${name}\n${about}`, click: () => pick(to) }, h("span", {}, name), h("small", {}, about));
  const still = (name: string, about: string) => h("div", { class: "node still", title: `${name}\n${about}` }, h("span", {}, name), h("small", {}, about));
  const more = (count: number) => (count > 0 ? [h("small", { class: "dim" }, `and ${number(count)} more`)] : []);

  // Numbers and flags that are arguments say nothing about the flow, so tensors and written values come first.
  const reads = flow.reads(at).sort((a, b) => Number(isPlain(method, a)) - Number(isPlain(method, b)));
  const written = list(instructions.writes, at);
  const all = written.slice(0, 100).map((value) => ({ value, readers: flow.readersAfter(value, at) }));
  const users = all.flatMap(({ value, readers }) => readers.slice(0, MOST).map((reader) => ({ value, reader })));
  const count = all.reduce((sum, { readers }) => sum + readers.length, 0);
  const returned = new Set(method.outputs.map((output) => output.value));
  const results = written.filter((value) => returned.has(value));
  const left = [...reads.slice(0, MOST).map(source), ...more(reads.length - MOST)];
  const right = [
    ...users.slice(0, MOST).map(({ value, reader }) => node(reader, `#${reader} ${targetName(method, reader)}`, `${valueName(method, value)}: ${plain(valueText(file, method, value), 60)}`)),
    ...more(count - Math.min(users.length, MOST)),
    ...results.slice(0, MOST).map((value) => still(`output of ${plain(method.name, 40)}`, valueText(file, method, value))),
  ];
  const middle = h("div", { class: "node middle" }, h("span", {}, `#${at} ${targetName(method, at)}`), h("small", {}, plain(writtenText(file, method, at), 120)));
  const lines = svg("svg", { "aria-hidden": "true" });
  const column = (title: string, children: Node[]) => h("div", { class: "column" }, h("h2", {}, title), ...(children.length > 0 ? children : [h("small", { class: "dim" }, "nothing")]));
  const element = h("div", { class: "graph", role: "group", "aria-label": "Neighbors of the instruction" }, lines, column("Reads", left), column("Instruction", [middle]), column("Used by", right));
  redrawn(element, () => connect(element, lines, middle));
  return element;
}

function connect(element: HTMLElement, lines: SVGElement, middle: HTMLElement): void {
  const box = element.getBoundingClientRect();
  const center = middle.getBoundingClientRect();
  lines.replaceChildren();
  lines.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  for (const node of element.querySelectorAll<HTMLElement>(".node:not(.middle)")) {
    const side = node.getBoundingClientRect();
    if (side.left < center.right && side.right > center.left) continue;
    const isLeft = side.right <= center.left;
    const [x1, x2] = isLeft ? [side.right, center.left] : [center.right, side.left];
    const [y1, y2] = isLeft ? [middleOf(side), middleOf(center)] : [middleOf(center), middleOf(side)];
    const bend = (x2 - x1) / 2;
    const d = `M${x1 - box.left} ${y1 - box.top} c${bend} 0 ${bend} ${y2 - y1} ${x2 - x1} ${y2 - y1}`;
    lines.append(svg("path", { d }));
  }
}

function middleOf(box: DOMRect): number {
  return box.top + box.height / 2;
}

function isPlain(method: Method, value: number): boolean {
  return (method.values.tensor[value] ?? -1) < 0;
}

function argumentsText(method: Method, at: number): string {
  const { args } = method.instructions;
  const all = list(args, at);
  const shown = all.slice(0, 12).map((value) => plain(word(method.values.shown, value), 24) || valueName(method, value));
  return `${shown.join(", ")}${all.length > 12 ? `, … (${number(all.length)})` : ""}`;
}

const CHOICES: [string, (kind: string) => boolean][] = [
  ["all", () => true],
  ["without moves, jumps and frees", (kind) => kind === "kernel" || kind === "delegate"],
  ["delegate calls", (kind) => kind === "delegate"],
  ["kernel calls, outside delegates", (kind) => kind === "kernel"],
];

export function instructionsView(file: Inspect, go: (target: Target) => void): Panel {
  const holder = h("div");
  let method = 0;
  let pick: (at: number) => void = () => {};

  const build = () => {
    const known = file.methods[method];
    if (!known) return;
    const { kind, target, chain, writes } = known.instructions;
    const flow = new Flow(known);
    const all = rows(target.length);
    const detail = h("div", { "aria-live": "polite" }, h("p", { class: "dim" }, all.length > 0 ? "Choose an instruction to see its neighbors." : "This method has no instructions."));
    const show = (at: number) => {
      const delegate = word(kind, at) === "delegate" ? known.delegates[target[at] ?? -1] : undefined;
      const planned = list(writes, at).find((value) => known.plan.tensors.value.includes(value));
      const part = delegate?.part;
      detail.replaceChildren(
        graph(file, known, flow, at, pick),
        h(
          "div",
          { class: "detail" },
          terms(
            ["kind", word(kind, at)],
            ["chain", chain ? String(chain[at]) : ""],
            ["arguments", argumentsText(known, at)],
            ["writes", writtenText(file, known, at)],
            ["blob", delegate ? exactSize(delegate.bytes) : ""],
            ["blob states", plain(delegate?.states ?? "", 200)],
            ["settings", plain(delegate?.settings?.join(", ") ?? "", 400)],
          ),
        ),
        planned === undefined ? "" : button("Show its memory", () => go({ tab: "memory", method, value: planned })),
        part === undefined ? "" : button("Show its bytes", () => go({ tab: "bytes", part })),
      );
    };
    const table = new Table<number>({
      label: "Instructions",
      noun: "instruction",
      rows: all,
      columns: [
        { label: "#", width: "4.2rem", text: (at) => String(at), value: (at) => at },
        { label: "Operator", width: "minmax(9rem, 3fr)", text: (at) => targetName(known, at), cell: (at) => h("span", { class: `op ${word(kind, at)}` }, targetName(known, at)) },
        { label: "Writes", width: "minmax(8rem, 3fr)", text: (at) => writtenText(file, known, at) },
        { label: "Arguments", width: "minmax(7rem, 2fr)", text: (at) => argumentsText(known, at), extra: true },
      ],
      select: show,
    });
    pick = (at) => {
      table.show(at);
      show(at);
    };
    const bar = h(
      "div",
      { class: "bar" },
      file.methods.length > 1 ? choice("Method", file.methods.map((one) => one.name.slice(0, 60)), method, (at) => { method = at; build(); }) : null,
      choice("Show", CHOICES.map(([name]) => name), 0, (at) => table.setRows(all.filter((row) => CHOICES[at]?.[1](word(kind, row))))),
      known.delegates.length > 0 ? h("small", {}, "Each call of a delegate is one instruction.") : null,
    );
    holder.replaceChildren(bar, h("div", { class: "beside" }, table.element, detail));
    if (all.length > 0) pick(0);
  };
  build();
  return {
    element: holder,
    go: (where) => {
      if (!("instruction" in where)) return;
      if (where.method !== method) {
        method = where.method;
        build();
      }
      pick(where.instruction);
    },
  };
}
