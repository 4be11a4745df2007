// The memory plan: instructions from left to right, addresses from bottom to top, and a rectangle for the life of each tensor.

import { button, choice, color, fitted, h, redrawn, surface, terms } from "./dom.ts";
import { type Inspect, type Method, rows, type Target, word, type Panel } from "./model.ts";
import { swatch } from "./palette.ts";
import { Table } from "./table.ts";
import { counted, exactSize, hex, number, size, targetName, valueName, valueText } from "./text.ts";

const PLACES: Record<string, string> = { input: "--c1", output: "--c2", state: "--c4", planned: "--c0" };

/** What each planned tensor is for. */
function purposes({ inputs, outputs, plan }: Method): string[] {
  const [given, returned] = [inputs, outputs].map((ports) => new Set(ports.map((port) => port.value)));
  return plan.tensors.value.map((value, row) => {
    if (plan.tensors.keeps[row]) return "state";
    return given?.has(value) ? "input" : returned?.has(value) ? "output" : "planned";
  });
}

const CURVE = 64;
const LEFT = 62;
const BOTTOM = 22;

/** A window on the plan: instructions `from` to `to`, addresses `low` to `high`. */
interface Window {
  from: number;
  to: number;
  low: number;
  high: number;
}

class Plan {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly tip = h("div", { class: "tip", hidden: true });
  private readonly live: Float64Array;
  readonly peakAt: number;
  private readonly end: number;
  private readonly count: number;
  private readonly overlapping: Set<number>;
  private view: Window;
  private chosen = -1;
  private drag: { x: number; y: number; view: Window; moved: boolean } | undefined;

  constructor(
    private readonly file: Inspect,
    private readonly method: Method,
    private readonly buffer: number,
    private readonly purpose: string[],
    readonly rows: number[],
    private readonly pick: (row: number) => void,
  ) {
    const { tensors, buffers, overlaps } = method.plan;
    this.count = method.instructions.target.length;
    this.end = Math.max(buffers[buffer]?.bytes ?? 0, rows.reduce((most, row) => Math.max(most, this.top(row)), 0), 1);
    this.overlapping = new Set((overlaps ?? []).flat());
    const change = new Float64Array(this.count + 3);
    for (const row of rows) {
      const [first, last] = this.life(row);
      change[first + 1] = (change[first + 1] ?? 0) + (tensors.bytes[row] ?? 0);
      change[last + 2] = (change[last + 2] ?? 0) - (tensors.bytes[row] ?? 0);
    }
    this.live = new Float64Array(this.count + 2);
    let now = 0;
    let peakAt = 0;
    for (let at = 0; at < this.live.length; at += 1) {
      now += change[at] ?? 0;
      this.live[at] = now;
      if (now > (this.live[peakAt] ?? 0)) peakAt = at;
    }
    this.peakAt = peakAt - 1;
    this.view = this.whole();
    const label = `Memory plan of ${method.name.slice(0, 80)}, buffer ${buffer + 1}: ${counted(rows.length, "tensor")}. Arrow keys move between tensors, plus and minus zoom.`;
    this.element = h("div", { class: "plan", role: "group", tabindex: "0", "aria-label": label }, this.canvas, this.tip);
    this.listen();
    redrawn(this.element, () => this.draw());
  }

  mark(row: number): void {
    this.chosen = row;
    this.draw();
  }

  /** Zooms around the center of the window; a factor of 0 shows the whole plan. */
  zoom(factor: number): void {
    this.view = factor === 0 ? this.whole() : this.scaled(factor, factor, 0.5, 0.5);
    this.draw();
  }

  zoomToChosen(): void {
    if (this.chosen < 0) return;
    const [first, last] = this.life(this.chosen);
    const { offset, bytes } = this.method.plan.tensors;
    const space = Math.max(4, last - first + 1);
    const low = offset[this.chosen] ?? 0;
    const room = Math.max(1, bytes[this.chosen] ?? 1);
    this.view = { from: first - space, to: last + 1 + space, low: low - room, high: low + 2 * room };
    this.draw();
  }

  private whole(): Window {
    return { from: -1, to: this.count + 1, low: 0, high: this.end };
  }

