//! A failure's site: the properties that outcomes with the same probable cause share.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::reader::crash::Frame;
use crate::reader::outcome::{Cause, Outcome};
use crate::reader::signature::Signature;
use crate::text::escape::plain_line;

/// A failure's site. Outcomes with equal sites probably have the same cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Site {
    /// The functions in the reader's own code in which a crash occurred, the innermost first; empty if stderr names
    /// no function.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub frames: Vec<String>,
    /// The outcome without the numbers in its message; empty if `frames` already identifies the site.
    #[serde(skip_serializing_if = "Signature::is_empty", default)]
    pub signature: Signature,
}

impl Site {
    pub fn of(outcome: &Outcome) -> Self {
        let frames: Vec<String> = named(outcome).take(FRAMES).map(name).collect();
        let signature = if frames.is_empty() { Signature::of(outcome) } else { Signature::default() };
        Self { frames, signature }
    }
}

/// The site of a crash in a run's results, with its place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CrashSite {
    /// The site. Crashes with equal sites probably have the same cause.
    #[serde(flatten)]
    pub site: Site,
    /// The innermost file and line in the reader's own code; empty if stderr names no line.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub line: String,
    /// The type of the uncaught exception; empty for another cause.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub exception: String,
}

impl CrashSite {
    /// Returns the site of a termination, as printable text.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        let cause = &outcome.termination()?.cause;
        let line = named(outcome).find_map(|frame| Some((&frame.file, frame.line?)));
        let line = line.map(|(file, line)| plain_line(&format!("{}:{line}", short(file)), FRAME));
        let exception = if let Cause::Exception(name) = cause { plain_line(name, FRAME) } else { String::new() };
        Some(Self { site: Site::of(outcome), line: line.unwrap_or_default(), exception })
    }
}

impl fmt::Display for CrashSite {
    /// Writes the innermost function with its file and line, or the outcome if stderr names none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.site.frames.first() {
            None => f.write_str(&plain_line(self.site.signature.as_str(), FRAME)),
            Some(frame) if self.line.is_empty() || self.line.ends_with(frame) => f.write_str(frame),
            Some(frame) => write!(f, "{frame} ({})", self.line),
        }
    }
}

fn short(path: &str) -> &str {
    path.rmatch_indices('/').nth(1).map_or(path, |(at, _)| &path[at + 1..])
}

/// The number of frames that identify where a crash happened. The innermost function is not enough, because it can be a
/// helper called by several defective functions.
const FRAMES: usize = 2;

/// The ends of names that Python and JavaScript give to code without a name of its own.
const ANONYMOUS: [&str; 7] =
    ["<module>", "<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<anonymous>"];

/// Returns the frames of a crash in the reader's own code, innermost first: functions, or lines outside named functions.
fn named(outcome: &Outcome) -> impl Iterator<Item = &Frame> {
    let report = outcome.termination().and_then(|termination| termination.report.as_ref());
    let frames = report.map_or(&[][..], |report| &report.frames).iter();
    frames.filter(|frame| !frame.function.is_empty() || frame.line.is_some())
}

/// Returns a frame's function or, for code outside functions, the file and the line.
fn name(frame: &Frame) -> String {
    match (frame.function.as_str(), frame.line) {
        ("", _) => plain_line(&frame.to_string(), FRAME),
        (function, Some(line)) if ANONYMOUS.iter().any(|end| function.ends_with(end)) => {
            let file = frame.file.rsplit('/').next().unwrap_or_default();
            plain_line(&format!("{file}:{line}"), FRAME)
        }
        (function, _) => plain_line(function, FRAME),
    }
}

const FRAME: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::crash::CrashReport;
    use crate::reader::outcome::Termination;

    fn site(stderr: &str) -> Site {
        let report = CrashReport::of(stderr).map(Box::new);
        let cause = Cause::Sanitizer("heap-buffer-overflow".into());
        Site::of(&Outcome::Died(Termination { stderr: stderr.into(), report, ..Termination::of(cause) }))
    }

    fn report(kind: &str, functions: [&str; 3]) -> String {
        let frames = functions.iter().enumerate();
        let frames = frames.map(|(at, name)| format!("    #{at} 0x5{at} in {name} /src/reader.cpp:{}:3\n", 9 + at));
        format!("==7==ERROR: AddressSanitizer: {kind} on address 0x602\n{}\n", frames.collect::<String>())
    }

    #[test]
    fn the_two_innermost_own_frames_are_the_site() {
        let one = site(&report("heap-buffer-overflow", ["__asan_memcpy", "read_name", "load"]));
        assert_eq!(one.frames, ["read_name", "load"]);
        assert_eq!(one, site(&report("SEGV", ["read_name", "load", "main"])));
        assert_ne!(one, site(&report("SEGV", ["read_size", "load", "main"])));
    }

    #[test]
    fn lines_identify_code_outside_functions() {
        let python = |line| {
            let stack = format!("  File \"/home/me/reader.py\", line {line}, in <module>\n    f(data)");
            site(&format!("Traceback (most recent call last):\n{stack}\nValueError: no plan\n")).frames
        };
        assert_eq!([python(3), python(4)], [["reader.py:3"], ["reader.py:4"]]);
        let node = "Error: no plan\n    at plan (/home/me/a.js:4:17)\n    at Object.<anonymous> (/home/me/a.js:9:1)\n";
        assert_eq!(site(node).frames, ["plan", "a.js:9"]);
    }

    #[test]
    fn a_crash_of_a_run_has_a_file_a_line_and_the_type_of_the_exception() {
        let stderr = "Traceback (most recent call last):\n  File \"/home/me/reader.py\", line 3, in load\n    f()\nKeyError: 'x'\n";
        let report = CrashReport::of(stderr).map(Box::new);
        let cause = Cause::Exception("KeyError".to_owned());
        let site = CrashSite::of(&Outcome::Died(Termination { report, ..Termination::of(cause) })).unwrap();
        assert_eq!((site.to_string().as_str(), site.exception.as_str()), ("load (me/reader.py:3)", "KeyError"));
        assert_eq!(
            CrashSite::of(&Outcome::Died(Termination::of(Cause::Signal(11)))).unwrap().to_string(),
            "crash: SIGSEGV"
        );
    }

    #[test]
    fn without_frames_the_signature_is_the_site() {
        let crash = Outcome::Died(Termination::of(Cause::Signal(11)));
        assert_eq!(Site::of(&crash).signature, Signature::of(&crash));
    }
}
