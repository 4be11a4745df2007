//! Builds and runs what `torchproof corpus export --as` writes: vectors in each language, and complete tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::Trial;
use testkit::repository;

use crate::built::RUNTIME;
use crate::need::{Need, pytest, reader, trials};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        [Need::Tool(&["g++"])]; cpp_vectors_have_the_bytes_of_the_files, c_vectors_have_the_bytes_of_the_files;
        [Need::Tool(&["python3"])]; python_vectors_have_the_bytes_of_the_files, hex_vectors_have_the_bytes_of_the_files;
        [Need::Tool(&["rustc"])]; rust_vectors_have_the_bytes_of_the_files;
        [Need::Reader(RUNTIME), Need::Tool(&["cmake"]), Need::GoogleTest]; the_released_loader_passes_the_loader_test;
        [Need::Pytest]; pytest_runs_the_vectors;
        []; cargo_runs_the_vectors
    ]
}

/// Files with long and short runs of zeros, without bytes, and with a data file.
const CASES: [&str; 4] = ["pte/header/length-*", "pte/truncated/*", "pte/external/*", "bpte/valid/*"];

/// The body of a program that prints each id and role and the bytes in hex, and the commands that run the program.
struct Printer {
    language: &'static str,
    vectors: &'static str,
    file: &'static str,
    program: &'static str,
    build: &'static [&'static str],
    run: &'static [&'static str],
}

