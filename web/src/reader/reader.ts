// Calls the WebAssembly module. `web/wasm/src/lib.rs` has the other side.

import type { Source } from "./source.ts";

/** `brief` is `inspect` without needs, values, instructions and memory plans. */
export type Ask = "check" | "needs" | "brief" | "inspect" | "diff";

interface Exports {
  memory: WebAssembly.Memory;
  answer(length: number): void;
}

const ALL_ZERO = 2n ** 64n - 1n;
const UNREADABLE = 2n ** 64n - 2n;
const PIECE = 1 << 22;

/** The index of the first byte that is not zero, or the length. A file can have a gap of gigabytes, so it compares words. */
function nonzero(bytes: Uint8Array): number {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
  let at = 0;
  while (at < words.length && words[at] === 0) at += 1;
  at *= 4;
  while (at < bytes.length && bytes[at] === 0) at += 1;
  return at;
}

function firstNonzero(source: Source | undefined, offset: bigint, length: bigint): bigint {
  if (!source) return UNREADABLE;
  const end = offset + length;
  for (let at = offset; at < end; ) {
    const bytes = source.read(Number(at), Number(end - at < PIECE ? end - at : BigInt(PIECE)));
    if (!bytes) return UNREADABLE;
    const found = nonzero(bytes);
    if (found < bytes.length) return at + BigInt(found);
    at += BigInt(bytes.length);
  }
  return ALL_ZERO;
}

/** The error for a range of a file that could not be read, because the file changed or was removed. */
export class ReadFailure extends Error {
  constructor(readonly source: Source) {
    super(`${source.name}: its bytes cannot be read any more; open it again if it has changed`);
  }
}

/**
 * Sends a request about the first source; the other sources are its data files. Returns the JSON as bytes. Each request
 * gets a new instance, so that a file leaves nothing behind, even if it exhausts the memory.
 */
export function answer(module: WebAssembly.Module, ask: Ask, sources: Source[], digest: boolean): Uint8Array {
  const files = sources.map(({ name, size }) => ({ name, bytes: size }));
  const question = new TextEncoder().encode(JSON.stringify({ ask, files, digest }));
  let answered = new Uint8Array();
  let failed: Source | undefined;
  const memory = (pointer: number, length: number) => new Uint8Array(exports.memory.buffer, pointer >>> 0, length >>> 0);
  const torchproof = {
    question: (target: number) => memory(target, question.length).set(question),
    result: (text: number, length: number) => {
      answered = memory(text, length).slice();
    },
    read: (file: number, offset: bigint, target: number, length: number) => {
      const source = sources[file];
      const end = Number(offset) + (length >>> 0);
      if (!source || end > source.size) return 0;
      for (let at = Number(offset); at < end; at += PIECE) {
        const bytes = source.read(at, Math.min(PIECE, end - at));
        if (!bytes) {
          failed = source;
          return 0;
        }
        memory(target + at - Number(offset), bytes.length).set(bytes);
      }
      return 1;
    },
    first_nonzero: (file: number, offset: bigint, length: bigint) => {
      const found = firstNonzero(sources[file], BigInt.asUintN(64, offset), BigInt.asUintN(64, length));
      if (found === UNREADABLE) failed = sources[file];
      return found;
    },
  };
  const exports = new WebAssembly.Instance(module, { torchproof }).exports as unknown as Exports;
  try {
    exports.answer(question.length);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    throw new Error(`${sources[0]?.name ?? "the file"}: the reader ran out of memory or stopped at a defect of its own (${error.message}); please report it with the file`);
  }
  if (failed) throw new ReadFailure(failed);
  return answered;
}
