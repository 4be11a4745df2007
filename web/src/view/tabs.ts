// Tabs: one panel at a time, chosen with the mouse or the arrow keys. A panel is built when it is first shown.

import { h, id } from "./dom.ts";

export interface Tab {
  name: string;
  title: string;
  build(): Node;
}

export class Tabs {
  readonly element: HTMLElement;
  private readonly buttons: HTMLButtonElement[];
  private readonly panels: HTMLElement[];

  constructor(label: string, private readonly tabs: Tab[]) {
    const names = tabs.map(() => id("tab"));
    this.buttons = tabs.map((tab, at) =>
      h("button", { type: "button", role: "tab", id: names[at], "aria-controls": `${names[at]}-panel`, click: () => this.show(at) }, tab.title),
    );
    this.panels = tabs.map((tab, at) =>
      h("section", { role: "tabpanel", id: `${names[at]}-panel`, "aria-labelledby": names[at], class: `panel-${tab.name}` }),
    );
    const list = h("div", { role: "tablist", "aria-label": label, class: "tabs", keydown: (event: KeyboardEvent) => this.key(event) }, ...this.buttons);
    this.element = h("div", {}, list, ...this.panels);
    this.show(0);
  }

  /** Shows the tab with this name. */
  open(name: string): void {
    const at = this.tabs.findIndex((tab) => tab.name === name);
    if (at >= 0) this.show(at);
  }

  private show(chosen: number): void {
    this.buttons.forEach((tab, at) => {
      tab.setAttribute("aria-selected", String(at === chosen));
      tab.tabIndex = at === chosen ? 0 : -1;
    });
    this.panels.forEach((panel, at) => {
      panel.hidden = at !== chosen;
    });
    const panel = this.panels[chosen];
    const tab = this.tabs[chosen];
    if (panel && tab && !panel.firstChild) panel.append(tab.build());
  }

  private key(event: KeyboardEvent): void {
    const at = this.buttons.findIndex((tab) => tab.tabIndex === 0);
    const count = this.buttons.length;
    const moves: Record<string, number> = { ArrowRight: (at + 1) % count, ArrowLeft: (at + count - 1) % count, Home: 0, End: count - 1 };
    const next = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    if (next === undefined) return;
    event.preventDefault();
    this.show(next);
    this.buttons[next]?.focus();
  }
}
