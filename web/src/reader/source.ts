// Files that are read by range, synchronously: the reader cannot wait for a promise.

export interface Source {
  readonly name: string;
  readonly size: number;
  /** The bytes, or `undefined` if they cannot be read. */
  read(offset: number, length: number): Uint8Array | undefined;
  close(): void;
}

/** What a caller can open: bytes, a `Blob` such as a dropped file, or in Node the path of a file. */
export type Input = Uint8Array | ArrayBuffer | Blob | string;

export function ofBytes(bytes: Uint8Array, name: string): Source {
  return {
    name,
    size: bytes.length,
    read: (offset, length) => (offset + length <= bytes.length ? bytes.subarray(offset, offset + length) : undefined),
    close: () => {},
  };
}

const BLOCK = 1 << 16;
const MOST_BLOCKS = 64;

/** A call to the browser costs more than the read itself, so short reads share blocks. */
class Blocks implements Source {
  readonly size: number;
  private readonly blocks = new Map<number, Uint8Array>();

  constructor(
    readonly name: string,
    size: number,
    private readonly fetch: (offset: number, length: number) => Uint8Array | undefined,
    readonly close: () => void,
  ) {
    this.size = size;
  }

  read(offset: number, length: number): Uint8Array | undefined {
    if (offset + length > this.size) return undefined;
    const index = Math.floor(offset / BLOCK);
    const start = index * BLOCK;
    if (offset + length > start + BLOCK) return this.whole(offset, length);
    let block = this.blocks.get(index);
    if (!block) {
      block = this.whole(start, Math.min(BLOCK, this.size - start));
      if (!block) return undefined;
      if (this.blocks.size >= MOST_BLOCKS) this.blocks.clear();
      this.blocks.set(index, block);
    }
    return block.subarray(offset - start, offset - start + length);
  }

  private whole(offset: number, length: number): Uint8Array | undefined {
    const bytes = this.fetch(offset, length);
    return bytes?.length === length ? bytes : undefined;
  }
}

/** TypeScript's types for pages lack this class, because it exists only in workers. */
declare const FileReaderSync: { new (): { readAsArrayBuffer(blob: Blob): ArrayBuffer } } | undefined;

/** The largest `Blob` that is read as a whole where it cannot be read by range. */
const MOST_WHOLE = 1 << 28;

async function ofBlob(blob: Blob, name: string): Promise<Source> {
  if (typeof FileReaderSync !== "undefined") {
    const reader = new FileReaderSync();
    const fetch = (offset: number, length: number) => {
      try {
        return new Uint8Array(reader.readAsArrayBuffer(blob.slice(offset, offset + length)));
      } catch {
        return undefined;
      }
    };
    return new Blocks(name, blob.size, fetch, () => {});
  }
  if (blob.size > MOST_WHOLE) {
    throw new Error(`found a Blob of ${blob.size} bytes outside a worker, expected at most ${MOST_WHOLE}; open it in a worker, which reads only the needed ranges`);
  }
  return ofBytes(new Uint8Array(await blob.arrayBuffer()), name);
}

interface Files {
  openSync(path: string): number;
  fstatSync(file: number): { size: number };
  readSync(file: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  closeSync(file: number): void;
  readFileSync(path: URL): Uint8Array;
}

/** Node's files; `undefined` in a browser. A bundler for browsers does not see the name of the module. */
export function nodeFiles(): Files | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.("node:fs") as Files | undefined;
}

function ofPath(path: string, name: string): Source {
  const files = nodeFiles();
  if (!files) throw new Error("found a path, expected bytes or a Blob; a browser opens no paths");
  const file = files.openSync(path);
  const fetch = (offset: number, length: number) => {
    const bytes = new Uint8Array(length);
    let read = 0;
    while (read < length) {
      const more = files.readSync(file, bytes, read, length - read, offset + read);
      if (more === 0) return undefined;
      read += more;
    }
    return bytes;
  };
  return new Blocks(name, files.fstatSync(file).size, fetch, () => files.closeSync(file));
}

/** Opens an input. `name` is the file's name in reports. */
export async function open(input: Input, name?: string): Promise<Source> {
  if (typeof input === "string") return ofPath(input, name ?? input.split(/[\\/]/).at(-1) ?? input);
  if (input instanceof Blob) return ofBlob(input, name ?? ("name" in input ? String(input.name) : "model"));
  return ofBytes(input instanceof ArrayBuffer ? new Uint8Array(input) : input, name ?? "model");
}
