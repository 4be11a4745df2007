// Elements. Text from a file reaches the page only as text nodes and attributes, so that no name becomes markup.

export type Child = Node | string | null | undefined | false;
type Properties = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

function configure(made: Element, properties: Properties, children: Child[]): void {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name, value as EventListener);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
}

/** Creates an element. A function is a listener for the event of its name; other properties are attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  configure(made, properties, children);
  return made;
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, properties: Properties = {}): SVGElementTagNameMap[K] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  configure(made, properties, []);
  return made;
}

let ids = 0;
export function id(prefix: string): string {
  ids += 1;
  return `${prefix}-${ids}`;
}

/** A list of terms with their descriptions; empty descriptions are left out. */
export function terms(...pairs: [string, Child][]): HTMLElement {
  const full = pairs.filter(([, text]) => text !== "" && text !== null && text !== undefined && text !== false);
  return h("dl", { class: "terms" }, ...full.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));
}

/** A place for content that takes a while. */
export function pending(content: Promise<Node>): HTMLElement {
  const place = h("div", {}, h("p", { class: "dim" }, "Reading …"));
  content.then(
    (node) => place.replaceChildren(node),
    (error: unknown) => place.replaceChildren(h("p", { class: "note bad" }, error instanceof Error ? error.message.slice(0, 500) : String(error))),
  );
  return place;
}

/** A select element with a label. */
export function choice(label: string, options: string[], chosen: number, change: (at: number) => void): HTMLElement {
  const select = h("select", { change: () => change(select.selectedIndex) }, ...options.map((text) => h("option", {}, text)));
  select.selectedIndex = chosen;
  return h("label", { class: "field" }, label, select);
}

export function button(text: string, click: () => void, label = ""): HTMLButtonElement {
  return h("button", { type: "button", class: "small", "aria-label": label || undefined, click }, text);
}

/** The current color of a custom property, for a canvas. */
export function color(name: string): string {
  const probe = h("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Calls `draw` now, when the element is resized, and when the color scheme changes. */
export function redrawn(element: HTMLElement, draw: () => void): void {
  new ResizeObserver(() => draw()).observe(element);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw());
  new MutationObserver(() => draw()).observe(document.documentElement, { attributes: true, attributeFilter: ["style"] });
}

/** Prepares a canvas for its size on the screen; `null` while it is hidden. */
export function surface(canvas: HTMLCanvasElement): { context: CanvasRenderingContext2D; width: number; height: number } | null {
  const { clientWidth: width, clientHeight: height } = canvas;
  const context = canvas.getContext("2d");
  if (!context || width === 0 || height === 0) return null;
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** The text, truncated to fit into `room` pixels. */
export function fitted(context: CanvasRenderingContext2D, text: string, room: number): string {
  const width = context.measureText(text).width;
  if (width <= room) return text;
  const kept = Math.floor((text.length * room) / width) - 1;
  return kept > 2 ? `${text.slice(0, kept)}…` : "";
}
