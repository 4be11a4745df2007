//! The site of a failure: the properties that outcomes with the same probable cause share.

use serde::{Deserialize, Serialize};

use crate::reader::crash::Frame;
use crate::reader::outcome::Outcome;
use crate::reader::signature::Signature;
use crate::text::escape::plain_line;

/// The site of a failure. Outcomes with equal sites probably have the same cause.
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
    /// Returns the site of an outcome.
    pub fn of(outcome: &Outcome) -> Self {
        let frames = places(outcome);
        let signature = if frames.is_empty() { Signature::of(outcome) } else { Signature::default() };
        Self { frames, signature }
    }
}

/// The number of frames that identify the place of a crash. One frame is too few, because the innermost function can be
/// a helper that several defective functions call.
const FRAMES: usize = 2;

/// The ends of names that Python and JavaScript give to code without a name of its own.
const ANONYMOUS: [&str; 7] =
    ["<module>", "<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<anonymous>"];

/// Returns the innermost frames of a crash in the reader's own code: functions, or lines of code without a named
/// function.
fn places(outcome: &Outcome) -> Vec<String> {
    let report = outcome.termination().and_then(|termination| termination.report.as_ref());
    let frames = report.map_or(&[][..], |report| &report.frames).iter();
    let named = frames.filter(|frame| !frame.function.is_empty() || frame.line.is_some());
    let name = |frame: &Frame| match (frame.function.as_str(), frame.line) {
        ("", _) => plain_line(&frame.to_string(), FRAME),
        (function, Some(line)) if ANONYMOUS.iter().any(|end| function.ends_with(end)) => {
            let file = frame.file.rsplit('/').next().unwrap_or_default();
            plain_line(&format!("{file}:{line}"), FRAME)
        }
        (function, _) => plain_line(function, FRAME),
    };
    named.take(FRAMES).map(name).collect()
}

/// The maximum number of characters of a frame in a key.
const FRAME: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::crash::CrashReport;
    use crate::reader::outcome::{Cause, Termination};

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
    fn without_frames_the_signature_is_the_site() {
        let crash = Outcome::Died(Termination::of(Cause::Signal(11)));
        assert_eq!(Site::of(&crash).signature, Signature::of(&crash));
    }
}
