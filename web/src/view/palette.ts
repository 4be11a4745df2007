// The colors of roles and of other groups.

import { h } from "./dom.ts";

const ROLES: Record<string, string> = {
  constant: "--c0",
  state: "--c4",
  "named-data": "--c2",
  delegate: "--c1",
  "test-data": "--c5",
  tables: "--c3",
  member: "--c6",
  header: "--c7",
  padding: "--pad",
  unused: "--waste",
  unowned: "--void",
};

export function roleColor(role: string): string {
  return ROLES[role] ?? "--c7";
}

/** The colors of groups in the order of their names' first appearance. */
export function groupColors(names: string[]): Map<string, string> {
  return new Map(names.map((name, at) => [name, ROLES[name] ?? `--c${at % 8}`]));
}

/** A text with its color in the pictures. */
export function swatch(colorName: string, text: string): HTMLElement {
  const dot = h("span", { class: "swatch" });
  dot.style.background = `var(${colorName})`;
  return h("span", {}, dot, text);
}
