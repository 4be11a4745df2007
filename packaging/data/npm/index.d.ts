/** The cases of the torchproof corpus, ordered by id. */
export interface Corpus {
  version: string;
  digest: string;
  cases: Case[];
}

export interface Case {
  id: string;
  title: string;
  why: string;
  /** The program comes before its data files. */
  files: CaseFile[];
  /** `either`: accept or reject, but without a crash or a hang. */
  verdict: "accept" | "reject" | "either";
  rule?: string;
  /** The latest stage at which a reader can safely reject the file. */
  stage?: "open" | "header" | "structure" | "meta" | "method" | "data" | "execute";
  /** The accepted case that differs only in the defect. */
  control?: string;
  /** What a reader must support for this case. */
  needs?: string[];
  /** Only active cases count. */
  status: "active" | "disputed" | "retired";
  /** The path of the JSON with an accepted file's content. */
  expect?: string;
}

export interface CaseFile {
  role: "program" | "data" | "bundled";
  path: string;
  sha256: string;
  size: number;
}

export interface Rule {
  id: string;
  statement: string;
  strength: "must" | "should" | "may";
  basis: "text" | "loader" | "writer" | "policy";
  rationale: string;
}

export function corpus(): Corpus;
/** The JSON schema of the manifest. */
export function manifestSchema(): object;
/** The rules that the cases test. */
export function rules(): Rule[];
/** The content of a path that the manifest names. */
export function bytes(path: string): Uint8Array;
