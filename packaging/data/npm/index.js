// Loads the torchproof corpus; index.d.ts has the types.
import { readFileSync } from "node:fs";

const at = (path) => new URL(path, import.meta.url);
const json = (path) => JSON.parse(readFileSync(at(path), "utf8"));

export const corpus = () => json("manifest.json");
export const manifestSchema = () => json("manifest.schema.json");
export const rules = () => json("rules.json").rules;
export const bytes = (path) => new Uint8Array(readFileSync(at(path)));
