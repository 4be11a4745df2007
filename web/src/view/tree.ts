// The parts of a file as a tree: groups by role, method, backend or dtype, and below them the components of dotted names.

import { type Inspect, list, rows, word } from "./model.ts";
import { groupColors } from "./palette.ts";
import { counted, number, partName, plain, size } from "./text.ts";

export interface Piece {
  name: string;
  bytes: number;
  color: string;
  /** The parts below this piece. */
  parts: number[];
  children: Piece[];
  parent: Piece | undefined;
}

export const GROUPINGS = ["role", "method", "backend", "dtype"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export function groupOf(file: Inspect, grouping: Grouping, part: number): string {
  const { parts } = file.bytes;
  switch (grouping) {
    case "role":
      return word(parts.role, part);
    case "backend":
      return plain(word(parts.backend, part), 60) || "no backend";
    case "dtype":
      return file.tensor_types[parts.tensor[part] ?? -1]?.dtype ?? "no dtype";
    case "method": {
      const users = list(parts.methods, part);
      if (users.length === 0) return "no method";
      const names = users.slice(0, 3).map((at) => plain(file.methods[at]?.name ?? `method ${at}`, 40));
      return users.length > 3 ? `${number(users.length)} methods` : names.join(" + ");
    }
  }
}

function piece(name: string, color: string, parent: Piece | undefined): Piece {
  return { name, bytes: 0, color, parts: [], children: [], parent };
}

// The maximum depth for a name with dots, which is a path of modules. Nobody would zoom through a longer path.
const DEEPEST = 12;

/** The whole file as a tree. It is built in one pass, because a file can have many thousand parts. */
export function tree(file: Inspect, grouping: Grouping): Piece {
  const { parts } = file.bytes;
  const all = rows(parts.offset.length).filter((part) => (parts.bytes[part] ?? 0) > 0);
  const colors = groupColors([...new Set(all.map((part) => groupOf(file, grouping, part)))]);
  const root = piece("whole file", "--pad", undefined);
  const inner = new Map<Piece, Map<string, Piece>>();
  const child = (above: Piece, name: string, color: string): Piece => {
    let known = inner.get(above);
    if (!known) inner.set(above, (known = new Map()));
    let found = known.get(name);
    if (!found) {
      known.set(name, (found = piece(name, color, above)));
      above.children.push(found);
    }
    return found;
  };
  for (const part of all) {
    const group = groupOf(file, grouping, part);
    const path = (parts.name[part] ?? "").split(".", DEEPEST).slice(0, -1);
    const color = colors.get(group) ?? "--c7";
    let at = child(root, group, color);
    if (grouping !== "role") at = child(at, word(parts.role, part), color);
    for (const module of path) at = child(at, plain(module, 60), color);
    const leaf = { ...piece(partName(file, part), color, at), bytes: parts.bytes[part] ?? 0, parts: [part] };
    at.children.push(leaf);
  }
  total(root);
  return root;
}

function total(above: Piece): void {
  for (const below of above.children) {
    if (below.children.length > 0) total(below);
    above.bytes += below.bytes;
    for (const part of below.parts) above.parts.push(part);
  }
  above.children.sort((a, b) => b.bytes - a.bytes);
  // Skip modules with a single piece, which would add a level without a choice.
  const [only] = above.children;
  if (above.children.length === 1 && only && only.children.length > 0 && above.parent?.parent) {
    above.name = `${above.name}.${only.name}`;
    above.children = only.children;
    for (const below of above.children) below.parent = above;
  }
}

/** At most `most` pieces: the largest children, and the others in groups of similar size. */
export function largest(above: Piece, most: number): Piece[] {
  const { children } = above;
  if (children.length <= most) return children;
  const alone = Math.floor(most / 2);
  const each = Math.ceil((children.length - alone) / (most - alone));
  const shown = children.slice(0, alone);
  for (let at = alone; at < children.length; at += each) {
    const some = children.slice(at, at + each);
    const bytes = some.reduce((sum, below) => sum + below.bytes, 0);
    const range = `${size(some.at(-1)?.bytes ?? 0)} to ${size(some[0]?.bytes ?? 0)}`;
    const parts = some.flatMap((below) => below.parts);
    shown.push({ name: `${counted(some.length, "piece")} of ${range}`, bytes, color: above.color, parts, children: some, parent: above });
  }
  return shown;
}
