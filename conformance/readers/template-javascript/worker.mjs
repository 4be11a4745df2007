// An adapter for torchproof: call your reader in `read`, and describe the reader in the constant `reader`.

import * as fs from "node:fs";
import * as readline from "node:readline";

// List only the stages that your reader distinguishes. Remove "bundled" if your reader does not read bundled programs.
const reader = {
    ...{ name: "template", version: "0", language: "javascript", formats: ["pte", "ptd", "ptd-legacy"] },
    ...{ stages: ["header", "structure", "meta", "method", "data"], capabilities: ["bundled"] },
};

// Reads the files of a case. Each file has a `role` ("program", "data" or "bundled"), a `path` and a `size`.
//
// An exception that leaves this function ends the worker and counts as a crash of your reader. Call reject() only for
// the exceptions that your reader throws to reject a file.
async function read(files) {
    enter("header");
    for (const file of files) {
        let bytes;
        try {
            bytes = fs.readFileSync(file.path);
            if (bytes.length < file.size) throw new Error(`found ${bytes.length} bytes, expected at least ${file.size}`);
        } catch (error) {
            return { outcome: "error", message: error.message }; // your reader is not at fault
        }
        const identifier = bytes.toString("latin1", 4, 8);
        if (!["ET12", "FT01", "BP08"].includes(identifier)) return reject("header", `the identifier is ${identifier}`);
    }
    enter("data");
    return accept();
}

const accept = () => ({ outcome: "accept" });

// Convert the message to valid Unicode, because a JavaScript string can contain half a surrogate pair.
const reject = (stage, message) => ({ outcome: "reject", stage, message: Buffer.from(message).toString() });

// Prints the name of the stage that starts now, so that reports can state in which stage your reader crashed.
const enter = (stage) => fs.writeSync(2, `torchproof-stage: ${stage}\n`);

// Redirect the output of your reader to stderr, because the runner reads replies from stdout.
console.log = console.info = console.debug = console.error;

async function answer(request) {
    if (request.op === "hello") return { protocol: 1, ...reader };
    if (request.op !== "read") return { error: `unknown op ${request.op}` };
    // An accept reply means that the reader reached the requested stage.
    return { seq: request.seq, stage: request.stage, ...(await read(request.files)) };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    if (request.op === "bye") break;
    process.stdout.write(JSON.stringify(await answer(request)) + "\n");
}
