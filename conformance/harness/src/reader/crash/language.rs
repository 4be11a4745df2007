//! Reports from language runtimes: panics, uncaught exceptions and abort messages.

use super::frames::{Frame, Language, frames};
use super::report::{CrashKind, CrashReport, Severity, kept};

struct Start {
    language: Language,
    kind: CrashKind,
    /// The text with the cause.
    line: String,
    /// The index of the first line that can contain a frame.
    stack: usize,
    severity: Severity,
    is_uncaught: bool,
}

/// The indexes of lines that end a report. Each is searched for only once, to keep the time linear.
struct Ends {
    /// The last goroutine heading.
    goroutine: Option<usize>,
    /// The last line with the Node.js version.
    node: Option<usize>,
    /// The last error of Python's compiler.
    syntax_error: Option<usize>,
}

impl Ends {
    fn of(lines: &[&str]) -> Self {
        let last = |starts: &[&str]| lines.iter().rposition(|line| starts.iter().any(|start| line.starts_with(start)));
        Self {
            goroutine: lines.iter().rposition(|line| is_goroutine(line)),
            node: last(&["Node.js v"]),
            syntax_error: last(&["SyntaxError", "IndentationError", "TabError"]),
        }
    }
}

pub(super) fn report(lines: &[&str]) -> Option<CrashReport> {
    let ends = Ends::of(lines);
    let mut start = (0..lines.len()).find_map(|at| start(lines, at, &ends)).or_else(|| memory(lines))?;
    if is_memory(&start.line) {
        start.kind = CrashKind::OutOfMemory;
    }
    let stack: Vec<&str> = lines[start.stack..].iter().map(|line| without_margin(line)).collect();
    let mut frames = frames(start.language, &stack);
    if frames.is_empty() && start.language == Language::Rust {
        frames.extend(panic_place(&start.line));
    }
    let Start { kind, line, severity, is_uncaught, .. } = start;
    Some(CrashReport { kind, line: kept(&line), frames, severity, is_uncaught, is_from_sanitizer: false })
}

/// Returns the report that begins at the line `at`, if any.
fn start(lines: &[&str], at: usize, ends: &Ends) -> Option<Start> {
    rust(lines, at)
        .or_else(|| python(lines, at, ends))
        .or_else(|| java(lines, at))
        .or_else(|| go(lines, at, ends))
        .or_else(|| node(lines, at, ends))
        .or_else(|| stack_below(lines, at))
        .or_else(|| native(lines, at))
}

impl Start {
    fn uncaught(language: Language, kind: CrashKind, line: impl Into<String>, stack: usize) -> Self {
        let severity = Severity::NotExploitable;
        Self { language, kind, line: line.into(), stack, severity, is_uncaught: true }
    }

    /// An exception whose text is `Type: message` or `Type`.
    fn exception(language: Language, text: &str, stack: usize) -> Self {
        let name = text.split([':', ' ']).next().unwrap_or(text);
        Self::uncaught(language, CrashKind::Exception(name.to_owned()), text, stack)
    }

    /// An exception whose text can be just a message.
    fn exception_or_value(language: Language, text: &str, stack: usize) -> Self {
        match text.split([':', ' ']).next() {
            Some(name) if is_type_name(name) => Self::exception(language, text, stack),
            _ => Self::uncaught(language, CrashKind::Exception(String::new()), text, stack),
        }
    }
}

/// The line `thread 'main' panicked at src/x.rs:1:2:` and the message on the next line. Before Rust 1.73, they were one
/// line.
fn rust(lines: &[&str], at: usize) -> Option<Start> {
    // A panic hook can omit the thread.
    let place = match lines[at].strip_prefix("thread '") {
        Some(thread) => thread.split_once("panicked at ")?.1,
        None => panic_place(lines[at].trim_end_matches(':')).and(lines[at].strip_prefix("panicked at "))?,
    };
    let message = place.strip_suffix(':').and_then(|_| lines.get(at + 1)).copied().unwrap_or_default();
    Some(Start::uncaught(Language::Rust, CrashKind::Panic, format!("panicked at {place} {message}"), at + 1))
}

/// Returns the panic's place as a frame, because a report without a backtrace has no other frames.
fn panic_place(line: &str) -> Option<Frame> {
    let place = line.strip_prefix("panicked at ")?;
    // Before Rust 1.73, the message preceded the place: `'message', src/x.rs:1:2`.
    let place = match place.rsplit_once("', ").filter(|_| place.starts_with('\'')) {
        Some((_, place)) => place,
        None => place.split_once(": ").map_or(place, |(place, _)| place),
    };
    let mut parts = place.rsplitn(3, ':');
    let (_column, line, file) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
    Some(Frame::at(file, line))
}

