// The JSON of `torchproof inspect` and `torchproof diff`, and access to its columns.

/** A column of repeated texts; -1 means absent. */
export interface Words {
  words: string[];
  at: number[];
}

/** A column of repeated lists of integers; -1 means absent. */
export interface Lists {
  lists: number[][];
  at: number[];
}

export interface Span {
  offset: number;
  len: number;
}

export interface Finding {
  rule: string;
  strength: "must" | "should" | "may";
  path: string;
  span: Span;
  message: string;
  companion?: string;
}

export interface Check {
  kind: string;
  verdict: "accept" | "reject" | "unexamined";
  findings: Finding[];
  error?: string;
  note?: string | undefined;
  unresolved?: number;
  omitted?: number;
}

export interface TensorType {
  dtype: string;
  sizes: number[];
  dim_order: number[];
  dynamism: string;
  elements?: number;
  bytes?: number;
}

export interface Parts {
  role: Words;
  name: string[];
  index: number[];
  tensor: number[];
  methods: Lists;
  backend: Words;
  offset: number[];
  bytes: number[];
  uses: number[];
  digest?: string[];
}

export interface Total {
  name: string;
  parts: number;
  bytes: number;
}

export interface Port {
  value: number;
  type: string;
  tensor?: number;
}

export interface PlannedTensors {
  value: number[];
  buffer: number[];
  offset: number[];
  bytes: number[];
  first: number[];
  last: number[];
  keeps: boolean[];
}

export interface Plan {
  buffers: { bytes: number; peak: number; device?: string }[];
  tensors: PlannedTensors;
  overlaps?: [number, number][];
  state_bytes: number;
}

export interface Delegate {
  backend: string;
  bytes: number;
  calls: number;
  part?: number;
  states?: string;
  settings?: string[];
}

export interface Instructions {
  kind: Words;
  target: number[];
  args: Lists;
  writes: Lists;
  chain?: number[];
}

export interface Method {
  name: string;
  inputs: Port[];
  outputs: Port[];
  values: { type: Words; tensor: number[]; place: Words; part: number[]; name: Words; shown: Words };
  operators: { name: string[]; calls: number[] };
  delegates: Delegate[];
  instructions: Instructions;
  plan: Plan;
}

interface Arena {
  release: string;
  abi: string;
  bytes: number;
  bytes_with_temporary?: number;
}

export interface Needs {
  programs: { methods: { name: string; arenas: Arena[]; state_bytes: number }[]; data: { key: string; found_in?: string }[] }[];
  backends: Record<string, { bytes: number; delegates: number; absent_from?: string }>;
  operators: Record<string, { calls: number; absent_from?: string; suggestion?: string }>;
}

export interface Inspect {
  file: { name: string; kind: string; bytes: number; version?: number; flatbuffer_bytes?: number };
  check: Check;
  needs?: Needs;
  tensor_types: TensorType[];
  bytes: {
    total: number;
    parameters: number;
    unused: number;
    parts: Parts;
    omitted?: number;
    by_role: Total[];
    by_dtype: Total[];
    by_backend: Total[];
    by_method: Total[];
    equal: { bytes: number; parts: number[] }[];
    equal_unknown?: boolean;
  };
  methods: Method[];
  constant_methods: { name: string; values: string[] }[];
  tests?: { method: string; cases: number; bytes: number }[];
  header: { name: string; value: number | string; meaning: string }[];
  segments: { offset: number[]; bytes: number[]; users: Words };
  omitted?: string[];
}

export interface Change {
  kind: string;
  change: "added" | "removed" | "changed";
  method?: string;
  name: string;
  a?: string;
  b?: string;
  bytes_a?: number;
  bytes_b?: number;
  distance?: { elements: number; differ: number; max: number; mean: number };
}

export interface Diff {
  a: { name: string; kind: string; bytes: number };
  b: { name: string; kind: string; bytes: number };
  same: boolean;
  sizes: { role: string; backend?: string; a: number; b: number }[];
  changes: Change[];
  build: { operators: string[]; backends: string[]; kernel_keys: string[] };
  outside: { added: { name: string; calls: number }[]; removed: { name: string; calls: number }[] };
  unread?: number;
}

/** What a page shows. */
export type Shown =
  | { view: "inspect"; inspect: Inspect }
  | { view: "diff"; diff: Diff; a?: Inspect; b?: Inspect };

/** The place that a search result or a link leads to. */
export type Target =
  | { tab: "bytes" | "file"; part: number }
  | { tab: "file"; finding: number }
  | { tab: "instructions"; method: number; instruction: number }
  | { tab: "memory"; method: number; value: number };

/** A panel that can show a target. */
export interface Panel {
  element: Node;
  go(target: Target): void;
}

const NONE: number[] = [];

export function word(column: Words, row: number): string {
  return column.words[column.at[row] ?? -1] ?? "";
}

export function list(column: Lists, row: number): number[] {
  return column.lists[column.at[row] ?? -1] ?? NONE;
}

/** The numbers 0 to `count` - 1, as rows of a table. */
export function rows(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}
