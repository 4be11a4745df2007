// The builds: `viewer` (the script and the style of pages about models), `run` (the same for the report of a run), `page` (for a server), `single` (one file, which also opens
// from a disk) and `npm` (the package).

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

import { type BuildOptions, defineConfig, type Plugin } from "vite";

const WASM = new URL("dist/torchproof.wasm", import.meta.url);

/** The module `virtual:wasm`: compiles the WebAssembly module, which is a file of its own or in the script. */
function wasm(inline: boolean): Plugin {
  return {
    name: "wasm",
    resolveId: (id) => (id === "virtual:wasm" ? "\0virtual:wasm" : undefined),
    load(id) {
      if (id !== "\0virtual:wasm") return undefined;
      if (!inline) {
        const file = this.emitFile({ type: "asset", name: "torchproof.wasm", source: readFileSync(WASM) });
        return `export default () => WebAssembly.compileStreaming(fetch(import.meta.ROLLUP_FILE_URL_${file}));`;
      }
      const packed = gzipSync(readFileSync(WASM), { level: 9 }).toString("base64");
      return `export default () => {
        const packed = Uint8Array.from(atob("${packed}"), (letter) => letter.charCodeAt(0));
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
        return WebAssembly.compileStreaming(new Response(stream, { headers: { "content-type": "application/wasm" } }));
      };`;
    },
  };
}

/** Puts the license of the bundled package before the script, because its license requires that. */
function notice(): Plugin {
  const license = readFileSync(new URL("node_modules/d3-hierarchy/LICENSE", import.meta.url), "utf8").trim();
  return {
    name: "notice",
    enforce: "post",
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) if (file.type === "chunk") file.code = `/*! d3-hierarchy\n${license} */\n${file.code}`;
    },
  };
}

const POLICY = "default-src 'none'; worker-src blob:; base-uri 'none'; form-action 'none'; img-src data:";

/** Writes the content security policy. With `inline`, the page contains its script and its style. */
function finish(inline: boolean): Plugin {
  return {
    name: "finish",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") return;
      let html = String(page.source);
      const allowed = { script: "'self'", style: "'self'", connect: "connect-src 'self'" };
      if (inline) {
        const put = (tag: "script" | "style", pattern: RegExp, open: string) => {
          html = html.replace(pattern, (_tag, name: string) => {
            const file = bundle[name];
            const text = file?.type === "chunk" ? file.code : String(file?.source ?? "");
            const safe = text.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
            delete bundle[name];
            allowed[tag] = `'sha256-${createHash("sha256").update(safe).digest("base64")}'`;
            return `${open}${safe}</${tag}>`;
          });
        };
        put("script", /<script type="module"[^>]* src="\.\/([^"]+)"><\/script>/, '<script type="module">');
        put("style", /<link rel="stylesheet"[^>]* href="\.\/([^"]+)">/, "<style>");
        allowed.connect = "connect-src 'none'";
      }
      const policy = `${POLICY}; script-src ${allowed.script} 'wasm-unsafe-eval'; style-src ${allowed.style}; ${allowed.connect}`;
      page.source = html.replace("POLICY", policy);
    },
  };
}

const target = "es2022";
// Browsers with the function light-dark(), so that its replacement does not lose the button for the color scheme.
const cssTarget = ["chrome123", "firefox120", "safari17.5"];

/** Builds a script and a style that the command embeds. */
function report(entry: string, folder: string, name: string): BuildOptions {
  const lib = { entry, formats: ["iife" as const], name: "torchproof", fileName: () => `${name}.js`, cssFileName: name };
  return { target, cssTarget, outDir: `../conformance/${folder}`, emptyOutDir: false, lib };
}

export default defineConfig(({ mode }) => {
  switch (mode) {
    case "viewer":
      return { plugins: [notice()], build: report("src/view/report.ts", "model/assets", "viewer") };
    case "run":
      return { build: report("src/run/run.ts", "src/report/html", "page") };
    case "page":
    case "single":
      return {
        base: "./",
        plugins: [wasm(mode === "single"), notice(), finish(mode === "single")],
        build: { target, cssTarget, outDir: `dist/${mode}`, modulePreload: false, assetsInlineLimit: 0, cssCodeSplit: false },
      };
    case "npm":
      return { build: { target, outDir: "dist/npm", minify: false, lib: { entry: "src/npm/index.ts", formats: ["es"], fileName: () => "index.js" } } };
    default:
      throw new Error(`found mode ${mode}, expected viewer, run, page, single or npm`);
  }
});
