//! The frames of a stack, innermost first.

use std::fmt;
use std::sync::LazyLock;

use libcasr::asan::AsanStacktrace;
use libcasr::constants as casr;
use libcasr::go::GoStacktrace;
use libcasr::java::JavaStacktrace;
use libcasr::js::JsStacktrace;
use libcasr::python::PythonStacktrace;
use libcasr::rust::RustStacktrace;
use libcasr::stacktrace::{ParseStacktrace, StacktraceEntry};
use regex::RegexSet;
use serde::{Deserialize, Serialize};

const PARSED: usize = 64;
const KEPT: usize = 16;
/// The maximum number of characters in the name of a function or a file.
const NAME_KEPT: usize = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// C and C++.
    Native,
    Rust,
    Python,
    JavaScript,
    Java,
    Go,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Frame {
    /// The function; empty if the report does not name it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// The source file, the program or the library; empty if the report names no file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line in the source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

impl Frame {
    pub(super) fn at(file: &str, line: u64) -> Self {
        Self { function: String::new(), file: short(file), line: Some(line) }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.line.map_or_else(|| self.file.clone(), |line| format!("{}:{line}", self.file));
        match (self.function.as_str(), place.as_str()) {
            ("", place) => f.write_str(place),
            (function, "") => f.write_str(function),
            (function, place) => write!(f, "{function} ({place})"),
        }
    }
}

fn short(name: &str) -> String {
    name.chars().take(NAME_KEPT).collect()
}

/// Returns the frames of the first stack in the lines, innermost first. Frames from runtimes, allocators and sanitizers
/// are removed, unless there are no others.
pub(super) fn frames(language: Language, lines: &[&str]) -> Vec<Frame> {
    let entries = entries(language, lines);
    let parse = match language {
        Language::Native => AsanStacktrace::parse_stacktrace_entry,
        Language::Rust => RustStacktrace::parse_stacktrace_entry,
        Language::Python => PythonStacktrace::parse_stacktrace_entry,
        Language::JavaScript => JsStacktrace::parse_stacktrace_entry,
        Language::Java => JavaStacktrace::parse_stacktrace_entry,
        Language::Go => GoStacktrace::parse_stacktrace_entry,
    };
    let all: Vec<Frame> = entries.iter().filter_map(|entry| parse(entry).ok()).map(|entry| frame(&entry)).collect();
    let own: Vec<Frame> = all.iter().filter(|frame| !is_runtime(language, frame)).take(KEPT).cloned().collect();
    if own.is_empty() { all.into_iter().take(KEPT).collect() } else { own }
}

fn frame(entry: &StacktraceEntry) -> Frame {
    let file = if entry.debug.file.is_empty() { &entry.module } else { &entry.debug.file };
    let line = (entry.debug.line > 0).then_some(entry.debug.line);
    Frame { function: short(&entry.function), file: short(file), line }
}

/// Returns the lines of the stack in the form that `libcasr` parses.
fn entries(language: Language, lines: &[&str]) -> Vec<String> {
    let indented = |line: &&str| line.trim_start().starts_with("at ") && line.starts_with([' ', '\t']);
    // The stack is the first block of consecutive frames.
    let block = |is_frame: &dyn Fn(&&str) -> bool| {
        let frames = lines.iter().skip_while(|line| !is_frame(line)).take_while(|line| is_frame(line));
        frames.take(PARSED).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    match language {
        Language::Native => block(&|line| {
            line.trim_start()
                .strip_prefix('#')
                .is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
        }),
        Language::Java => block(&indented),
        // `libcasr` adds the two line numbers in an `eval` frame, and the sum can overflow.
        Language::JavaScript => block(&indented).into_iter().filter(|line| !line.contains("eval at")).collect(),
        Language::Python => {
            let is_frame = |line: &&&str| line.starts_with("  File \"") && line.contains(", in ");
            lines.iter().rev().filter(is_frame).take(PARSED).map(|line| line.trim().to_owned()).collect()
        }
        Language::Go => {
            let stack = lines.iter().skip_while(|line| !line.starts_with("goroutine ")).skip(1);
            let stack: Vec<&&str> = stack.take_while(|line| !line.is_empty()).take(2 * PARSED).collect();
            let calls = stack.chunks_exact(2).map(|call| {
                let function = call[0].strip_prefix("created by ").unwrap_or(call[0]);
                let function = function.rsplit_once('(').map_or(function, |(function, _)| function);
                format!("{function} in {}", call[1].trim())
            });
            calls.collect()
        }
        Language::Rust => {
            let stack = lines.iter().skip_while(|line| !line.starts_with("stack backtrace:")).skip(1);
            let mut entries: Vec<String> = Vec::new();
            for line in stack.map(|line| line.trim()).take_while(|line| !line.starts_with("note: ")).take(2 * PARSED) {
                if let (Some(place), Some(entry)) = (line.strip_prefix("at "), entries.last_mut()) {
                    *entry = format!("{entry} at {place}");
                } else {
                    // A short backtrace has no addresses, but `libcasr` requires them.
                    let (number, function) = line.split_once(": ").unwrap_or(("0", line));
                    let function = function.trim();
                    let address = if function.starts_with("0x") { "" } else { "0x0 - " };
                    entries.push(format!("{number}: {address}{function}"));
                }
            }
            entries
        }
    }
}

fn is_runtime(language: Language, frame: &Frame) -> bool {
    static NATIVE: LazyLock<[RegexSet; 2]> = LazyLock::new(|| {
        sets([casr::STACK_FRAME_FUNCTION_IGNORE_REGEXES_CPP], [casr::STACK_FRAME_FILEPATH_IGNORE_REGEXES_CPP])
    });
    static RUST: LazyLock<[RegexSet; 2]> = LazyLock::new(|| {
        // A backtrace without addresses contains frames of the standard library that `libcasr` does not know.
        const STD: &[&str] = &[r"^std::(rt|sys|panicking)::", r"^core::ops::function::", r"^__libc_start", r"^_start"];
        sets(
            [casr::STACK_FRAME_FUNCTION_IGNORE_REGEXES_RUST, STD],
            [casr::STACK_FRAME_FILEPATH_IGNORE_REGEXES_RUST, &[r"^/rustc/"]],
        )
    });
    static JAVASCRIPT: LazyLock<[RegexSet; 2]> = LazyLock::new(|| {
        sets([casr::STACK_FRAME_FUNCTION_IGNORE_REGEXES_JS], [casr::STACK_FRAME_FILEPATH_IGNORE_REGEXES_JS])
    });
    static JAVA: LazyLock<[RegexSet; 2]> =
        LazyLock::new(|| sets([casr::STACK_FRAME_FUNCTION_IGNORE_REGEXES_JAVA, &[r"^java\.util", r"^jdk\."]], []));
    static GO: LazyLock<[RegexSet; 2]> = LazyLock::new(|| {
        sets(
            [casr::STACK_FRAME_FUNCTION_IGNORE_REGEXES_GO, &[r"^panic$"]],
            [casr::STACK_FRAME_FILEPATH_IGNORE_REGEXES_GO],
        )
    });
    static PYTHON: LazyLock<[RegexSet; 2]> =
        LazyLock::new(|| sets([], [&[r"^<frozen ", r"/lib/python3\.\d+/[^/]+\.py$"]]));
    let [functions, files] = match language {
        Language::Native => &*NATIVE,
        Language::Rust => &*RUST,
        Language::Python => &*PYTHON,
        Language::JavaScript => &*JAVASCRIPT,
        Language::Java => &*JAVA,
        Language::Go => &*GO,
    };
    functions.is_match(&frame.function) || files.is_match(&frame.file)
}

fn sets<const N: usize, const M: usize>(functions: [&[&str]; N], files: [&[&str]; M]) -> [RegexSet; 2] {
    // The patterns are constants, so this cannot fail; an empty set would match nothing.
    [functions.concat(), files.concat()].map(|patterns| RegexSet::new(patterns).unwrap_or_default())
}
