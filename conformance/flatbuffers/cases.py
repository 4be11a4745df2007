#!/usr/bin/env python3
"""Writes the structure cases over the schema shapes.fbs, for any FlatBuffers verifier: cases.py [FOLDER].

Without FOLDER, the script writes cases.json beside itself: of each case the id, the verdict, the rule of the torchproof corpus, the case
of the corpus with the same defect, the reason, and the bytes in hex. With FOLDER, it writes each file as FOLDER/ID.bin.
"""

import json
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CASES = {}


class File:
    """A FlatBuffer whose parts follow each other in the order of the calls. `at` has the position of each part."""

    def __init__(self, identifier=b"SHAP"):
        self.bytes, self.at = bytearray(4) + identifier, {}

    def align(self, unit, before=0):
        self.bytes += bytes(-(len(self.bytes) + before) % unit)

    def put(self, form, value, at=None):
        data = struct.pack("<" + form, value)
        if at is None:
            self.bytes += data
        else:
            self.bytes[at : at + len(data)] = data

    def get(self, form, at):
        return struct.unpack_from("<" + form, self.bytes, at)[0]

    def point(self, field, name):
        """Sets the offset in a field to the part `name`."""
        self.put("I", self.at[name] - self.at[field], self.at[field])

    def table(self, name, fields, slots=0):
        """Appends a vtable and a table. Each field is (slot, its name, format, value); the format P is a Point."""
        slots = max([slots] + [slot + 1 for slot, *_ in fields])
        place, end = {}, 4
        for slot, _, form, _ in fields:
            size, unit = (16, 8) if form == "P" else (struct.calcsize(form),) * 2
            end += -end % unit
            place[slot] = end
            end += size
        self.align(8, before=4 + 2 * slots)
        self.at[name + ".vtable"] = vtable = len(self.bytes)
        for entry in [4 + 2 * slots, end, *(place.get(slot, 0) for slot in range(slots))]:
            self.put("H", entry)
        self.at[name] = start = len(self.bytes)
        self.put("i", start - vtable)
        for slot, field, form, value in fields:
            self.bytes += bytes(start + place[slot] - len(self.bytes))
            self.at[f"{name}.{field}"] = len(self.bytes)
            self.bytes += struct.pack("<i4xq", *value) if form == "P" else struct.pack("<" + form, value)

    def vector(self, name, form, values, unit=4):
        self.align(max(unit, struct.calcsize(form)), before=4)
        self.at[name] = len(self.bytes)
        self.put("I", len(values))
        for number, value in enumerate(values):
            self.at[f"{name}[{number}]"] = len(self.bytes)
            self.put(form, value)

    def string(self, name, text):
        self.align(4)
        self.at[name] = len(self.bytes)
        self.put("I", len(text))
        self.bytes += text + b"\0"


def base(**options):
    """Returns a file in which every field of the schema is present."""
    file = File(**options)
    file.at["root offset"] = 0
    fields = [(0, "id", "I", 7), (1, "name", "I", 0), (2, "weights", "I", 0), (3, "data", "I", 0), (4, "children", "I", 0), (6, "item", "I", 0)]
    fields += [(5, "item type", "B", 1), (7, "flag", "B", 1), (8, "position", "P", (3, 4)), (9, "labels", "I", 0)]
    file.table("root", fields)
    file.point("root offset", "root")
    file.string("name", b"first")
    file.vector("weights", "q", [1, -2, 3])
    file.vector("data", "B", [1, 2, 3, 4, 5], unit=16)
    file.vector("children", "I", [0, 0])
    file.vector("labels", "I", [0, 0])
    for name in ["name", "weights", "data", "children", "labels"]:
        file.point("root." + name, name)
    file.table("item", [(0, "value", "Q", 9)])
    file.point("root.item", "item")
    for number in range(2):
        file.table(f"child{number}", [(0, "id", "I", number), (5, "item type", "B", 2), (6, "item", "I", 0)] if number else [(0, "id", "I", 1)])
        file.point(f"children[{number}]", f"child{number}")
        file.string(f"label{number}", b"label %d" % number)
        file.point(f"labels[{number}]", f"label{number}")
    file.table("text", [(0, "value", "I", 0)])
    file.point("child1.item", "text")
    file.string("text value", b"text")
    file.point("text.value", "text value")
    file.align(4)
    return file


