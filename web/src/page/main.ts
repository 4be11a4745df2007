// The page that opens a file: takes dropped files, sends them to the worker, and shows the result.

import "./page.css";
import "../style/viewer.css";

import compile from "virtual:wasm";

import type { Ask } from "../reader/reader.ts";
import { h } from "../view/dom.ts";
import { inspectView } from "../view/inspect.ts";
import type { Diff, Inspect } from "../view/model.ts";
import { schemeButton, show } from "../view/show.ts";
import { Tabs } from "../view/tabs.ts";
import { counted, number, plain } from "../view/text.ts";
import { kindOf, plan, taken } from "./dropped.ts";
import type { Reply, Request } from "./worker.ts";
import ReaderWorker from "./worker.ts?worker&inline";

// Compile the module once, when the page loads, for all workers.
const module = compile();

class Client {
  private worker = this.start();
  private waiting = new Map<number, { resolve(json: unknown): void; reject(error: Error): void }>();
  private next = 0;

  async ask<Answer>(ask: Ask, files: File[]): Promise<Answer> {
    const worker = await this.worker;
    this.next += 1;
    const id = this.next;
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    worker.postMessage({ id, ask, files } satisfies Request);
    return answer as Promise<Answer>;
  }

  /** Cancels all requests, so that a new drop does not wait for an old one. */
  restart(): void {
    void this.worker.then((worker) => worker.terminate());
    this.waiting.clear();
    this.worker = this.start();
  }

  get isBusy(): boolean {
    return this.waiting.size > 0;
  }

  private async start(): Promise<Worker> {
    const worker = new ReaderWorker();
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => this.settle(data));
    worker.postMessage({ module: await module } satisfies Request);
    return worker;
  }

  private settle(reply: Reply): void {
    const waiting = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if ("error" in reply) return waiting?.reject(new Error(reply.error));
    const answer = JSON.parse(new TextDecoder().decode(reply.json)) as { failed?: string };
    if (typeof answer.failed === "string") waiting?.reject(new Error(answer.failed));
    else waiting?.resolve(answer);
  }
}

const client = new Client();
const status = h("p", { role: "status", class: "note quiet", hidden: true });
const complaint = h("p", { role: "alert", class: "note bad", hidden: true });
const result = h("div");
const input = h("input", { type: "file", multiple: true, id: "files", change: () => void opened([...(input.files ?? [])], "Choose at least one file.") });
const about = h(
  "section",
  { class: "about" },
  h("p", {}, "Drop a program (.pte, .bpte) to see where its bytes are, what it needs, how it uses memory, and what is wrong with it. Drop its data files (.ptd) together with it, or two files of one kind to compare them."),
  h("p", { class: "dim" }, "Nothing is uploaded: this page works without a network, and reads only the ranges of a file that it needs."),
);
const drop = h("label", { class: "drop", for: "files" }, h("strong", {}, "Drop files here"), h("span", {}, "or choose them"), input);

function say(element: HTMLElement, text: string): void {
  element.textContent = text;
  element.hidden = text === "";
}

let latest = 0;
async function opened(files: File[], nothing: string): Promise<void> {
  latest += 1;
  const own = latest;
  const begin = performance.now();
  if (client.isBusy) client.restart();
  say(complaint, "");
  if (files.length === 0) return say(complaint, nothing);
  say(status, `Reading ${files.length === 1 ? plain(files[0]?.name ?? "", 80) : counted(files.length, "file")} …`);
  try {
    const dropped = await Promise.all(files.map(async (file) => ({ file, kind: await kindOf(file) })));
    const shown = await answered(plan(dropped));
    if (own !== latest) return;
    document.body.classList.add("shown");
    result.replaceChildren(shown);
    requestAnimationFrame(() => setTimeout(() => performance.measure("first picture", { start: begin, end: performance.now() })));
  } catch (error) {
    if (own === latest) say(complaint, error instanceof DOMException ? unreadable(files) : plain(String(error instanceof Error ? error.message : error), 500));
  }
  if (own === latest) say(status, "");
  input.value = "";
}

function unreadable(files: File[]): string {
  return `${files.length === 1 ? plain(files[0]?.name ?? "", 80) : "One of the files"} cannot be read; it may be a folder, or it changed or was removed. Drop it again.`;
}

async function answered(what: ReturnType<typeof plan>): Promise<HTMLElement> {
  if (what.show === "compare") {
    const [diff, a, b] = await Promise.all([
      client.ask<Diff>("diff", [what.a, what.b]),
      client.ask<Inspect>("inspect", [what.a]),
      client.ask<Inspect>("inspect", [what.b]),
    ]);
    return show({ view: "diff", diff, a, b });
  }
  const [first, ...rest] = what.groups;
  if (rest.length === 0 && first) return one(first);
  // The first file shows at once; the others are read when their tab is opened.
  const panels = what.groups.map((group) => {
    const panel = h("div", {}, h("p", { class: "dim" }, "Reading …"));
    const fill = () => one(group).then((view) => panel.replaceChildren(view), (error: unknown) => panel.replaceChildren(h("p", { class: "note bad" }, plain(String(error), 500))));
    return { name: group[0]?.name ?? "", title: plain(group[0]?.name ?? "", 40), build: () => (void fill(), panel) };
  });
  return new Tabs("Files", panels).element;
}

async function one(group: File[]): Promise<HTMLElement> {
  // The first screen needs little data, so it does not wait for the tables.
  const file = await client.ask<Inspect>("brief", group);
  // The command's advice names an option, which this page does not have.
  file.check.note = file.check.note?.replace("pass data files with --with", "drop the data files together with the program");
  const whole = client.ask<Inspect>("inspect", group);
  const view = inspectView(file, whole);
  const [, ...data] = group;
  if (data.length > 0) void whole.then(({ needs }) => view.prepend(...misfit(file, data, needs?.programs[0]?.data ?? [])), () => {});
  return view;
}

/** A sentence about data files that are not for the program. */
function misfit(file: Inspect, data: File[], wanted: { found_in?: string }[]): HTMLElement[] {
  const missing = wanted.filter((entry) => entry.found_in === undefined).length;
  const program = plain(file.file.name, 60);
  if (wanted.length === 0) return [note(`${names(data)} is not for ${program}, which looks up no data.`)];
  if (missing === 0) return [];
  return [note(`${names(data)} does not fit: it lacks ${missing === wanted.length ? "all" : number(missing)} of the ${counted(wanted.length, "key")} that ${program} looks up.`)];
}

function note(text: string): HTMLElement {
  return h("p", { class: "note bad" }, text);
}

function names(files: File[]): string {
  return files.map((file) => plain(file.name, 60)).join(" with ");
}

document.querySelector("#app")?.append(h("main", {}, schemeButton(), h("header", { class: "site" }, h("h1", { class: "brand" }, "torchproof"), about, drop), status, complaint, result));

addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("over");
});
addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) document.body.classList.remove("over");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  const { files, complaint: text } = event.dataTransfer ? taken(event.dataTransfer) : { files: [], complaint: "" };
  void opened(files, text);
});
