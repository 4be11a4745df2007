"""The pages about the commands and the settings, from the help texts and the JSON schema."""

import json
import re

from page_content import cell, table


def commands(torchproof, *names):
    """The help of a command and of its subcommands."""
    text = torchproof(*names, "--help")
    out = ("###" if len(names) > 1 else "##") + f" `{' '.join(['torchproof', *names])}`\n\n```text,help\n{text.rstrip()}\n```\n\n"
    listed = text.partition("\nOptions:\n")[0] if "<COMMAND>" in text else ""
    for name in re.findall(r"^  ([a-z][a-z-]*)  +[A-Z]", listed, re.MULTILINE):
        if name != "help":
            out += commands(torchproof, *names, name)
    return out


def settings(schema):
    """A table for each section of the file."""
    schema, out = json.loads(schema.read_text()), ""
    for name, section in schema["properties"].items():
        entry = schema["$defs"][section.get("items", section)["$ref"].rpartition("/")[2]]
        head = f"[[{name}]]" if section.get("type") == "array" else f"[{name}]"
        rows = []
        for key, value in sorted(entry["properties"].items(), key=lambda item: item[0] not in entry.get("required", ())):
            kinds = value["type"] if isinstance(value["type"], list) else [value["type"]]
            kind = f"list of {value['items']['type']}s" if "items" in value else kinds[0]
            default = value.get("default")
            default = "required" if key in entry.get("required", ()) else "none" if default is None else f"`{json.dumps(default)}`"
            rows.append([f"`{key}`", kind, default, cell(value["description"])])
        out += f"## `{head}`\n\n{entry['description']}\n\n" + table(["setting", "type", "default", "meaning"], rows) + "\n"
    return out