def case(id, verdict, rule, of, why, change=None):
    """Adds the file that `change` makes of the base."""
    file = base()
    result = change(file) if change else None
    data = bytes(file.bytes if result is None else result)
    CASES[id] = {"id": id, "verdict": verdict, "rule": rule, "like": of, "why": why, "bytes": data.hex()}


def set_to(form, field, value):
    return lambda file: file.put(form, value(file) if callable(value) else value, file.at[field])


def moved_by_one_word(field, form, values):
    """Returns a change that appends a vector whose elements are at 4 mod 8, and uses it in `field`."""

    def change(file):
        file.align(8)
        file.at["moved"] = len(file.bytes)
        file.put("I", len(values))
        for value in values:
            file.put(form, value)
        file.bytes += bytes(4)
        file.point(field, "moved")

    return change


def unaligned_scalar(file):
    file.align(8)
    vtable = len(file.bytes)
    for entry in [6, 12, 4]:
        file.put("H", entry)
    file.align(8)
    file.at["moved"] = len(file.bytes)
    file.put("i", file.at["moved"] - vtable)
    file.put("Q", 9)
    file.align(8)
    file.point("root.item", "moved")


def absent(file, slot):
    file.put("H", 0, file.at["root.vtable"] + 4 + 2 * slot)


def vtable_behind(file):
    vtable = file.bytes[file.at["root.vtable"] : file.at["root"]]
    file.put("i", file.at["root"] - len(file.bytes), file.at["root"])
    file.bytes += vtable


def unknown_slot(file):
    vtable = bytearray(file.bytes[file.at["root.vtable"] : file.at["root"]])
    struct.pack_into("<H", vtable, 0, len(vtable) + 2)
    file.put("i", file.at["root"] - len(file.bytes), file.at["root"])
    file.bytes += vtable + struct.pack("<H", 4)
    file.align(4)


def nested(file):
    """Nests children to a depth of 100."""
    file.align(4)
    for depth in range(100):
        file.table(f"deep{depth}", [(0, "id", "I", depth), (4, "children", "I", 0)])
        file.vector(f"below{depth}", "I", [0])
        file.point(f"deep{depth}.children", f"below{depth}")
        file.point(f"below{depth - 1}[0]" if depth else "children[0]", f"deep{depth}")
    file.put("H", 0, file.at["deep99.vtable"] + 4 + 2 * 4)


def end(file):
    return len(file.bytes)