  private top(row: number): number {
    const { offset, bytes } = this.method.plan.tensors;
    return (offset[row] ?? 0) + (bytes[row] ?? 0);
  }

  /** The first and the last instruction at which a tensor lives. */
  private life(row: number): [number, number] {
    const { first, last } = this.method.plan.tensors;
    const clamp = (at: number) => Math.max(-1, Math.min(this.count, at));
    const begin = clamp(first[row] ?? -1);
    return [begin, Math.max(begin, clamp(last[row] ?? begin))];
  }

  private scaled(x: number, y: number, atX: number, atY: number): Window {
    const { from, to, low, high } = this.view;
    const [middle, height] = [from + (to - from) * atX, low + (high - low) * atY];
    const whole = this.whole();
    const wide = Math.min((to - from) * x, whole.to - whole.from);
    const tall = Math.min((high - low) * y, whole.high);
    const view = { from: middle - wide * atX, to: middle + wide * (1 - atX), low: height - tall * atY, high: height + tall * (1 - atY) };
    return this.kept(view);
  }

  private kept(view: Window): Window {
    const whole = this.whole();
    const right = Math.max(0, whole.from - view.from) - Math.max(0, view.to - whole.to);
    const up = Math.max(0, -view.low) - Math.max(0, view.high - whole.high);
    return { from: view.from + right, to: view.to + right, low: view.low + up, high: view.high + up };
  }

  private scales(width: number, height: number) {
    const { from, to, low, high } = this.view;
    const bottom = height - BOTTOM;
    const x = (at: number) => LEFT + ((at - from) / (to - from)) * (width - LEFT - 4);
    const y = (address: number) => bottom - ((address - low) / (high - low)) * (bottom - CURVE - 8);
    return { x, y, bottom };
  }

  private draw(): void {
    const ready = surface(this.canvas);
    if (!ready) return;
    const { context, width, height } = ready;
    const { x, y, bottom } = this.scales(width, height);
    const { plan } = this.method;
    const paint = Object.fromEntries(Object.entries(PLACES).map(([place, name]) => [place, color(name)]));
    const [ink, dim, line, bad, focus] = ["--ink", "--dim", "--line", "--bad", "--focus"].map(color) as [string, string, string, string, string];
    context.font = "12px system-ui, sans-serif";

    context.save();
    context.beginPath();
    context.rect(LEFT, 0, width - LEFT, bottom);
    context.clip();
    this.drawCurve(context, x, dim, paint["planned"] ?? dim, bad);
    context.beginPath();
    context.rect(LEFT, CURVE + 8, width - LEFT, bottom - CURVE - 8);
    context.clip();
    for (const row of this.rows) {
      const [first, last] = this.life(row);
      const [left, right] = [x(first), x(last + 1)];
      if (right < LEFT || left > width) continue;
      const [upper, lower] = [y(this.top(row)), y(plan.tensors.offset[row] ?? 0)];
      if (lower < CURVE || upper > bottom) continue;
      const [wide, tall] = [Math.max(1, right - left), Math.max(1, lower - upper)];
      context.fillStyle = paint[this.purpose[row] ?? ""] ?? paint["planned"] ?? dim;
      context.fillRect(left, upper, wide, tall);
      if (wide > 3 && tall > 3) {
        context.strokeStyle = this.overlapping.has(row) ? bad : line;
        context.lineWidth = this.overlapping.has(row) ? 2 : 1;
        context.strokeRect(left + 0.5, upper + 0.5, wide - 1, tall - 1);
      } else if (this.overlapping.has(row)) {
        context.fillStyle = bad;
        context.fillRect(left, upper, wide, tall);
      }
      if (wide > 60 && tall > 15) {
        context.fillStyle = ink;
        context.fillText(fitted(context, valueName(this.method, plan.tensors.value[row] ?? 0), wide - 8), left + 4, upper + Math.min(tall - 4, 13));
      }
    }
    const limit = y(plan.buffers[this.buffer]?.bytes ?? 0);
    context.strokeStyle = dim;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(LEFT, limit);
    context.lineTo(width, limit);
    context.stroke();
    context.setLineDash([]);
    if (this.chosen >= 0) {
      const [first, last] = this.life(this.chosen);
      context.strokeStyle = focus;
      context.lineWidth = 3;
      const upper = y(this.top(this.chosen));
      context.strokeRect(x(first), upper, Math.max(2, x(last + 1) - x(first)), Math.max(2, y(plan.tensors.offset[this.chosen] ?? 0) - upper));
    }
    context.restore();
    this.drawAxes(context, x, y, width, bottom, dim, line);
  }