/// `Traceback (most recent call last):`, frames, and the exception as the next line without indentation.
fn python(lines: &[&str], at: usize, ends: &Ends) -> Option<Start> {
    if lines[at].starts_with("Fatal Python error: ") {
        return Some(Start::uncaught(Language::Python, CrashKind::Abort, lines[at], at + 1));
    }
    // A script's compiler reports errors without a header.
    if lines[at].starts_with("  File \"")
        && let Some(error) = ends.syntax_error.filter(|error| *error > at)
    {
        return Some(Start::exception(Language::Python, lines[error], at));
    }
    let is_header = |line: &str| {
        line.strip_prefix("  + Exception Group ").unwrap_or(line).starts_with("Traceback (most recent call last)")
    };
    if !is_header(lines[at]) {
        return None;
    }
    // The last of several chained exceptions is the uncaught one.
    let (mut header, mut found) = (at, None);
    for (here, line) in lines.iter().enumerate().skip(at) {
        let line = without_margin(line);
        if is_header(line) {
            (header, found) = (here, None);
        } else if found.is_none() && !line.starts_with([' ', '\t']) && !line.is_empty() {
            found = Some(here);
        }
    }
    Some(Start::exception(Language::Python, without_margin(lines[found.unwrap_or(header)]), header))
}

fn without_margin(line: &str) -> &str {
    line.strip_prefix("  | ").unwrap_or(line)
}

/// `Exception in thread "main" Type: message`, frames, and causes. The last cause occurred first.
fn java(lines: &[&str], at: usize) -> Option<Start> {
    const STARTUP: [&str; 4] = [
        "Error occurred during initialization of VM",
        "Error: Could not find or load main class",
        "Error: Unable to access jarfile",
        "# There is insufficient memory for the Java Runtime Environment",
    ];
    let line = lines[at];
    if STARTUP.iter().any(|text| line.starts_with(text)) {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        let memory = next.contains("Could not reserve enough space") || line.contains("insufficient memory");
        let kind = if memory { CrashKind::OutOfMemory } else { CrashKind::Abort };
        return Some(Start::uncaught(Language::Java, kind, format!("{line}: {next}"), at + 1));
    }
    let (_, text) = line.strip_prefix("Exception in thread \"")?.split_once("\" ")?;
    Some(java_causes(lines, at, text))
}

fn java_causes(lines: &[&str], at: usize, text: &str) -> Start {
    let causes = lines[at..].iter().map(|line| line.trim_start().strip_prefix("Caused by: "));
    let last = causes.enumerate().filter_map(|(offset, cause)| Some((at + offset, cause?))).next_back();
    let (stack, text) = last.unwrap_or((at, text));
    Start::exception_or_value(Language::Java, text, stack + 1)
}

/// `panic: message` or `fatal error: message`, and goroutines with frames.
fn go(lines: &[&str], at: usize, ends: &Ends) -> Option<Start> {
    let is_panic = ["panic: ", "fatal error: "].iter().any(|start| lines[at].starts_with(start));
    let has_goroutine = ends.goroutine.is_some_and(|goroutine| goroutine > at);
    (is_panic && has_goroutine).then(|| Start::uncaught(Language::Go, CrashKind::Panic, lines[at], at + 1))
}

/// `goroutine 1 [running]:`.
fn is_goroutine(line: &str) -> bool {
    let number = line.strip_prefix("goroutine ").filter(|_| line.ends_with("]:"));
    number.is_some_and(|number| number.starts_with(|digit: char| digit.is_ascii_digit()))
}

/// The source line with carets, an empty line, the uncaught value and, at the end, the Node.js version.
fn node(lines: &[&str], at: usize, ends: &Ends) -> Option<Start> {
    let line = lines[at].trim_start();
    if !line.starts_with('^') || !line.trim_matches('^').is_empty() || ends.node.is_none_or(|node| node < at) {
        return None;
    }
    let text = lines[at + 1..].iter().find(|line| !line.is_empty() && **line != "Uncaught:")?;
    Some(Start::exception_or_value(Language::JavaScript, text.trim_start_matches("Uncaught ").trim(), at + 1))
}

/// A trace without a header: the line before the first frame is the exception's text.
fn stack_below(lines: &[&str], at: usize) -> Option<Start> {
    let next = lines.get(at + 1)?;
    let text = lines[at].trim_start_matches("Uncaught ").trim();
    // If the message has several lines, the type is in an earlier line and is lost.
    match () {
        () if is_java_frame(next) => Some(java_causes(lines, at, text)),
        () if is_javascript_frame(next) => Some(Start::exception_or_value(Language::JavaScript, text, at + 1)),
        () => None,
    }
}

