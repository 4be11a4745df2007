//! Tests the examples that fuzz a reader with the mutator.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::OnceLock;
use std::{env, fs};

use libtest_mimic::Trial;

use crate::need::{Need, trial};

const C: &[Need] = &[Need::Tool(&["clang"]), Need::Tool(&["cmake"]), Need::Tool(&["afl-fuzz"])];
const CPP: &[Need] = &[C[0], C[1], C[2], Need::Reader("executorch/executorch-worker")];

/// What the Python example needs. The first query installs the package `atheris`.
const PYTHON: &[Need] = &[Need::Tool(&["python3"]), Need::Atheris];

/// This many runs take a few seconds.
const LIBFUZZER: &[&str] = &["-runs=5000", "-seed=1", "-max_len=8192"];

/// Every crash takes as long as hundreds of runs.
const CRASHES: &[&str] =
    &["-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1", "-close_fd_mask=3", "-runs=500"];

/// The tests of the examples compile the library twice, so they exist only if `TORCHPROOF_EXAMPLES` is set.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    if env::var_os("TORCHPROOF_EXAMPLES").is_some() {
        trials.push(trial("mutator::the_c_example_runs_with_libfuzzer_and_afl", C, c_example));
        trials.push(trial("mutator::the_runtime_example_runs_with_libfuzzer_and_afl", CPP, runtime_example));
        trials.push(trial("mutator::the_python_example_runs", PYTHON, python_example));
        trials.push(trial("mutator::the_rust_example_runs", &[Need::Tool(&["g++"])], rust_example));
    }
    trials
}

fn output(command: &mut Command) -> (ExitStatus, String) {
    let output = command.current_dir(testkit::repository()).output().unwrap();
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (output.status, text)
}

fn run(command: &mut Command) -> String {
    let (status, text) = output(command);
    assert!(status.success(), "{command:?}: {status}\n{text}");
    text
}

fn installed() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let prefix = testkit::empty_scratch("mutator");
        run(Command::new("fuzz/mutator/install.sh").arg(&prefix).env("PROFILE", "dev"));
        prefix
    })
}

struct Example {
    /// The folder of the example, and the path of the built program.
    name: &'static str,
    program: &'static str,
    /// CMake's variable for the compiler, and the suffix of the compilers.
    variable: &'static str,
    suffix: &'static str,
}

impl Example {
    fn build(&self, compiler: &str, scratch: &Path) -> PathBuf {
        let folder = scratch.join(compiler);
        let defined = |name: &str, value: &OsStr| {
            let mut argument = OsStr::new(&format!("-D{name}=")).to_owned();
            argument.push(value);
            argument
        };
        let mut cmake = Command::new("cmake");
        cmake.arg("-S").arg(Path::new("fuzz/examples").join(self.name)).arg("-B").arg(&folder);
        cmake.arg(defined(self.variable, OsStr::new(&format!("{compiler}{}", self.suffix))));
        cmake.arg(defined("CMAKE_PREFIX_PATH", installed().as_os_str()));
        cmake.arg(defined("RUNTIME", testkit::target().join("readers/executorch").as_os_str()));
        run(&mut cmake);
        run(Command::new("cmake").arg("--build").arg(&folder));
        folder.join(self.program)
    }

    /// `ends` is a part of libFuzzer's last output. Returns the path of the libFuzzer program.
    fn fuzz(&self, options: &[&str], ends: &str) -> PathBuf {
        let scratch = testkit::empty_scratch(self.name);
        let seeds = scratch.join("seeds");
        fs::create_dir(&seeds).unwrap();
        fs::copy(testkit::repository().join("corpus/real/linear.pte"), seeds.join("linear.pte")).unwrap();

        let program = self.build("clang", &scratch);
        libfuzzer(Command::new(&program), &scratch, &seeds, options, ends);

        let found = scratch.join("found");
        let mut afl = Command::new("afl-fuzz");
        afl.args(["-E", "5000", "-t", "10000", "-i"]).arg(&seeds).arg("-o").arg(&found);
        afl.arg("--").arg(self.build("afl-clang-fast", &scratch));
        afl.env("AFL_CUSTOM_MUTATOR_LIBRARY", installed().join("lib/libtorchproof_mutator.so"));
        for option in ["SKIP_CPUFREQ", "I_DONT_CARE_ABOUT_MISSING_CRASHES", "NO_UI", "NO_AFFINITY"] {
            afl.env(format!("AFL_{option}"), "1");
        }
        run(&mut afl);
        let queue = fs::read_dir(found.join("default/queue")).unwrap().map(|entry| entry.unwrap().file_name());
        let made = queue.filter(|name| name.to_string_lossy().contains("op:libtorchproof_mutator"));
        assert!(made.count() > 5);
        program
    }
}