  private drawCurve(context: CanvasRenderingContext2D, x: (at: number) => number, dim: string, fill: string, bad: string): void {
    const peak = this.live[this.peakAt + 1] ?? 0;
    const level = (bytes: number) => CURVE - (peak > 0 ? bytes / peak : 0) * (CURVE - 18);
    const first = Math.max(0, Math.floor(this.view.from) + 1);
    const last = Math.min(this.live.length - 1, Math.ceil(this.view.to) + 1);
    context.beginPath();
    context.moveTo(x(first - 1), CURVE);
    for (let at = first; at <= last; at += 1) {
      context.lineTo(x(at - 1), level(this.live[at] ?? 0));
      context.lineTo(x(at), level(this.live[at] ?? 0));
    }
    context.lineTo(x(last), CURVE);
    context.fillStyle = fill;
    context.fill();
    if (peak === 0) return;
    const middle = x(this.peakAt + 0.5);
    context.strokeStyle = bad;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(middle, 14);
    context.lineTo(middle, 4000);
    context.stroke();
    context.fillStyle = dim;
    const label = `peak at ${this.moment(this.peakAt)}`;
    const room = context.measureText(label).width;
    context.fillText(label, Math.max(LEFT + 2, Math.min(middle - room / 2, this.canvas.clientWidth - room - 4)), 11);
  }

  private drawAxes(context: CanvasRenderingContext2D, x: (at: number) => number, y: (address: number) => number, width: number, bottom: number, dim: string, line: string): void {
    context.fillStyle = dim;
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.strokeRect(LEFT - 0.5, CURVE + 7.5, width - LEFT - 3, bottom - CURVE - 8);
    context.textAlign = "right";
    context.fillText("live", LEFT - 6, CURVE);
    const { from, to, low, high } = this.view;
    for (let step = 0; step <= 4; step += 1) {
      const address = low + ((high - low) * step) / 4;
      context.fillText(size(Math.round(Math.max(0, address))), LEFT - 6, y(address) + (step === 4 ? 10 : 0));
    }
    context.textAlign = "center";
    const ticks = Math.max(1, Math.min(6, Math.floor((width - LEFT) / 90)));
    const every = Math.max(1, Math.round((to - from) / ticks));
    for (let at = Math.max(0, Math.ceil(from / every) * every); at < Math.min(to, this.count); at += every) context.fillText(`#${at}`, Math.min(x(at + 0.5), width - 16), bottom + 15);
    context.textAlign = "left";
  }

  moment(at: number): string {
    if (at < 0) return "the start";
    return at >= this.count ? "the end" : `#${number(at)} ${targetName(this.method, at)}`;
  }

  private found(event: MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const { x, y } = this.scales(box.width, box.height);
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    if (top < CURVE) return -1;
    const { offset } = this.method.plan.tensors;
    // Search from the last row, because it is drawn on top.
    for (let at = this.rows.length - 1; at >= 0; at -= 1) {
      const row = this.rows[at] ?? 0;
      const [first, last] = this.life(row);
      if (left < x(first) - 1 || left > x(last + 1) + 1) continue;
      if (top >= y(this.top(row)) - 1 && top <= y(offset[row] ?? 0) + 1) return row;
    }
    return -1;
  }