fn cpp_vectors_have_the_bytes_of_the_files() {
    expect_bytes(&Printer {
        language: "cpp",
        vectors: "vectors.h",
        file: "print.cpp",
        program: r#"#include "vectors.h"
            #include <cstdio>
            int main() {
                for (const auto& vector : torchproof::vectors()) {
                    for (const auto& file : vector.files) {
                        std::printf("%s %s ", vector.id, file.role);
                        for (const unsigned char byte : file.bytes) std::printf("%02x", byte);
                        std::puts("");
                    }
                }
            }"#,
        build: &["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "print.cpp", "-o", "print"],
        run: &["./print"],
    });
}

fn c_vectors_have_the_bytes_of_the_files() {
    expect_bytes(&Printer {
        language: "c",
        vectors: "vectors.h",
        file: "print.c",
        program: r#"#include "vectors.h"
            #include <stdio.h>
            int main(void) {
                size_t count = sizeof torchproof_vectors / sizeof *torchproof_vectors;
                for (size_t i = 0; i < count; ++i) {
                    const struct torchproof_vector *vector = &torchproof_vectors[i];
                    for (size_t j = 0; j < vector->file_count; ++j) {
                        printf("%s %s ", vector->id, vector->files[j].role);
                        for (size_t k = 0; k < vector->files[j].size; ++k) printf("%02x", vector->files[j].bytes[k]);
                        puts("");
                    }
                }
                return 0;
            }"#,
        build: &["gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "print.c", "-o", "print"],
        run: &["./print"],
    });
}

fn python_vectors_have_the_bytes_of_the_files() {
    expect_bytes(&Printer {
        language: "python",
        vectors: "vectors.py",
        file: "print.py",
        program: "from vectors import VECTORS\n\
            for vector in VECTORS:\n    for role, data in vector.files: print(vector.id, role, data.hex())\n",
        build: &[],
        run: &["python3", "print.py"],
    });
}

fn rust_vectors_have_the_bytes_of_the_files() {
    expect_bytes(&Printer {
        language: "rust",
        vectors: "vectors.rs",
        file: "print.rs",
        program: r#"mod vectors;
            fn main() {
                for vector in vectors::vectors() {
                    for (role, bytes) in vector.files {
                        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                        println!("{} {role} {hex}", vector.id);
                    }
                }
            }"#,
        build: &["rustc", "--edition=2024", "-Adead_code", "-Dwarnings", "print.rs", "-o", "print"],
        run: &["./print"],
    });
}

fn hex_vectors_have_the_bytes_of_the_files() {
    expect_bytes(&Printer {
        language: "hex",
        vectors: "vectors.txt",
        file: "print.py",
        program: r##"
import re
id = out = None
for line in open("vectors.txt"):
    if line.startswith("# id: "): id = line[6:].strip()
    elif match := re.match("# (program|data|bundled): ", line): out = (out or "") + f"\n{id} {match[1]} "
    elif out is not None and not line.startswith("#"):
        out += re.sub(r"00\*(\d+)", lambda zeros: "00" * int(zeros[1]), line).replace(" ", "").strip()
print(out.strip("\n"))
"##,
        build: &[],
        run: &["python3", "print.py"],
    });
}

fn expect_bytes(printer: &Printer) {
    let folder = fresh(printer.language);
    export(&[&["--as", printer.language, "-o", printer.vectors], &CASES[..]].concat(), &folder);
    fs::write(folder.join(printer.file), printer.program).unwrap();
    if let [program, arguments @ ..] = printer.build {
        succeed(Command::new(program).args(arguments).current_dir(&folder));
    }
    let printed = succeed(Command::new(printer.run[0]).args(&printer.run[1..]).current_dir(&folder));
    let manifest = fs::read(repository().join("corpus/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let (mut count, mut before) = (0, (String::new(), 0));
    for line in printed.lines() {
        let [id, role, hex] = line.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        let case = manifest["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap();
        before = if before.0 == id { (before.0, before.1 + 1) } else { (id.to_owned(), 0) };
        let file = &case["files"][before.1];
        assert_eq!(file["role"], role, "{id}");
        let bytes = fs::read(repository().join("corpus").join(file["path"].as_str().unwrap())).unwrap();
        assert_eq!(data_encoding::HEXLOWER.encode(&bytes), hex, "{id}");
        count += 1;
    }
    assert!(count > 50, "{count}");
}

fn the_released_loader_passes_the_loader_test() {
    let folder = fresh("gtest");
    // Default builds refuse programs by releases before 0.4.0, because these have their constants in the FlatBuffer.
    let cases = "pte/by-{0-[4-7],1}-*/{constants,control-flow,delegate-*,external,values}";
    export_of("corpus/released", &["--as", "gtest", "-o", "test", cases], &folder);
    // The setup script unpacks only parts of the wheel. The wheel's CMake package is also in this folder.
    let wheel = reader(RUNTIME).with_file_name("wheel").join("executorch").canonicalize().unwrap();
    fs::create_dir_all(folder.join("executorch/share/cmake")).unwrap();
    for name in ["include", "lib"] {
        std::os::unix::fs::symlink(wheel.join(name), folder.join("executorch").join(name)).unwrap();
    }
    for name in ["executorch-config.cmake", "executorch-config-version.cmake"] {
        fs::copy(wheel.join("lib/cmake/executorch").join(name), folder.join("executorch/share/cmake").join(name))
            .unwrap();
    }
    let build = || {
        let package = folder.join("executorch/share/cmake");
        let mut configure = Command::new("cmake");
        configure.args(["-S", "test", "-B", "build"]).arg(format!("-Dexecutorch_DIR={}", package.display()));
        succeed(configure.current_dir(&folder));
        succeed(Command::new("cmake").args(["--build", "build"]).current_dir(&folder));
    };
    build();
    let run = |variable: Option<&str>| {
        let mut test = Command::new("build/loader_vectors_test");
        test.current_dir(&folder).envs(variable.map(|name| (name, ".")));
        test.output().unwrap()
    };
    let released = run(None);
    assert!(released.status.success(), "{released:?}");
    let count = fs::read_to_string(folder.join("test/vectors.h")).unwrap().matches("\n    {\"p").count();
    assert!(count > 70 && text(&released).contains(&format!("[  PASSED  ] {count} tests.")), "{released:?}");

    export(&["--as", "gtest", "-o", "test", "--force"], &folder);
    build();
    let passed = run(None);
    assert!(passed.status.success(), "{passed:?}");
    assert!(text(&passed).contains(" OK ] Corpus/LoaderVectors.Load/pte_header_length_23 "), "{passed:?}");

    // Provoke a crash, a valid file that is rejected, and an invalid file that loads.
    let program = folder.join("test/loader_vectors_test.cpp");
    let source = fs::read_to_string(&program).unwrap();
    let faulty = source.replace(
        "void load(const torchproof::Vector& vector) {\n",
        "void load(const torchproof::Vector& vector) {\n    const std::string id = vector.id;\n    \
         if (id == \"pte/header/length-23\") std::abort();\n    \
         if (id == \"pte/valid/constants\") reject(meta);\n    \
         if (id == \"pte/method/chains-absent\") return;\n",
    );
    assert_ne!(source, faulty);
    fs::write(&program, faulty).unwrap();
    build();
    let failed = run(None);
    assert!(!failed.status.success(), "{failed:?}");
    for problem in [
        "pte/header/length-23: found a crash by signal 6",
        "pte/valid/constants: the runtime rejects a valid file",
        "pte/method/chains-absent: the runtime accepts a broken file",
        " 3 FAILED TESTS",
    ] {
        assert!(text(&failed).contains(problem), "{problem}: {failed:?}");
    }
    assert!(run(Some("TORCHPROOF_RECORD")).status.success());
    let recorded = fs::read_to_string(folder.join("exceptions.txt")).unwrap();
    assert_eq!(recorded.lines().count(), 3, "{recorded}");
    assert!(run(Some("TORCHPROOF_EXCEPTIONS")).status.success());
}

fn pytest_runs_the_vectors() {
    let folder = fresh("pytest");
    export(&["--as", "pytest", "-o", "."], &folder);
    let test = |folder: &Path, variable: Option<&str>| {
        let mut test = Command::new(pytest());
        test.args(["-q", "-p", "no:cacheprovider"]).current_dir(folder).envs(variable.map(|name| (name, ".")));
        test.output().unwrap()
    };
    expect_suite(&folder, &test);
    let reader = "import subprocess, tempfile, pathlib\n\
        class Rejected(Exception): pass\n\
        def read(files):\n    \
            with tempfile.TemporaryDirectory() as folder:\n        \
                paths = [pathlib.Path(folder, 'file.' + {'program': 'pte', 'data': 'ptd', 'bundled': 'bpte'}[role]) for role, _ in files]\n        \
                for path, (_, data) in zip(paths, files): path.write_bytes(data)\n        \
                if subprocess.run([COMMAND, 'check', '--quiet', *paths]).returncode == 1: raise Rejected('')\n";
    let command = format!("{:?}", env!("CARGO_BIN_EXE_torchproof"));
    fs::write(folder.join("reader.py"), reader.replace("COMMAND", &command)).unwrap();
    let passed = test(&folder, None);
    assert!(passed.status.success(), "{passed:?}");
    fs::write(folder.join("reader.py"), "class Rejected(Exception): pass\ndef read(files): raise ValueError").unwrap();
    assert!(text(&test(&folder, None)).contains("found a crash with exit code 1"));
}

fn cargo_runs_the_vectors() {
    let folder = fresh("cargo");
    export(&["--as", "rust-test", "-o", "tests/vectors"], &folder);
    let manifest = "[package]\nname = \"reader\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::create_dir(folder.join("src")).unwrap();
    fs::write(folder.join("src/lib.rs"), "").unwrap();
    let test = |folder: &Path, variable: Option<&str>| {
        let mut test = Command::new(env!("CARGO"));
        test.args(["test", "--offline", "--quiet", "--test", "vectors"]).current_dir(folder);
        test.env("CARGO_TARGET_DIR", folder.join("target")).env("RUSTFLAGS", "-Dwarnings");
        test.envs(variable.map(|name| (name, "."))).output().unwrap()
    };
    expect_suite(&folder, &test);
    let reader = "pub fn read(files: &[(&str, &[u8])]) -> Result<(), &'static str> {\n\
            let folder = std::env::temp_dir().join(format!(\"torchproof-vectors-{}\", std::process::id()));\n\
            std::fs::create_dir_all(&folder).unwrap();\n\
            let ending = |role: &str| match role { \"program\" => \"pte\", \"data\" => \"ptd\", _ => \"bpte\" };\n\
            let path = |(role, bytes): &(&str, &[u8])| {\n\
                let path = folder.join(format!(\"file.{}\", ending(role)));\n\
                std::fs::write(&path, bytes).unwrap();\n\
                path\n\
            };\n\
            let paths: Vec<_> = files.iter().map(path).collect();\n\
            let code = std::process::Command::new(COMMAND).args([\"check\", \"--quiet\"]).args(paths).status().unwrap().code();\n\
            std::fs::remove_dir_all(&folder).unwrap();\n\
            if code == Some(1) { Err(\"\") } else { Ok(()) }\n\
        }\n";
    let command = format!("{:?}", env!("CARGO_BIN_EXE_torchproof"));
    fs::write(folder.join("tests/vectors/reader.rs"), reader.replace("COMMAND", &command)).unwrap();
    let passed = test(&folder, None);
    assert!(passed.status.success(), "{passed:?}");
    let panics = "pub fn read(_files: &[(&str, &[u8])]) -> Result<(), &'static str> {\n    std::process::abort()\n}\n";
    fs::write(folder.join("tests/vectors/reader.rs"), panics).unwrap();
    assert!(text(&test(&folder, None)).contains("found a crash (signal: 6"));
}

/// The exported reader checks only the identifier, so it fails until its failures are recorded.
fn expect_suite(folder: &Path, test: &dyn Fn(&Path, Option<&str>) -> Output) {
    let failed = test(folder, None);
    assert!(!failed.status.success(), "{failed:?}");
    assert!(text(&failed).contains("pte/header/length-23: the reader accepts a broken file"), "{failed:?}");
    assert!(!text(&failed).contains("ptd/identifier/zeros: found"), "{failed:?}");
    let recording = test(folder, Some("TORCHPROOF_RECORD"));
    assert!(recording.status.success(), "{recording:?}");
    let repeated = test(folder, Some("TORCHPROOF_EXCEPTIONS"));
    assert!(repeated.status.success(), "{repeated:?}");
}

fn export(arguments: &[&str], folder: &Path) {
    export_of("corpus", arguments, folder);
}

fn export_of(corpus: &str, arguments: &[&str], folder: &Path) {
    let corpus = repository().join(corpus).canonicalize().unwrap();
    let mut export = Command::new(env!("CARGO_BIN_EXE_torchproof"));
    succeed(export.args(["corpus", "export", "--corpus"]).arg(corpus).args(arguments).current_dir(folder));
}

fn fresh(name: &str) -> PathBuf {
    let folder = testkit::scratch("exported").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}
