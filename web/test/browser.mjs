// Headless Chromium, files for it, and the page under test.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";

import { chromium } from "playwright-core";

export const ROOT = new URL("../../", import.meta.url).pathname;
export const TORCHPROOF = process.env.TORCHPROOF ?? join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "debug/torchproof");
export const SINGLE = `file://${ROOT}web/dist/single/index.html`;
const PICTURES = join(ROOT, "target/web-pictures");

/** Returns what the command prints. It exits with 1 for findings and differences. */
export function run(...args) {
  const { status, stdout, stderr } = spawnSync(TORCHPROOF, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.ok(status === 0 || status === 1, `${args.join(" ")}: ${stderr}`);
  return stdout;
}

export function real(name) {
  return join(ROOT, "corpus/real", name);
}

/** A folder for the files of one test. */
export function scratch(test) {
  const folder = mkdtempSync(join(tmpdir(), "torchproof-web-"));
  test.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Serves the page of the server build. */
export async function serve(test) {
  const types = { html: "text/html", js: "text/javascript", css: "text/css", wasm: "application/wasm" };
  const server = createServer((request, response) => {
    const path = normalize(request.url === "/" ? "/index.html" : request.url);
    const file = join(ROOT, "web/dist/page", path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[path.split(".").at(-1)] ?? "text/plain" }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  test.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

const NAMES = ["chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`);
let started;

export function browser() {
  const executablePath = process.env.CHROMIUM ?? NAMES.find(existsSync);
  started ??= chromium.launch({ executablePath, args: ["--no-sandbox", "--force-color-profile=srgb"] });
  return started;
}

export async function close() {
  await (await started)?.close();
}

/** Opens an address. `complaints` has everything that a page must not do. */
export async function page(test, address = SINGLE, { width = 1280, height = 900, dark = false } = {}) {
  const context = await (await browser()).newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", reducedMotion: "reduce" });
  test.after(() => context.close());
  const opened = await context.newPage();
  const complaints = [];
  opened.on("console", (message) => complaints.push(message.text()));
  opened.on("pageerror", (error) => complaints.push(error.message));
  opened.on("dialog", (dialog) => complaints.push(dialog.message()));
  opened.on("request", (request) => {
    if (!request.url().startsWith(address.startsWith("file:") ? "file:" : address) && !request.url().startsWith("blob:")) complaints.push(request.url());
  });
  opened.setDefaultTimeout(30_000);
  await opened.goto(address, { timeout: 120_000 });
  return Object.assign(opened, { complaints });
}

/** Opens files with the file field, and waits until they are shown or a sentence says why not. */
export async function choose(opened, ...paths) {
  await opened.evaluate(() => performance.clearMeasures());
  await opened.setInputFiles("#files", paths);
  await opened.waitForFunction(() => performance.getEntriesByName("first picture").length > 0 || !document.querySelector("[role=alert]").hidden);
}

/** Opens a file, and returns the processor time of all threads of the page until its first picture, and the time on the clock. */
export async function firstPicture(opened, path) {
  const chromium = await browser();
  await chromium.startTracing(opened, { categories: ["toplevel", "blink.user_timing"] });
  await choose(opened, path);
  const { traceEvents } = JSON.parse(await chromium.stopTracing());
  const [begin, end] = ["b", "e"].map((phase) => traceEvents.findLast(({ name, ph }) => name === "first picture" && ph === phase));
  // A task of the worker that ends later is the next question.
  const isPart = ({ name, pid, ts, dur, tdur }) => /^(ThreadControllerImpl::|ThreadPool_)RunTask$/.test(name) && pid === begin.pid && ts >= begin.ts && ts + dur <= end.ts && tdur > 0;
  const tasks = traceEvents.filter(isPart);
  assert.ok(new Set(tasks.map(({ tid }) => tid)).size > 1, "found tasks of one thread, expected those of the page and of its worker");
  return { processor: tasks.reduce((sum, { tdur }) => sum + tdur, 0) / 1000, clock: (end.ts - begin.ts) / 1000 };
}

/** Drops files, given as pairs of name and bytes. */
export async function drop(opened, files) {
  const transfer = await opened.evaluateHandle((files) => {
    const transfer = new DataTransfer();
    for (const [name, bytes] of files) transfer.items.add(new File([Uint8Array.from(bytes)], name));
    return transfer;
  }, files.map(([name, bytes]) => [name, [...bytes]]));
  await opened.dispatchEvent("main", "drop", { dataTransfer: transfer });
}

export async function tab(opened, name) {
  await opened.getByRole("tab", { name }).click();
}

export async function picture(opened, name) {
  mkdirSync(PICTURES, { recursive: true });
  await opened.screenshot({ path: join(PICTURES, `${name}.png`) });
}

const AXE = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** Fails with the names of the violated rules and the elements that violate them. */
export async function accessible(opened) {
  await opened.evaluate(AXE);
  const { violations } = await opened.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`)]), []);
}
