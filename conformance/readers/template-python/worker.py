"""An adapter for torchproof: call your reader in `read`, and describe the reader in the constants from `NAME` to `STAGES`."""

import json, os, sys

# List only the stages that your reader distinguishes. Remove "bundled" if your reader does not read bundled programs.
NAME, VERSION, LANGUAGE, CAPABILITIES = "template", "0", "python", ["bundled"]
FORMATS, STAGES = ["pte", "ptd", "ptd-legacy"], ["header", "structure", "meta", "method", "data"]


# Reads the files of a case. Each file has a "role" ("program", "data" or "bundled"), a "path" and a "size".
#
# An exception that leaves this function ends the worker and counts as a crash of your reader. Call reject() only for
# the exceptions that your reader raises to reject a file.
def read(files):
    enter("header")
    for file in files:
        try:
            identifier = open(file["path"], "rb").read(8)[4:]
            if os.path.getsize(file["path"]) < file.get("size", 0):
                raise OSError(f"found fewer bytes than expected: {file['size']}")
        except OSError as error:
            return {"outcome": "error", "message": str(error)}  # your reader is not at fault
        if identifier not in (b"ET12", b"FT01", b"BP08"):
            return reject("header", f"the identifier is {identifier}")
    enter("data")
    return accept()


def accept():
    return {"outcome": "accept"}


def reject(stage, message):
    return {"outcome": "reject", "stage": stage, "message": message}


# Prints the name of the stage that starts now, so that reports can state in which stage your reader crashed.
def enter(stage):
    print("torchproof-stage:", stage, file=sys.stderr, flush=True)


def main():
    # Write replies to a duplicate of stdout, so that the runner does not mistake output of your reader for a reply.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "bye":
            break
        elif request["op"] == "hello":
            answer = {"protocol": 1, "name": NAME, "version": VERSION, "language": LANGUAGE}
            answer |= {"formats": FORMATS, "stages": STAGES, "capabilities": CAPABILITIES}
        elif request["op"] == "read":
            # An accept reply means that the reader reached the requested stage.
            answer = {"seq": request["seq"], "stage": request["stage"]} | read(request["files"])
        else:
            answer = {"error": f"unknown op {request['op']}"}
        answers.write(json.dumps(answer, ensure_ascii=False).encode(errors="replace") + b"\n")
        answers.flush()


main()
