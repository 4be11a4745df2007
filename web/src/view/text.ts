// Text of numbers, names and types.

import { type Inspect, type Method, type TensorType, list, word } from "./model.ts";

const grouped = new Intl.NumberFormat("en-US");

export function number(value: number): string {
  return grouped.format(value);
}

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${number(count)} ${count === 1 ? noun : plural}`;
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${number(bytes)} B`;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  const value = bytes / 1024 ** power;
  return `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : number(Math.round(value))} ${units[power - 1]}`;
}

/** The size, and the exact number of bytes if the size is rounded. */
export function exactSize(bytes: number): string {
  return bytes < 1024 ? size(bytes) : `${size(bytes)} (${number(bytes)} bytes)`;
}

export function hex(offset: number): string {
  return `0x${offset.toString(16)}`;
}

export function share(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  const percent = (100 * part) / whole;
  return percent < 0.1 ? "< 0.1 %" : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

// Names come from the file. Invisible characters and those that change the direction of text could disguise a name.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

const USUAL = /^[ -~]*$/;

/** A name from a file, with hidden characters escaped, truncated to `most` characters. */
export function plain(name: string, most = 240): string {
  const cut = name.length > most ? `${name.slice(0, most)}… (${counted(name.length, "character")})` : name;
  return USUAL.test(cut) ? cut : cut.replace(HIDDEN, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);
}

export function typeText(type: TensorType | undefined): string {
  if (!type) return "";
  const bound = type.dynamism === "DYNAMIC_BOUND" ? "≤" : type.dynamism === "DYNAMIC_UNBOUND" ? "any size, now " : "";
  const order = type.dim_order.every((dimension, at) => dimension === at) ? "" : ` order [${type.dim_order.join(", ")}]`;
  return `${type.dtype} ${bound}[${type.sizes.join(", ")}]${order}`;
}

export function partName(file: Inspect, part: number): string {
  const { role, name, index } = file.bytes.parts;
  if (name[part]) return plain(name[part]);
  return (index[part] ?? -1) < 0 ? word(role, part) : `${word(role, part)} ${index[part]}`;
}

export function valueName(method: Method, value: number): string {
  const name = word(method.values.name, value);
  return name ? plain(name) : `value ${value}`;
}

/** The type of a tensor, or the text of another value. */
export function valueText(file: Inspect, method: Method, value: number): string {
  const tensor = method.values.tensor[value] ?? -1;
  if (tensor >= 0) return typeText(file.tensor_types[tensor]);
  const shown = word(method.values.shown, value);
  return [word(method.values.type, value), plain(shown, 80)].filter(Boolean).join(" ");
}

export function targetName(method: Method, instruction: number): string {
  const { kind, target } = method.instructions;
  const at = target[instruction] ?? -1;
  switch (word(kind, instruction)) {
    case "kernel":
      return plain(method.operators.name[at] ?? `operator ${at}`);
    case "delegate":
      return plain(method.delegates[at]?.backend ?? `delegate ${at}`);
    case "jump":
      return `jump to ${at}`;
    default:
      return word(kind, instruction);
  }
}

/** The types of the values that an instruction writes. */
export function writtenText(file: Inspect, method: Method, instruction: number): string {
  return list(method.instructions.writes, instruction)
    .map((value) => valueText(file, method, value))
    .join(", ");
}
