// Shows a file or a comparison in an element of the page.

import { diffView } from "./diff.ts";
import { button } from "./dom.ts";
import { inspectView } from "./inspect.ts";
import type { Shown } from "./model.ts";

export function show(shown: Shown): HTMLElement {
  return shown.view === "diff" ? diffView(shown.diff, shown.a, shown.b) : inspectView(shown.inspect);
}

/** A button that changes between light and dark. */
export function schemeButton(): HTMLElement {
  const root = document.documentElement;
  const isDark = () => (root.style.colorScheme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const toggle = button("", () => {
    root.style.colorScheme = isDark() ? "light" : "dark";
    name();
  });
  const name = () => {
    toggle.textContent = isDark() ? "Light" : "Dark";
    toggle.title = `Use ${isDark() ? "light" : "dark"} colors`;
  };
  name();
  toggle.classList.add("scheme");
  return toggle;
}