fn is_type_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c))
        && name.contains(|c: char| c.is_uppercase())
}

/// `    at function (file:1:2)` or `    at file:1:2`. The file is an absolute path, an address or a name such as `[eval]`.
fn is_javascript_frame(line: &str) -> bool {
    let Some(place) = line.strip_prefix("    at ") else { return false };
    let mut parts = place.trim_end_matches(')').rsplitn(3, ':');
    let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
    is_number(parts.next())
        && is_number(parts.next())
        && parts.next().is_some_and(|file| file.contains(['/', '[', '<']))
}

/// `\tat package.Type.method(File.java:1)`.
fn is_java_frame(line: &str) -> bool {
    let Some((_, place)) = line.strip_prefix("\tat ").and_then(|frame| frame.strip_suffix(')')?.split_once('(')) else {
        return false;
    };
    let is_place = |(file, line): (&str, &str)| file.contains('.') && line.parse::<u32>().is_ok();
    place == "Native Method" || place == "Unknown Source" || place.rsplit_once(':').is_some_and(is_place)
}

/// Messages from the C library and the C++ runtime.
fn native(lines: &[&str], at: usize) -> Option<Start> {
    // The beginnings of lines, each with the name of a `libcasr` crash class.
    const MESSAGES: [(&str, &str); 14] = [
        ("*** stack smashing detected ***", "StackGuard"),
        ("*** buffer overflow detected ***", "SafeFunctionCheck"),
        ("double free or corruption", "HeapError"),
        ("free(): ", "HeapError"),
        ("malloc(): ", "HeapError"),
        ("realloc(): ", "HeapError"),
        ("malloc_consolidate(): ", "HeapError"),
        ("munmap_chunk(): ", "HeapError"),
        ("corrupted size vs. prev_size", "HeapError"),
        ("corrupted double-linked list", "HeapError"),
        ("pure virtual method called", "AbortSignal"),
        ("terminate called without an active exception", "AbortSignal"),
        ("terminate called recursively", "AbortSignal"),
        ("Assertion failed", "AbortSignal"),
    ];
    const THROWN: [&str; 2] = [
        "terminate called after throwing an instance of ",
        "libc++abi: terminating due to uncaught exception of type ",
    ];
    let line = lines[at];
    if let Some(text) = THROWN.iter().find_map(|start| line.strip_prefix(start)) {
        let (name, message) = match text.split_once(": ") {
            Some((name, message)) => (name, message),
            None => {
                let what = lines.get(at + 1).and_then(|next| next.trim_start().strip_prefix("what():"));
                (text.trim_matches('\''), what.unwrap_or_default().trim())
            }
        };
        let colon = if message.is_empty() { "" } else { ": " };
        let kind = CrashKind::Exception(name.to_owned());
        return Some(Start::uncaught(Language::Native, kind, format!("{name}{colon}{message}"), at + 1));
    }
    let found = MESSAGES.iter().find(|(text, _)| line.starts_with(text)).map(|(_, class)| *class);
    let is_assertion =
        || line.contains(": Assertion `") && line.ends_with("' failed.") || line.contains("assert failed (");
    let (kind, class) = match found {
        Some(class) => (CrashKind::Abort, class),
        None if line.contains("' has overflowed its stack") => (CrashKind::StackOverflow, "StackOverflow"),
        None if is_assertion() => (CrashKind::Abort, "AbortSignal"),
        None => return None,
    };
    let severity = Severity::of_class(class);
    Some(Start { language: Language::Native, kind, line: line.to_owned(), stack: at + 1, severity, is_uncaught: false })
}

/// Messages from the C++, Rust, Go, Java, Python and V8 runtimes about an exhausted heap.
const OUT_OF_MEMORY: [&str; 8] = [
    "std::bad_alloc",
    "memory allocation of ",
    "out of memory",
    "Out of memory",
    "OutOfMemory",
    "MemoryError",
    "Cannot allocate memory",
    "heap limit",
];

fn is_memory(line: &str) -> bool {
    OUT_OF_MEMORY.iter().any(|words| line.contains(words))
}

/// A line about exhausted memory, which even a reader that ends normally can print.
fn memory(lines: &[&str]) -> Option<Start> {
    let line = lines.iter().find(|line| is_memory(line))?;
    let (language, kind, severity) = (Language::Native, CrashKind::OutOfMemory, Severity::NotExploitable);
    Some(Start { language, kind, line: (*line).to_owned(), stack: lines.len(), severity, is_uncaught: false })
}
