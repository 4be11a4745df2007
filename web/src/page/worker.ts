// The worker: reads the dropped files on behalf of the page, so that the page stays responsive.

import { answer, type Ask, ReadFailure } from "../reader/reader.ts";
import { open, type Source } from "../reader/source.ts";

export type Request = { module: WebAssembly.Module } | { id: number; ask: Ask; files: File[] };
export type Reply = { id: number; json: Uint8Array } | { id: number; error: string };

const scope = globalThis as unknown as { postMessage(reply: Reply, transfer?: Transferable[]): void };
let module: WebAssembly.Module;

/** The maximum number of bytes that a comparison reads. If it leaves bytes unread, the result says so. */
const MOST_COMPARED = 1 << 29;

async function reply(id: number, ask: Ask, files: File[]): Promise<void> {
  try {
    const sources: Source[] = [];
    for (const file of files) sources.push(await open(file));
    const all = sources.reduce((sum, { size }) => sum + size, 0);
    const json = answer(module, ask, sources, ask === "diff" && all <= MOST_COMPARED);
    scope.postMessage({ id, json }, [json.buffer]);
  } catch (error) {
    const message = error instanceof ReadFailure ? changed(error) : String(error instanceof Error ? error.message : error);
    scope.postMessage({ id, error: message });
  }
}

function changed({ source }: ReadFailure): string {
  return `${source.name} changed or was removed while it was open; drop it again.`;
}

addEventListener("message", ({ data }: MessageEvent<Request>) => {
  if ("module" in data) module = data.module;
  else void reply(data.id, data.ask, data.files);
});
