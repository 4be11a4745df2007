"""An adapter for torchproof: put calls of your reader into `read`, and say what it is in the lines above it."""

import json, os, sys

# Of the stages, leave those that your reader can tell apart.
NAME, VERSION, LANGUAGE = "template", "0", "python"
FORMATS, STAGES, CAPABILITIES = ["pte", "ptd", "ptd-legacy"], ["header", "structure", "meta", "method", "data"], []


# Reads files that are loaded together, each with its "role" ("program" or "data"), its "path" and its "size".
#
# An exception that leaves this function ends the worker, and counts as a crash of your reader: turn those that are its way to
# refuse a file, and no others, into reject().
def read(files):
    enter("header")
    for file in files:
        try:
            identifier = open(file["path"], "rb").read(8)[4:]
            if os.path.getsize(file["path"]) < file.get("size", 0):
                raise OSError("the file is cut short")
        except OSError as error:
            return {"outcome": "error", "message": str(error)}  # which says nothing of your reader
        if identifier not in (b"ET12", b"FT01"):
            return reject("header", f"the identifier is {identifier}")
    enter("data")
    return accept()


def accept():
    return {"outcome": "accept"}


def reject(stage, message):
    return {"outcome": "reject", "stage": stage, "message": message}


# Says which stage begins, so that a crash is told with its stage.
def enter(stage):
    print("torchproof-stage:", stage, file=sys.stderr, flush=True)


def main():
    # Answers have a stream of their own: what your reader prints must not be taken for one.
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
            # To accept is to have read as far as was asked.
            answer = {"seq": request["seq"], "stage": request["stage"]} | read(request["files"])
        else:
            answer = {"error": f"unknown op {request['op']}"}
        answers.write(json.dumps(answer, ensure_ascii=False).encode(errors="replace") + b"\n")
        answers.flush()


main()
