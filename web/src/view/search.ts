// The search through names: parts, values, operators, methods and findings.

import { h, id } from "./dom.ts";
import { type Inspect, list, type Method, rows, type Target, word } from "./model.ts";
import { counted, partName, plain, size, targetName, typeText, valueName, valueText } from "./text.ts";

interface Hit {
  kind: string;
  name: string;
  about: string;
  target: Target;
}

const MOST = 50;

/** The first instruction with a value among its arguments. Instructions can share lists, so each list is visited only once. */
function firstUses({ instructions }: Method): Map<number, number> {
  const uses = new Map<number, number>();
  const seen = new Set<number>();
  instructions.args.at.forEach((at, instruction) => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const value of list(instructions.args, instruction)) if (!uses.has(value)) uses.set(value, instruction);
  });
  return uses;
}

function* candidates(file: Inspect): Generator<{ key: string; hit: () => Hit }> {
  for (const [at, finding] of file.check.findings.entries()) {
    const hit = () => ({ kind: "finding", name: finding.rule, about: plain(finding.message, 80), target: { tab: "file", finding: at } as const });
    yield { key: `${finding.rule} ${finding.path} ${finding.message}`, hit };
  }
  const { parts } = file.bytes;
  for (const at of rows(parts.offset.length)) {
    const about = () => [word(parts.role, at), typeText(file.tensor_types[parts.tensor[at] ?? -1]), size(parts.bytes[at] ?? 0)].filter(Boolean).join(", ");
    const name = partName(file, at);
    yield { key: `${name} ${word(parts.role, at)} ${word(parts.backend, at)}`, hit: () => ({ kind: "bytes", name, about: about(), target: { tab: "bytes", part: at } }) };
  }
  for (const [index, method] of file.methods.entries()) {
    for (const at of rows(method.instructions.target.length)) {
      const name = targetName(method, at);
      yield {
        key: `${name} #${at} ${method.name}`,
        hit: () => ({ kind: "instruction", name: `#${at} ${name}`, about: plain(method.name, 40), target: { tab: "instructions", method: index, instruction: at } }),
      };
    }
    const planned = new Set(method.plan.tensors.value);
    const used = firstUses(method);
    for (const at of rows(method.values.type.at.length)) {
      const instruction = used.get(at);
      const isNamed = word(method.values.name, at) !== "";
      if (!planned.has(at) && !(isNamed && instruction !== undefined)) continue;
      const name = valueName(method, at);
      const target: Target = planned.has(at) ? { tab: "memory", method: index, value: at } : { tab: "instructions", method: index, instruction: instruction ?? 0 };
      const kind = planned.has(at) ? "planned tensor" : `${word(method.values.place, at)} tensor`;
      yield { key: `${name} ${method.name}`, hit: () => ({ kind, name, about: valueText(file, method, at), target }) };
    }
  }
}

export class Search {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly list: HTMLElement;
  private readonly status = h("output", { role: "status", class: "dim" });
  private hits: Hit[] = [];
  private active = -1;
  private index: { key: string; hit: () => Hit }[] | undefined;

  constructor(private readonly file: Promise<Inspect>, private readonly go: (target: Target) => void) {
    const name = id("hits");
    this.list = h("ul", { role: "listbox", id: name, "aria-label": "Search results", hidden: true });
    this.input = h("input", {
      type: "search",
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": name,
      "aria-autocomplete": "list",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "constant, operator, value, rule",
      input: () => void this.find(),
      keydown: (event: KeyboardEvent) => this.key(event),
    });
    this.element = h("div", { role: "search", class: "search" }, h("label", { class: "field" }, "Search this file", this.input), this.list, this.status);
    this.element.addEventListener("focusout", (event) => {
      if (!this.element.contains(event.relatedTarget as Node | null)) this.close();
    });
  }

  private async find(): Promise<void> {
    this.index ??= [...candidates(await this.file)].map(({ key, hit }) => ({ key: key.toLowerCase(), hit }));
    const wanted = this.input.value.trim().toLowerCase();
    if (wanted === "") return this.close();
    const found = this.index.filter(({ key }) => key.includes(wanted));
    this.hits = found.slice(0, MOST).map(({ hit }) => hit());
    this.status.textContent = found.length > MOST ? `the first ${MOST} of ${counted(found.length, "result")}` : counted(found.length, "result");
    this.active = -1;
    const name = this.list.id;
    this.list.replaceChildren(
      ...this.hits.map((hit, at) =>
        h(
          "li",
          { role: "option", id: `${name}-${at}`, "aria-selected": "false", tabindex: "-1", click: () => this.choose(at) },
          h("span", { class: "name" }, hit.name),
          h("small", {}, [hit.kind, hit.about].filter(Boolean).join(" · ")),
        ),
      ),
    );
    this.list.hidden = this.hits.length === 0;
    this.input.setAttribute("aria-expanded", String(this.hits.length > 0));
    this.input.removeAttribute("aria-activedescendant");
  }

  private close(): void {
    this.hits = [];
    this.list.hidden = true;
    this.status.textContent = "";
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  private choose(at: number): void {
    const hit = this.hits[at];
    if (!hit) return;
    this.close();
    this.go(hit.target);
  }

  private key(event: KeyboardEvent): void {
    const count = this.hits.length;
    if (event.key === "Escape") {
      this.input.value = "";
      return this.close();
    }
    if (event.key === "Enter") return this.choose(Math.max(0, this.active));
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 || count === 0) return;
    event.preventDefault();
    this.active = (this.active + step + count) % count;
    [...this.list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === this.active)));
    const option = this.list.children[this.active] as HTMLElement;
    option.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", option.id);
  }
}
