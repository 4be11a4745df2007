"""Prints a line for each file: its name and whether Python's flatbuffers, which has no verifier, reads every field without an error."""

import sys

from shapes.Node import Node, NodeT

for path in sys.argv[1:]:
    with open(path, "rb") as file:
        data = file.read()
    try:
        accepts = Node.NodeBufferHasIdentifier(data, 0)
        NodeT.InitFromPackedBuf(data)
    except Exception:
        accepts = False
    print(path, "accept" if accepts else "reject", flush=True)
