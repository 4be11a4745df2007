// An adapter for torchproof: put calls of your reader into `read`, and say what it is in the lines above it.

import * as fs from "node:fs";
import * as readline from "node:readline";

// Of the stages, leave those that your reader can tell apart.
const reader = {
    ...{ name: "template", version: "0", language: "javascript", formats: ["pte", "ptd", "ptd-legacy"] },
    ...{ stages: ["header", "structure", "meta", "method", "data"], capabilities: [] },
};

// Reads files that are loaded together, each with its `role` ("program" or "data"), its `path` and its `size`.
//
// An exception that leaves this function ends the worker, and counts as a crash of your reader: turn those that are its way to
// refuse a file, and no others, into reject().
async function read(files) {
    enter("header");
    for (const file of files) {
        let bytes;
        try {
            bytes = fs.readFileSync(file.path);
            if (bytes.length < file.size) throw new Error("the file is cut short");
        } catch (error) {
            return { outcome: "error", message: error.message }; // which says nothing of your reader
        }
        const identifier = bytes.toString("latin1", 4, 8);
        if (!["ET12", "FT01"].includes(identifier)) return reject("header", `the identifier is ${identifier}`);
    }
    enter("data");
    return accept();
}

const accept = () => ({ outcome: "accept" });

// The message may be any string: half a pair of surrogates is no Unicode.
const reject = (stage, message) => ({ outcome: "reject", stage, message: Buffer.from(message).toString() });

// Says which stage begins, so that a crash is told with its stage.
const enter = (stage) => fs.writeSync(2, `torchproof-stage: ${stage}\n`);

// What your reader prints must not be taken for an answer.
console.log = console.info = console.debug = console.error;

async function answer(request) {
    if (request.op === "hello") return { protocol: 1, ...reader };
    if (request.op !== "read") return { error: `unknown op ${request.op}` };
    // To accept is to have read as far as was asked.
    return { seq: request.seq, stage: request.stage, ...(await read(request.files)) };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    if (request.op === "bye") break;
    process.stdout.write(JSON.stringify(await answer(request)) + "\n");
}
