// What a drop means: one file, a program with its data files, a comparison, or several files.

export type Kind = "program" | "data" | "other";

export interface Dropped {
  file: File;
  kind: Kind;
}

export type Plan =
  | { show: "compare"; a: File; b: File }
  | { show: "files"; groups: File[][] };

/** Tells the kind by the identifier at byte 4, because the name of a file proves nothing. */
export async function kindOf(file: File): Promise<Kind> {
  const identifier = new TextDecoder("latin1").decode(await file.slice(4, 8).arrayBuffer());
  if (/^(ET|BP)[0-9]{2}$/.test(identifier)) return "program";
  return /^FT[0-9]{2}$/.test(identifier) ? "data" : "other";
}

/** Compares two files of one kind. Otherwise, shows each program together with all data files, and every other file alone. */
export function plan(dropped: Dropped[]): Plan {
  const of = (kind: Kind) => dropped.filter((one) => one.kind === kind).map(({ file }) => file);
  const [programs, data, others] = [of("program"), of("data"), of("other")];
  const [a, b] = programs.length > 0 ? programs : data;
  const isPair = dropped.length === 2 && a && b && (programs.length === 2 || data.length === 2);
  if (isPair) return { show: "compare", a, b };
  return { show: "files", groups: [...programs.map((program) => [program, ...data]), ...data.map((file) => [file]), ...others.map((file) => [file])] };
}

/** The files of a drop, and a sentence about what could not be opened. */
export function taken(transfer: DataTransfer): { files: File[]; complaint: string } {
  const items = [...transfer.items];
  const folder = items.map((item) => item.webkitGetAsEntry?.()).find((entry) => entry?.isDirectory);
  if (folder) return { files: [], complaint: `${folder.name} is a folder; drop the files in it.` };
  const files = [...transfer.files];
  return { files, complaint: files.length > 0 ? "" : "The drop contained no file; drop files from a folder of this computer." };
}