  private listen(): void {
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("wheel", (event) => {
      if (document.activeElement !== this.element && !event.ctrlKey) return;
      event.preventDefault();
      const factor = event.deltaY > 0 ? 1.25 : 0.8;
      const box = this.canvas.getBoundingClientRect();
      const across = (event.clientX - box.left - LEFT) / (box.width - LEFT);
      this.view = this.scaled(factor, event.shiftKey ? factor : 1, Math.max(0, across), 0.5);
      this.draw();
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => {
      this.drag = { x: event.clientX, y: event.clientY, view: this.view, moved: false };
    });
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
      this.drag = undefined;
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const wasMoved = this.drag?.moved ?? false;
      this.drag = undefined;
      const row = wasMoved ? -1 : this.found(event);
      if (row >= 0) this.pick(row);
    });
  }

  private move(event: PointerEvent): void {
    if (this.drag && Math.hypot(event.clientX - this.drag.x, event.clientY - this.drag.y) > 4) {
      this.drag.moved = true;
      const { view } = this.drag;
      const across = ((this.drag.x - event.clientX) / this.canvas.clientWidth) * (view.to - view.from);
      const up = ((event.clientY - this.drag.y) / this.canvas.clientHeight) * (view.high - view.low);
      this.view = this.kept({ from: view.from + across, to: view.to + across, low: view.low + up, high: view.high + up });
      this.draw();
    }
    const row = this.found(event);
    this.tip.hidden = row < 0;
    if (row < 0) return;
    const { value, bytes, offset } = this.method.plan.tensors;
    const [first, last] = this.life(row);
    this.tip.replaceChildren(
      h("strong", {}, valueName(this.method, value[row] ?? 0)),
      h("div", {}, valueText(this.file, this.method, value[row] ?? 0)),
      h("div", {}, `${size(bytes[row] ?? 0)} at ${hex(offset[row] ?? 0)}, ${this.moment(first)} to ${this.moment(last)}`),
    );
    const box = this.element.getBoundingClientRect();
    const left = Math.min(event.clientX - box.left + 14, Math.max(0, box.width - this.tip.offsetWidth - 4));
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${event.clientY - box.top + 16}px`;
  }

  private key(event: KeyboardEvent): void {
    const at = this.rows.indexOf(this.chosen);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined && this.rows.length > 0) {
      const next = this.rows[Math.max(0, Math.min(this.rows.length - 1, at + step))];
      if (next !== undefined) this.pick(next);
    } else if (event.key === "+" || event.key === "=") this.zoom(0.6);
    else if (event.key === "-") this.zoom(1.6);
    else if (event.key === "0" || event.key === "Escape") this.zoom(0);
    else if (event.key === "Enter") this.zoomToChosen();
    else return;
    event.preventDefault();
  }
}

export function memoryView(file: Inspect, go: (target: Target) => void): Panel {
  const holder = h("div");
  let method = 0;
  let show: (row: number) => void = () => {};

  const build = (buffer: number) => {
    const known = file.methods[method];
    if (!known) return;
    const { tensors, buffers, overlaps } = known.plan;
    if (buffers.length === 0) {
      holder.replaceChildren(h("p", { class: "note quiet" }, "This method has no planned memory."));
      return;
    }
    const own = rows(tensors.value.length)
      .filter((row) => tensors.buffer[row] === buffer)
      .sort((a, b) => (tensors.first[a] ?? 0) - (tensors.first[b] ?? 0) || (tensors.offset[a] ?? 0) - (tensors.offset[b] ?? 0));
    const detail = h("div", { "aria-live": "polite" }, h("p", { class: "dim" }, "Choose a tensor to see where and how long it lives."));
    const value = (row: number) => tensors.value[row] ?? 0;
    const purpose = purposes(known);
    const place = (row: number) => purpose[row] ?? "";
    show = (row) => {
      plan.mark(row);
      const [first, last] = [tensors.first[row] ?? 0, tensors.last[row] ?? 0];
      const others = (overlaps ?? []).filter((pair) => pair.includes(row)).map(([a, b]) => valueName(known, value(a === row ? b : a)));
      const writer = Math.max(0, Math.min(known.instructions.target.length - 1, first));
      detail.replaceChildren(
        h(
          "div",
          { class: "detail" },
          h("h2", {}, valueName(known, value(row))),
          terms(
            ["type", valueText(file, known, value(row))],
            ["place", [word(known.values.place, value(row)), place(row), tensors.keeps[row] ? "kept between runs" : ""].filter((text, at, all) => text !== "" && all.indexOf(text) === at).join(", ")],
            ["size", exactSize(tensors.bytes[row] ?? 0)],
            ["address", `${hex(tensors.offset[row] ?? 0)} in buffer ${buffer + 1}`],
            ["lives", `from ${plan.moment(first)} to ${plan.moment(last)}`],
            ["overlaps", others.length > 0 ? h("span", { class: "bad chip" }, others.join(", ")) : ""],
          ),
        ),
        button("Show the first instruction", () => go({ tab: "instructions", method, instruction: writer })),
      );
    };
    const table = new Table<number>({
      label: "Planned tensors",
      noun: "tensor",
      rows: own,
      columns: [
        { label: "Tensor", width: "minmax(7rem, 2fr)", text: (row) => valueName(known, value(row)), cell: (row) => swatch(PLACES[place(row)] ?? "--c0", valueName(known, value(row))) },
        { label: "Bytes", width: "5.6rem", text: (row) => size(tensors.bytes[row] ?? 0), value: (row) => tensors.bytes[row] ?? 0 },
        { label: "Address", width: "5.8rem", text: (row) => hex(tensors.offset[row] ?? 0), value: (row) => tensors.offset[row] ?? 0 },
        { label: "First", width: "4.2rem", text: (row) => moment(tensors.first[row] ?? 0, known), value: (row) => tensors.first[row] ?? 0, extra: true },
        { label: "Last", width: "4.2rem", text: (row) => moment(tensors.last[row] ?? 0, known), value: (row) => tensors.last[row] ?? 0, extra: true },
        { label: "Type", width: "minmax(5rem, 2fr)", text: (row) => valueText(file, known, value(row)), extra: true },
      ],
      select: (row) => show(row),
    });
    const pick = (row: number) => {
      table.show(row);
      show(row);
    };
    const plan = new Plan(file, known, buffer, purpose, own, pick);
    const names = buffers.map((one, at) => `${at + 1}: ${size(one.bytes)}${one.device ? ` on ${one.device}` : ""}`);
    const legend = Object.entries(PLACES).filter(([name]) => own.some((row) => place(row) === name));
    const bar = h(
      "div",
      { class: "bar" },
      file.methods.length > 1 ? choice("Method", file.methods.map((one) => one.name.slice(0, 60)), method, (at) => { method = at; build(0); }) : null,
      buffers.length > 1 ? choice("Buffer", names, buffer, build) : null,
      button("−", () => plan.zoom(1.6), "Zoom out"),
      button("+", () => plan.zoom(0.6), "Zoom in"),
      button("Zoom to tensor", () => plan.zoomToChosen()),
      button("Whole plan", () => plan.zoom(0)),
      h("span", { class: "legend" }, ...legend.map(([name, shade]) => swatch(shade, name))),
    );
    const at = buffers[buffer];
    const summary = `${counted(own.length, "tensor")} in ${exactSize(at?.bytes ?? 0)}; at most ${exactSize(at?.peak ?? 0)} live at once, at ${plan.moment(plan.peakAt)}.`;
    const wrong = overlaps && overlaps.length > 0 ? h("p", { class: "note bad" }, `${overlaps.length === 100 ? "At least 100 pairs" : counted(overlaps.length, "pair")} of tensors overlap while both are live.`) : null;
    holder.replaceChildren(bar, h("p", { class: "dim" }, summary), wrong ?? "", h("div", { class: "beside" }, h("div", {}, plan.element, detail), table.element));
    current = { own, pick };
  };
  let current: { own: number[]; pick: (row: number) => void } | undefined;
  build(0);
  return {
    element: holder,
    go: (target) => {
      if (!("value" in target)) return;
      const tensors = file.methods[target.method]?.plan.tensors;
      const row = tensors ? tensors.value.indexOf(target.value) : -1;
      if (row < 0) return;
      method = target.method;
      build(tensors?.buffer[row] ?? 0);
      current?.pick(row);
    },
  };
}

function moment(at: number, method: Method): string {
  return at < 0 ? "start" : at >= method.instructions.target.length ? "end" : `#${at}`;
}