/// The program writes new inputs and crashes below `scratch`.
fn libfuzzer(mut fuzzer: Command, scratch: &Path, seeds: &Path, options: &[&str], ends: &str) {
    // libFuzzer writes to the first folder.
    let corpus = scratch.join("corpus");
    fs::create_dir(&corpus).unwrap();
    let mut artifacts = OsStr::new("-artifact_prefix=").to_owned();
    artifacts.push(scratch.join(""));
    // Symbolizing each crash would slow down libFuzzer.
    fuzzer.env("ASAN_OPTIONS", "symbolize=0");
    let (_, text) = output(fuzzer.arg(corpus).arg(seeds).arg(artifacts).args(LIBFUZZER).args(options));
    // For `CRASHES`, the last process may have crashed, so check for the text that appears only at the end.
    assert!(text.contains("found LLVMFuzzerCustomMutator") && text.contains(ends), "{text}");
}

fn c_example() {
    let example = Example { name: "c-reader", program: "fuzz-reader", variable: "CMAKE_C_COMPILER", suffix: "" };
    example.fuzz(&[], "DONE");
}

fn runtime_example() {
    let example =
        Example { name: "cpp-runtime", program: "fuzz-runtime", variable: "CMAKE_CXX_COMPILER", suffix: "++" };
    let fuzzer = example.fuzz(CRASHES, "INFO: fuzzed for");
    // The method needs the data file, so the runtime does not execute the method if the pair was split wrongly.
    let real = |name| fs::read(testkit::repository().join("corpus/real").join(name)).unwrap();
    let (program, data) = (real("linear_external.pte"), real("linear_external.ptd"));
    let pair = testkit::scratch(example.name).join("pair");
    let length = (program.len() as u64).to_le_bytes();
    fs::write(&pair, [b"TPPAIR01".as_slice(), &length, &program, &data].concat()).unwrap();
    let text = run(Command::new(fuzzer).arg(&pair));
    assert!(text.contains("torchproof-stage: execute"), "{text}");
}

/// The first call installs the package. Fails if Python has no wheel for it.
pub(crate) fn atheris() -> Result<PathBuf, String> {
    let packages = testkit::target().join("atheris");
    if packages.join("atheris").is_dir() {
        return Ok(packages);
    }
    let requirements = "fuzz/examples/python-reader/requirements.txt";
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "-q", "--only-binary=:all:", "-r", requirements, "--target"]).arg(&packages);
    let (status, text) = output(&mut pip);
    if status.success() { Ok(packages) } else { Err(text.trim().replace('\n', "; ")) }
}

fn python_example() {
    let packages = atheris().unwrap();
    let mut fuzzer = Command::new("python3");
    fuzzer.arg("fuzz/examples/python-reader/harness.py").env("PYTHONDONTWRITEBYTECODE", "1");
    fuzzer.env("PYTHONPATH", &packages);
    fuzzer.env("TORCHPROOF_MUTATOR_LIBRARY", installed().join("lib/libtorchproof_mutator.so"));
    libfuzzer(fuzzer, &testkit::empty_scratch("python-reader"), Path::new("corpus/real"), &[], "DONE");
}

fn rust_example() {
    let printed = run(Command::new("fuzz/build").arg("reader").env("PACKAGE", "rust-reader"));
    // The folder is the only line on stdout, which `run` returns first.
    let fuzzer = Command::new(Path::new(printed.lines().next().unwrap()).join("reader"));
    libfuzzer(fuzzer, &testkit::empty_scratch("rust-reader"), Path::new("corpus/real"), &[], "DONE");
}
