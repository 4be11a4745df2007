//! Reports from the C, C++ and Rust sanitizers.

use libcasr::asan::AsanContext;
use libcasr::severity::Severity as _;

use super::frames::{Frame, Language, frames};
use super::report::{CrashKind, CrashReport, Severity, kept};

/// Names of sanitizer errors that mean exhausted memory.
const MEMORY: [&str; 4] = ["out-of-memory", "allocation-size-too-big", "requested", "hard"];
/// Texts of fatal errors that lack the word `ERROR`. Other lines without this word come from a working program.
const FATAL: [&str; 4] = ["CHECK failed", "failed to allocate", "rss limit exhausted", "encountered a fatal error"];
/// Every undefined-behavior warning contains one of these texts, but a rejection such as `x.pte:1:2: runtime error: …`
/// contains none.
const UNDEFINED_FORMS: [&str; 23] = [
    " null pointer",
    " misaligned address ",
    " with insufficient space for ",
    "assumption of ",
    "applying non-zero offset ",
    "applying zero offset ",
    "unsigned offset ",
    "cannot be represented in type ",
    "division by zero",
    "shift exponent ",
    "left shift of ",
    " out of bounds for type ",
    "execution reached ",
    "variable length array bound ",
    " outside the range of representable values ",
    "passing zero to ",
    "implicit conversion from type ",
    "call to function ",
    "pointer index expression ",
    " not a valid value for type ",
    "which does not point to an object of type ",
    "control flow integrity check ",
    "assumption is violated ",
];
/// The maximum number of lines from which to estimate the severity.
const ESTIMATED: usize = 400;

pub(super) fn report(lines: &[&str]) -> Option<CrashReport> {
    let (start, class) = lines.iter().enumerate().find_map(|(at, line)| Some((at, class(line)?)))?;
    let report = &lines[start..];
    let summary = report.iter().find(|line| line.starts_with(SUMMARY) && self::class(line).is_some());
    // A leak's summary has the number of bytes instead of a name.
    let is_name = |class: &&str| class.starts_with(|first: char| first.is_ascii_alphabetic());
    let class = summary.and_then(|line| self::class(line)).filter(is_name).unwrap_or(class);
    // The summary of a warning about undefined behavior lacks the message.
    let summary = summary.filter(|_| class != UNDEFINED || place(lines[start]).is_none());
    let line = summary.map_or(lines[start], |line| &line[SUMMARY.len()..]);
    let line = line.split_once("==ERROR: ").filter(|_| line.starts_with("==")).map_or(line, |(_, error)| error);
    let mut frames = frames(Language::Native, report);
    if frames.is_empty() {
        frames.extend(place(lines[start]).map(|(file, line)| Frame::at(file, line)));
    }
    let context = AsanContext(report.iter().take(ESTIMATED).map(|line| (*line).to_owned()).collect());
    let severity = match class {
        // `libcasr` has no class for warnings about undefined behavior.
        UNDEFINED => Severity::NotExploitable,
        _ => context.severity().map_or(Severity::Undefined, |class| Severity::of_casr(&class)),
    };
    let kind = if MEMORY.contains(&class) { CrashKind::OutOfMemory } else { CrashKind::Sanitizer(class.to_owned()) };
    Some(CrashReport { kind, line: kept(line), frames, severity, is_uncaught: true, is_from_sanitizer: true })
}

const SUMMARY: &str = "SUMMARY: ";
const UNDEFINED: &str = "undefined-behavior";

/// Returns the name of the error, if the line begins or ends a sanitizer report.
fn class<'l>(line: &&'l str) -> Option<&'l str> {
    // A sanitizer that lets the program continue prints `x.cc:3:14: runtime error: …`.
    if place(line).is_some() {
        return Some(UNDEFINED);
    }
    match line.strip_prefix(SUMMARY) {
        Some(summary) => error(summary),
        // Other sanitizers print `==1234==ERROR: AddressSanitizer: heap-buffer-overflow on …`.
        None => match line.strip_prefix("==")?.split_once("==").filter(|(pid, _)| pid.parse::<u32>().is_ok())?.1 {
            // After this message, the program exits with code 1 without having started.
            text if text.starts_with("ASan runtime does not come first") => Some("runtime-not-first"),
            text => match text.strip_prefix("ERROR: ") {
                Some(text) => error(text),
                None => error(text).filter(|_| FATAL.iter().any(|fatal| text.contains(fatal))),
            },
        },
    }
}

/// Returns the name of the error in `AddressSanitizer: heap-buffer-overflow on …`. Some errors have no name, such as
/// `AddressSanitizer failed to allocate …`.
fn error(text: &str) -> Option<&str> {
    let (tool, error) = text.split_once(' ')?;
    if !tool.trim_end_matches(':').ends_with("Sanitizer") {
        return None;
    }
    Some(match tool {
        "LeakSanitizer:" => "memory-leak",
        _ if tool.ends_with(':') => error.split([' ', ':']).next()?,
        _ if error.starts_with("failed to allocate") => "out-of-memory",
        _ => "internal-error",
    })
}

fn place(line: &str) -> Option<(&str, u64)> {
    let (place, message) = line.split_once(": runtime error: ")?;
    if !UNDEFINED_FORMS.iter().any(|form| message.contains(form)) {
        return None;
    }
    let mut parts = place.rsplitn(3, ':');
    let (_column, line, file) = (parts.next()?.parse::<u32>().ok()?, parts.next()?.parse().ok()?, parts.next()?);
    Some((file, line))
}
