// The npm package, installed from its archive, answers what the command answers.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { real, ROOT, run, scratch } from "./browser.mjs";

let folder;
let torchproof;

before(async (suite) => {
  folder = scratch(suite);
  const npm = (...args) => execFileSync("npm", args, { cwd: folder, encoding: "utf8" });
  const archive = npm("pack", "--silent", join(ROOT, "web/dist/npm")).trim();
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  npm("install", "--silent", "--offline", "--no-audit", `./${archive}`);
  writeFileSync(join(folder, "index.js"), 'export * from "torchproof";');
  torchproof = await import(pathToFileURL(join(folder, "index.js")).href);
});

const PROGRAMS = ["linear.pte", "mlp_xnnpack.pte", "multi_method.pte", "mutable_state.pte", "linear_v0.2.0.pte"];

test("check answers the same as the command", async () => {
  for (const name of [...PROGRAMS, "linear_external.ptd", "legacy_v0.6.0_tensors.ptd"]) {
    const [expected] = JSON.parse(run("check", "--format", "json", real(name))).files;
    const found = await torchproof.check(real(name));
    assert.deepEqual({ ...found, path: expected.path }, expected);
  }
});

test("needs and inspect answer the same as the command", async () => {
  for (const name of PROGRAMS) {
    const model = await torchproof.open(real(name));
    for (const ask of ["needs", "inspect"]) {
      const expected = run(ask, "--format", "json", real(name)).replaceAll(JSON.stringify(real(name)).slice(1, -1), name);
      assert.deepEqual(await model[ask](), JSON.parse(expected), `${ask} ${name}`);
    }
  }
});

test("a program is answered with its data files", async () => {
  const data = [real("linear_external.ptd")];
  assert.equal((await torchproof.check(real("linear_external.pte"))).unresolved, 2);
  assert.equal((await torchproof.check(real("linear_external.pte"), { data })).unresolved, undefined);
  const rejected = join(ROOT, "corpus/files/ptd/layout/larger-than-segment.ptd");
  const { verdict, findings } = await torchproof.check(real("linear_external.pte"), { data: [rejected] });
  assert.deepEqual([verdict, findings[0].rule, findings[0].companion], ["reject", "ft-layout-fits-segment", "larger-than-segment.ptd"]);
});

test("diff answers the same as the command", async () => {
  const expected = JSON.parse(run("diff", "--format", "json", real("linear.pte"), real("conv.pte")));
  assert.deepEqual(await torchproof.diff(real("linear.pte"), real("conv.pte")), expected);
  assert.ok(expected.changes.length > 0);
  assert.equal((await torchproof.diff(real("linear.pte"), real("linear.pte"))).same, true);
});

test("bytes, a Blob and a path of the same file have the same answer", async () => {
  const bytes = readFileSync(real("linear.pte"));
  const name = "linear.pte";
  const expected = await torchproof.inspect(real(name));
  for (const input of [new Uint8Array(bytes), new Blob([bytes]), bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)]) {
    assert.deepEqual(await torchproof.inspect(input, { name }), expected);
  }
});

test("a file that is absent or empty has an error or a finding", async () => {
  await assert.rejects(torchproof.open("absent.pte"), /ENOENT/);
  const empty = await torchproof.check(new Uint8Array());
  assert.deepEqual([empty.verdict, empty.findings[0].rule], ["reject", "fb-min-size"]);
});

test("the types describe the answers", () => {
  writeFileSync(
    join(folder, "use.ts"),
    `import { diff, inspect, open, type Inspect } from "torchproof";
     const model = await open("a.pte", { data: ["a.ptd"], digest: true });
     const answer: Inspect = await model.inspect();
     export const names: string[] = answer.methods.map((method) => method.name);
     export const verdict: "accept" | "reject" | "unexamined" = (await inspect(new Uint8Array())).check.verdict;
     export const same: boolean = (await diff("a.pte", "b.pte")).same;
     // @ts-expect-error: a number is no file
     void inspect(1);`,
  );
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom", "--types", ""];
  execFileSync(join(ROOT, "web/node_modules/.bin/tsc"), [...options, "use.ts"], { cwd: folder, stdio: "inherit" });
});
