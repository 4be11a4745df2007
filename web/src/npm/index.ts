// The npm package `torchproof`: checks and describes ExecuTorch files as JSON, in Node and in browsers.

import { type Ask, answer } from "../reader/reader.ts";
import { type Input, nodeFiles, open as openSource, type Source } from "../reader/source.ts";
import type { Check, Diff, Inspect, Needs } from "../view/model.ts";

export type { Check, Diff, Inspect, Needs } from "../view/model.ts";
export type { Input } from "../reader/source.ts";

export interface Options {
  /** The file's name in the result. */
  name?: string;
  /** The data files of a program. */
  data?: Input[];
  /** Whether to read all bytes: `inspect` then returns all digests, and `diff` compares constants. On by default for `diff`. */
  digest?: boolean;
}

let module: Promise<WebAssembly.Module> | undefined;

async function load(): Promise<WebAssembly.Module> {
  const address = new URL(/* @vite-ignore */ "./torchproof.wasm", import.meta.url);
  const files = address.protocol === "file:" ? nodeFiles() : undefined;
  const bytes = files ? files.readFileSync(address) : new Uint8Array(await (await fetch(address)).arrayBuffer());
  return WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>);
}

async function ask<Answer>(question: Ask, inputs: [Input, string | undefined][], digest: boolean): Promise<Answer> {
  const compiled = await (module ??= load());
  const sources: Source[] = [];
  try {
    for (const [input, name] of inputs) sources.push(await openSource(input, name));
    const answered = JSON.parse(new TextDecoder().decode(answer(compiled, question, sources, digest))) as Answer & { failed?: string };
    if (typeof answered.failed === "string") throw new Error(answered.failed);
    return answered;
  } finally {
    for (const source of sources) source.close();
  }
}

/** A file with its options. Each call reads the bytes that it needs again, so there is nothing to close. */
export class Model {
  constructor(private readonly input: Input, private readonly options: Options = {}) {}

  private inputs(): [Input, string | undefined][] {
    return [[this.input, this.options.name], ...(this.options.data ?? []).map((data): [Input, undefined] => [data, undefined])];
  }

  /** The verdict and the findings: an item of `files` in the output of `torchproof check --format json`. */
  check(): Promise<Check> {
    return ask("check", this.inputs(), false);
  }

  /** What a build needs to load the program: `torchproof needs --format json`. */
  needs(): Promise<Needs> {
    return ask("needs", this.inputs(), false);
  }

  /** What is in the file: `torchproof inspect --format json`. */
  inspect(): Promise<Inspect> {
    return ask("inspect", this.inputs(), this.options.digest ?? false);
  }

  /** What changed between this file and a newer one: `torchproof diff --format json`. */
  diff(newer: Model): Promise<Diff> {
    const both: [Input, string | undefined][] = [[this.input, this.options.name], [newer.input, newer.options.name]];
    return ask("diff", both, this.options.digest ?? true);
  }
}

/** Opens bytes, a `Blob` or, in Node, the path of a file. Fails if there is no such file. */
export async function open(input: Input, options: Options = {}): Promise<Model> {
  for (const one of [input, ...(options.data ?? [])]) (await openSource(one)).close();
  return new Model(input, options);
}

export function check(input: Input, options: Options = {}): Promise<Check> {
  return new Model(input, options).check();
}

export function needs(input: Input, options: Options = {}): Promise<Needs> {
  return new Model(input, options).needs();
}

export function inspect(input: Input, options: Options = {}): Promise<Inspect> {
  return new Model(input, options).inspect();
}

export function diff(older: Input, newer: Input, options: Options = {}): Promise<Diff> {
  return new Model(older, options).diff(new Model(newer));
}
