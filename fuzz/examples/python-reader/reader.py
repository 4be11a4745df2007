"""A small reader of programs, in place of the reader that you want to fuzz."""

import struct


class Rejected(Exception):
    """The reader rejects the program."""


def number(file, layout, at):
    """Returns the number at a position."""
    if not 0 <= at <= len(file) - struct.calcsize(layout):
        raise Rejected(f"expected a number, found the end of the file at {at:#x}")
    return struct.unpack_from(layout, file, at)[0]


def follow(file, at):
    """Returns the position to which an offset points."""
    return at + number(file, "<I", at)


def field(file, table, slot):
    """Returns the position of the value to which a field points."""
    vtable = table - number(file, "<i", table)
    if number(file, "<H", vtable) < 4 + 2 * (slot + 1):
        raise Rejected(f"field {slot} is absent")
    return follow(file, table + number(file, "<H", vtable + 4 + 2 * slot))


def methods(file):
    """Returns the names of the methods of a program."""
    if file[4:8] != b"ET12":
        raise Rejected("expected the identifier ET12")
    plans = field(file, follow(file, 0), 1)
    names = []
    for index in range(number(file, "<I", plans)):
        name = field(file, follow(file, plans + 4 + 4 * index), 0)
        text = file[name + 4 : name + 4 + number(file, "<I", name)]
        try:
            names.append(text.decode())
        except UnicodeDecodeError as error:
            raise Rejected(str(error)) from error
    return names
