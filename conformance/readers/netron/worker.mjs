// An adapter for Netron's reader of ExecuTorch programs, which opens a program as the viewer does, but without a window.
//
//     meta   ModelFactory.match and ModelFactory.open: header, tables, blobs of delegates, graphs
//     data   the displayed values of every tensor with values
//
// setup.sh copies this file into the folder that contains Netron.

import * as fs from "node:fs";
import * as readline from "node:readline";

const folder = new URL("./wheel/netron/", import.meta.url);
const load = (name) => import(new URL(name, folder));
const [executorch, base, flatbuffers, node] = await Promise.all(
    ["executorch.js", "base.js", "flatbuffers.js", "node.js"].map(load),
);
const { version } = JSON.parse(fs.readFileSync(new URL("package.json", folder)));

const description = {
    ...{ protocol: 1, name: "netron", version, language: "javascript" },
    ...{ formats: ["pte"], stages: ["meta", "data"], capabilities: ["constant-buffer"] },
};

// The parts of the viewer's context that Netron's reader uses.
class Context {
    constructor(path) {
        const { size, mtimeMs } = fs.statSync(path);
        this.identifier = "model.pte";
        this.stream = new node.FileStream(path, 0, size, mtimeMs);
    }

    async peek(type) {
        if (type !== "flatbuffers.binary") return undefined;
        // After an error here, the viewer assumes that the file is of another kind.
        try {
            return flatbuffers.BinaryReader.open(this.stream) ?? undefined;
        } catch {
            return undefined;
        }
    }

    async read(type) {
        if (type !== "binary") throw new Error(`the adapter does not support '${type}'`);
        return base.BinaryReader.open(this.stream);
    }

    async require(id) {
        return load(`${id}.js`);
    }

    async asset(name) {
        return fs.readFileSync(new URL(name, folder), "utf8");
    }

    set(type, value) {
        this.type = type;
        this.value = value;
        return type;
    }

    // The viewer reports minor errors here, and still displays the model.
    error() {}
}

const enter = (stage) => fs.writeSync(2, `torchproof-stage: ${stage}\n`);

// Messages about features that Netron does not support, which do not mean that the file is invalid.
const unknown = [
    /^Operator schema for '.*' not found\.$/s,
    /^ExecuTorch delegate '.*' not implemented\.$/s,
    /^(Extra tensor info|Tensor allocation info|executorch_flatbuffer\.BoolList) not implemented\.$/,
];

// The viewer displays any error in a dialog, so each is a rejection.
function rejected(stage, error) {
    const message = Buffer.from(`${error?.name}: ${error?.message}`).toString();
    if (unknown.some((words) => words.test(error?.message))) return { outcome: "unsupported", message };
    return { outcome: "reject", stage, message };
}

async function read({ files, stage: until }) {
    const models = [];
    enter("open");
    const contexts = [];
    try {
        for (const { path, size } of files) {
            const context = new Context(path);
            const have = context.stream.length;
            if (have < size) throw new Error(`${path}: found ${have} bytes, expected at least ${size}`);
            contexts.push(context);
        }
    } catch (error) {
        return { outcome: "error", message: error.message };
    }
    enter("meta");
    try {
        for (const context of contexts) {
            const factory = new executorch.ModelFactory();
            if (!(await factory.match(context))) throw new Error("Unsupported file content.");
            models.push(await factory.open(context));
        }
    } catch (error) {
        return rejected("meta", error);
    }
    if (until === "meta") return { outcome: "accept", stage: until };
    enter("data");
    try {
        for (const model of models) model.modules.forEach(show);
    } catch (error) {
        return rejected("data", error);
    }
    return { outcome: "accept", stage: until };
}

// Reads the values of every tensor, but no more than the viewer displays.
function show(graph) {
    const seen = new Set();
    const places = [graph, ...graph.nodes].flatMap((place) => [...place.inputs, ...place.outputs]);
    for (const value of places.flatMap((place) => place.value)) {
        if (!value?.initializer || seen.has(value.initializer)) continue;
        seen.add(value.initializer);
        const tensor = new base.Tensor(value.initializer);
        if (!tensor.empty) tensor.toString();
    }
}

// The runner reads replies from stdout.
console.log = console.info = console.debug = console.error;

async function answer(request) {
    if (request.op === "hello") return description;
    if (request.op !== "read") return { error: `unknown op ${request.op}` };
    return { seq: request.seq, ...(await read(request)) };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    if (request.op === "bye") process.exit(0);
    process.stdout.write(JSON.stringify(await answer(request)) + "\n");
}
