// Builds everything: `node build.mjs`. With `--check`, it fails if a committed script or style of HTML reports differs from the
// built one. With `--pages`, it uses the WebAssembly module of the last build. With `--viewer`, it builds only those of HTML reports,
// which takes a second.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { brotliCompressSync } from "node:zlib";

import { build } from "vite";

const root = new URL(".", import.meta.url).pathname;
process.chdir(root);
const REPORTS = ["model/assets/viewer", "src/report/html/page"].flatMap((name) => [".js", ".css"].map((end) => `../conformance/${name}${end}`));
const MOST_WASM = 400 * 1024;

function run(program, ...args) {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28 });
}

function wasm() {
  const target = process.env.CARGO_TARGET_DIR ?? "../target";
  const triple = "wasm32-unknown-unknown";
  run("cargo", "build", "--quiet", "--locked", "--package", "torchproof-web", "--target", triple, "--profile", "web", "--target-dir", target);
  const features = ["bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue"];
  run("node_modules/.bin/wasm-opt", "-O3", ...features.map((name) => `--enable-${name}`), `${target}/${triple}/web/torchproof_web.wasm`, "-o", "dist/torchproof.wasm");
  const size = brotliCompressSync(readFileSync("dist/torchproof.wasm")).length;
  console.log(`torchproof.wasm: ${size} bytes with brotli`);
  if (size > MOST_WASM) throw new Error(`found ${size} bytes with brotli, expected at most ${MOST_WASM}`);
}

// What the builds contain, with the licenses. The permissive ones are those that ../deny.toml and this list allow.
function licenses() {
  const bundled = JSON.parse(readFileSync("node_modules/d3-hierarchy/package.json", "utf8"));
  if (bundled.license !== "ISC") throw new Error(`found the license ${bundled.license} of d3-hierarchy, expected ISC`);
  const crates = run("cargo", "tree", "--locked", "--package", "torchproof-web", "--target", "wasm32-unknown-unknown", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}: {l}");
  const lines = new Set(crates.split("\n").map((line) => line.replace(/ \([^)]*\)/g, "").trim()).filter((line) => line && !line.startsWith("torchproof")));
  const text = readFileSync("node_modules/d3-hierarchy/LICENSE", "utf8");
  return `torchproof: MIT OR Apache-2.0\n\nIn the WebAssembly module:\n${[...lines].sort().join("\n")}\n\nIn the pages: d3-hierarchy ${bundled.version}\n${text}`;
}

function reports() {
  return REPORTS.map((path) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return "";
    }
  });
}

function npm(list) {
  const source = JSON.parse(readFileSync("package.json", "utf8"));
  const { name, version, description, license, type, keywords, engines } = source;
  const made = {
    name, version, description, license, type, keywords, engines,
    exports: { ".": { types: "./types/npm/index.d.ts", default: "./index.js" }, "./torchproof.wasm": "./torchproof.wasm" },
    types: "./types/npm/index.d.ts",
    sideEffects: false,
  };
  writeFileSync("dist/npm/package.json", `${JSON.stringify(made, null, 2)}\n`);
  copyFileSync("dist/torchproof.wasm", "dist/npm/torchproof.wasm");
  for (const file of ["src/npm/README.md", "../LICENSE-APACHE", "../LICENSE-MIT"]) copyFileSync(file, `dist/npm/${basename(file)}`);
  run("node_modules/.bin/tsc", "-p", "tsconfig.npm.json");
  writeFileSync("dist/npm/LICENSES.txt", list);
}

const before = reports();
if (process.argv.includes("--viewer")) {
  for (const mode of ["viewer", "run"]) await build({ mode, logLevel: "warn" });
  process.exit();
}
run("node_modules/.bin/tsc", "-p", ".");
if (!process.argv.includes("--pages")) {
  rmSync("dist", { recursive: true, force: true });
  mkdirSync("dist");
  wasm();
}
for (const mode of ["viewer", "run", "page", "single", "npm"]) await build({ mode, logLevel: "warn" });
const list = licenses();
for (const folder of ["page", "single"]) writeFileSync(`dist/${folder}/LICENSES.txt`, list);
npm(list);
for (const file of readdirSync("dist", { recursive: true })) {
  const { size } = statSync(`dist/${file}`);
  if (/\.(html|js|css|wasm)$/.test(file)) console.log(`dist/${file}: ${size} bytes`);
}
console.log(`\n${list.split("\n\n").slice(0, 2).join("\n\n")}`);
if (process.argv.includes("--check") && reports().some((text, at) => text !== before[at])) {
  throw new Error(`found changes of ${REPORTS.join(" or ")}, expected the committed files; run \`npm run build\` and commit them`);
}