def declare():
    root = "root.vtable"
    case("valid/every-field", "accept", "fb-explicit-default-ok", "pte/valid/everything", "Every field of the schema is present.")
    case("valid/no-field", "accept", "fb-explicit-default-ok", "pte/valid/without-optional-fields", "Every field is absent.",
         lambda file: [absent(file, slot) for slot in range(10)] and None)
    case("valid/default-stored", "accept", "fb-explicit-default-ok", "pte/valid/explicit-defaults", "A field has its default value.", set_to("I", "root.id", 0))
    case("valid/unknown-slot", "accept", "fb-unknown-fields", "pte/valid/unknown-slot", "The vtable has a slot of a newer schema.", unknown_slot)
    case("valid/vtable-behind-table", "accept", "fb-vtable-valid", "pte/valid/vtable-behind-table", "The vtable is behind its table.", vtable_behind)
    case("valid/empty-vector-unaligned", "accept", "fb-alignment", "pte/structure/empty-int-list-unaligned",
         "A vector without elements ends at 4 mod 8, as writers leave it.", moved_by_one_word("root.weights", "q", []))

    for id, of, value, why in [
        ("zero", "root-0", 0, "The root offset is 0."), ("in-identifier", "root-in-identifier", 4, "The root offset points to the identifier."),
        ("max", "root-max", 2**32 - 1, "The root offset is 2^32 − 1."), ("past-end", "root-past-end", end, "The root offset points to the end of the file."),
    ]:
        case(f"root/{id}", "reject", "fb-root-offset-range", f"pte/structure/{of}", why, set_to("I", "root offset", value))
    case("root/unaligned", "reject", "fb-root-aligned", "pte/structure/root-unaligned", "The root table is not at a multiple of 4.",
         set_to("I", "root offset", lambda file: file.at["root"] + 2))
    for id, size in [("empty", 0), ("after-root-offset", 4), ("after-identifier", 8)]:
        case(f"truncated/{id}", "reject", "fb-min-size", f"pte/truncated/{id}", f"The file ends after {size} bytes.", lambda file, size=size: file.bytes[:size])
    case("truncated/inside-string", "reject", "fb-vector-in-bounds", "pte/truncated/headerless-inside-string", "The file ends inside its last string.",
         lambda file: file.bytes[:-6])
    for id, of, text in [("next-version", "next-version", b"SHAQ"), ("zeros", "zeros", bytes(4)), ("swapped", "swapped", b"PAHS")]:
        case(f"identifier/{id}", "reject", "fb-identifier-exact", f"pte/identifier/{of}", "The file has another identifier.",
             lambda file, text=text: file.bytes.__setitem__(slice(4, 8), text))
    case("identifier/size-prefix", "reject", "fb-not-size-prefixed", "pte/identifier/size-prefix", "The size of the file is in front of the root offset.",
         lambda file: struct.pack("<I", len(file.bytes)) + file.bytes)

    for id, value, why in [
        ("before-start", 2**31 - 1, "The vtable is before the file."), ("distance-min", -(2**31), "The distance to the vtable is −2^31."),
        ("past-end", -(2**20), "The vtable is past the end."),
    ]:
        of = {"before-start": "vtable-before-start", "distance-min": "vtable-distance-min", "past-end": "vtable-past-end"}[id]
        case(f"vtable/{id}", "reject", "fb-vtable-valid", f"pte/structure/{of}", why, set_to("i", "root", value))
    for id, value in [("length-0", 0), ("length-odd", 5), ("length-max", 65534)]:
        case(f"vtable/{id}", "reject", "fb-vtable-valid", f"pte/structure/vtable-{id}", f"The length of the vtable is {value}.", set_to("H", root, value))
    case("vtable/unaligned", "reject", "fb-vtable-valid", "pte/structure/vtable-unaligned", "The vtable is at an odd position.",
         lambda file: file.put("i", file.get("i", file.at["root"]) + 1, file.at["root"]))
    case("vtable/field-past-end", "reject", "fb-vtable-valid", "pte/structure/field-past-end", "A field is past the end of the file.",
         lambda file: file.put("H", 0xFFF0, file.at[root] + 4))
    case("vtable/struct-past-end", "reject", "fb-vtable-valid", "pte/structure/field-past-end", "A struct is past the end of the file.",
         lambda file: file.put("H", 0xFFF8, file.at[root] + 4 + 2 * 8))
    case("vtable/object-too-short", "either", "fb-object-size", "pte/structure/object-too-short", "The fields are after the end of the object.",
         lambda file: file.put("H", 4, file.at[root] + 2))

    for id, of, field, value, why in [
        ("zero", "reference-0", "root.children", 0, "An offset is 0."), ("element-zero", "element-0", "children[1]", 0, "An offset in a vector is 0."),
        ("negative", "reference-negative", "root.children", 2**32 - 4, "An offset is 2^32 − 4."),
        ("past-end", "reference-past-end", "root.name", 2**20, "An offset points past the end."),
        ("to-last-byte", "reference-to-last-byte", "root.data", lambda file: end(file) - 1 - file.at["root.data"], "Three bytes of a count are past the end."),
        ("item-past-end", "union-unknown-and-wild", "root.item", 2**20, "The value of a union is past the end."),
    ]:
        case(f"reference/{id}", "reject", "fb-uoffset-valid", f"pte/structure/{of}", why, set_to("I", field, value))
    case("reference/unaligned", "reject", "fb-alignment", "pte/structure/reference-unaligned", "An offset leads to a position that is not a multiple of 4.",
         lambda file: file.put("I", file.get("I", file.at["root.name"]) + 1, file.at["root.name"]))

    for name, value in [("weights", 0x2000_0001), ("data", 0x7FFF_0000), ("children", 0x4000_0001), ("labels", 0x1000_0000), ("name", 0x1000), ("label1", 0x1000)]:
        case(f"length/{name}", "reject", "fb-vector-in-bounds", "pte/structure/vector-too-long", f"The length of `{name}` is forged.", set_to("I", name, value))
    case("length/max", "reject", "fb-vector-in-bounds", "pte/structure/vector-length-max", "A length is 2^32 − 1.", set_to("I", "children", 2**32 - 1))

    case("alignment/elements", "reject", "fb-alignment", "pte/structure/vector-unaligned", "The 64-bit elements of a vector are at 4 mod 8.",
         moved_by_one_word("root.weights", "q", [1, 2]))
    case("alignment/force-align", "either", "fb-force-align", "pte/structure/force-align", "A vector is not at a multiple of 16, as `force_align` asks for.",
         moved_by_one_word("root.data", "B", [1, 2, 3, 4]))
    case("alignment/scalar", "reject", "fb-alignment", "pte/structure/integer-unaligned", "A 64-bit number is at 4 mod 8.", unaligned_scalar)
    case("alignment/table", "reject", "fb-alignment", "ptd-legacy/structure/tensor-unaligned", "A table is at 2 mod 4.",
         lambda file: file.put("I", file.get("I", file.at["children[0]"]) + 2, file.at["children[0]"]))

    last = lambda file: file.at["text value"] + 8
    case("string/not-terminated", "reject", "fb-string-nul", "pte/structure/string-not-terminated", "A string lacks the NUL after its end.",
         lambda file: file.put("B", 33, last(file)))
    case("string/not-utf-8", "either", "fb-string-utf8", "pte/structure/string-not-utf-8", "A string is not UTF-8.", lambda file: file.put("B", 255, file.at["name"] + 4))
    case("string/with-nul", "either", "fb-string-no-embedded-nul", "pte/structure/string-with-nul", "A string contains a NUL.", lambda file: file.put("B", 0, file.at["name"] + 5))
    case("bool/two", "either", "fb-bool-canonical", "pte/structure/scalar-bool-2", "A bool is 2.", set_to("B", "root.flag", 2))
    case("union/without-value", "reject", "fb-union-consistent", "pte/structure/union-without-value", "A union has a type and no value.", lambda file: absent(file, 6))
    case("union/without-type", "reject", "fb-union-consistent", "pte/structure/union-without-type", "A union has a value and no type.", set_to("B", "root.item type", 0))
    case("union/unknown-type", "either", "fb-union-consistent", None, "A union has the type 200, of a newer schema.", set_to("B", "root.item type", 200))
    case("limits/depth-100", "either", "fb-max-tables", "pte/limits/a-million-tables", "Tables are nested to a depth of 100.", nested)
    case("limits/shared-table", "either", "fb-dag-no-amplification", "pte/structure/shared-tables", "Two elements of a vector are the same table.",
         lambda file: file.put("I", file.at["child0"] - file.at["children[1]"], file.at["children[1]"]))


def main():
    declare()
    if len(sys.argv) == 2:
        for each in CASES.values():
            path = Path(sys.argv[1], each["id"] + ".bin")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes.fromhex(each["bytes"]))
        return
    head = {"schema": "shapes.fbs", "license": "MIT OR Apache-2.0"}
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in CASES.values())
    (HERE / "cases.json").write_text(json.dumps(head)[:-1] + f', "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
