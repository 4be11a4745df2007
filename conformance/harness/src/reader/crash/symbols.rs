//! **Names of code addresses** in sanitizer reports.
//!
//! A sanitizer needs up to a second to name a report's functions, so sanitized readers run without names. Only a crash
//! at an unknown address is re-run with names. These names then complete every later report with this address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::CrashReport;
use crate::reader::outcome::Outcome;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::reader) enum Naming {
    /// The user's own options.
    #[default]
    Usual,
    /// No names: frames have only addresses.
    Addresses,
    /// Each frame has a name, and ends with [`MARK`] and its address.
    Marked,
}

const MARK: &str = " @(";
/// The maximum numbers of addresses with known names, of frames per address and of bytes per name. Beyond that, each
/// crash is re-run to get its names.
const MOST: (usize, usize, usize) = (1 << 12, 16, 1 << 10);

impl Naming {
    /// Returns the option to add to a variable such as `ASAN_OPTIONS`.
    pub(in crate::reader) const fn option(self) -> Option<&'static str> {
        match self {
            Naming::Usual => None,
            Naming::Addresses => Some("symbolize=0"),
            Naming::Marked => Some("stack_trace_format='    #%n %p %F %L @(%m+%o)'"),
        }
    }

    /// Returns whether the user's options affect names, which suppressions also need.
    pub(in crate::reader) fn is_chosen(options: &str) -> bool {
        ["symbolize", "suppressions", "stack_trace_format"].iter().any(|option| options.contains(option))
    }
}

/// The frame texts of each known address. If calls are inlined there, an address has several, because each call has a
/// text of its own. All clones share them.
#[derive(Clone, Debug, Default)]
pub(in crate::reader) struct Symbols(Arc<Mutex<HashMap<String, Vec<String>>>>);

impl Symbols {
    /// Returns whether a report has all names, or can get them from earlier reports.
    pub(in crate::reader) fn knows(&self, outcome: &Outcome) -> bool {
        let known = self.lock();
        let mut addresses = sanitizer_report(outcome).unwrap_or_default().lines().filter_map(unnamed);
        addresses.all(|(_, address)| known.contains_key(address))
    }

    /// Learns the names in a marked report, and completes a report without names.
    pub(in crate::reader) fn complete(&self, outcome: Outcome) -> Outcome {
        let named = sanitizer_report(&outcome).map(|stderr| self.named(stderr));
        match (outcome, named) {
            (Outcome::Died(mut died), Some(stderr)) => {
                died.report = CrashReport::of(&stderr).map(Box::new);
                died.stderr = stderr;
                Outcome::Died(died)
            }
            (outcome, _) => outcome,
        }
    }

    fn named(&self, stderr: &str) -> String {
        let mut known = self.lock();
        // The number of the next frame, and the address that the report is naming.
        let (mut number, mut learning) = (0, "");
        let mut named = Vec::new();
        for line in stderr.lines() {
            if let Some((shown, address)) = marked(line) {
                let text = shown.trim_start().splitn(3, ' ').nth(2).unwrap_or_default();
                let is_new = known.len() < MOST.0 && address.len() <= MOST.2 && !known.contains_key(address);
                learning = if address == learning || is_new { address } else { "" };
                let own = if learning.is_empty() { None } else { Some(known.entry(address.to_owned()).or_default()) };
                match own.filter(|own| own.len() < MOST.1 && text.len() <= MOST.2) {
                    Some(own) if !own.iter().any(|known| known == text) => own.push(text.to_owned()),
                    // A repeated text is a recursive call, so the next frame has the same address.
                    _ => learning = "",
                }
                named.push(shown.to_owned());
                continue;
            }
            learning = "";
            match unnamed(line).and_then(|(start, address)| Some((start, known.get(address)?))) {
                None => named.push(line.to_owned()),
                Some((start, texts)) if start.starts_with("SUMMARY: ") => {
                    // A frame is `in FUNCTION FILE:LINE`, but a summary puts the place first.
                    let text = texts.first().map_or("", String::as_str);
                    named.push(
                        text.rsplit_once(' ').map_or(start.to_owned(), |(name, at)| format!("{start} {at} {name}")),
                    );
                }
                Some((start, texts)) => {
                    number = if start.trim_start().starts_with("#0 ") { 0 } else { number };
                    let counter = start.rsplit(' ').next().unwrap_or_default();
                    named.extend(texts.iter().zip(number..).map(|(text, at)| format!("    #{at} {counter} {text}")));
                    number += texts.len();
                }
            }
        }
        named.join("\n")
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn sanitizer_report(outcome: &Outcome) -> Option<&str> {
    let died = outcome.termination()?;
    died.report.as_ref().filter(|report| report.is_from_sanitizer()).map(|_| died.stderr.as_str())
}

/// Splits a marked frame into its usual form and its address.
fn marked(line: &str) -> Option<(&str, &str)> {
    let (shown, address) = line.strip_suffix(')')?.rsplit_once(MARK)?;
    shown.trim_start().starts_with('#').then_some((shown, address))
}

/// Splits a line such as `    #3 0x563b4d  (/usr/bin/reader+0x53884) (BuildId: 5d3e)`, or the summary of a report
/// without names, into the start and the address.
fn unnamed(line: &str) -> Option<(&str, &str)> {
    let (start, address) = line.split(" (BuildId: ").next()?.trim_end().strip_suffix(')')?.split_once(" (")?;
    let words = start.split_whitespace().count();
    let is_frame = start.trim_start().starts_with('#') && words == 2;
    let is_summary = start.starts_with("SUMMARY: ") && words == 3;
    (address.contains("+0x") && (is_frame || is_summary)).then_some((start.trim_end(), address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::outcome::{Cause, Termination};

    /// A report from a process whose program counters begin at `base`.
    fn report(base: usize, frames: &[impl AsRef<str>], summary: &str) -> Outcome {
        let frame = |(at, frame)| format!("    #{at} {:#x} {}\n", base + at, AsRef::<str>::as_ref(frame));
        let frames: String = frames.iter().enumerate().map(frame).collect();
        let class = "AddressSanitizer: heap-buffer-overflow";
        let stderr = format!("==7==ERROR: {class} on address 0x1\n{frames}\nSUMMARY: {class} {summary}\nend");
        let report = CrashReport::of(&stderr).map(Box::new);
        Outcome::Died(Termination {
            stderr,
            report,
            ..Termination::of(Cause::Sanitizer("heap-buffer-overflow".into()))
        })
    }

    fn stderr(outcome: Outcome) -> String {
        let Outcome::Died(died) = outcome else { return String::new() };
        died.stderr
    }

    const UNNAMED: [&str; 4] =
        [" (/r/reader+0x1a)", " (/r/reader+0x1a)", " (/r/reader+0x2b) (BuildId: 5d)", " (/lib/c.so+0x9)"];
    /// The `walk` function calls itself, and `load` is inlined.
    const MARKED: [&str; 5] = [
        "in walk r.c:1:2 @(/r/reader+0x1a)",
        "in walk r.c:1:2 @(/r/reader+0x1a)",
        "in load r.c:7:1 @(/r/reader+0x2b)",
        "in main r.c:9:1 @(/r/reader+0x2b)",
        " (/lib/c.so+0x9) @(/lib/c.so+0x9)",
    ];

    #[test]
    fn one_marked_report_completes_later_reports() {
        let symbols = Symbols::default();
        let unnamed = report(64, &UNNAMED, "(/r/reader+0x1a) ");
        assert!(!symbols.knows(&unnamed) && symbols.complete(unnamed.clone()) == unnamed);
        let named = MARKED.map(|frame| frame.rsplit_once(MARK).map_or(frame, |(frame, _)| frame));
        let summary = "r.c:1:2 in walk";
        assert_eq!(symbols.complete(report(64, &MARKED, summary)), report(64, &named, summary));
        assert!(symbols.knows(&unnamed));
        // The inlined frame has the same program counter as its caller, so the later frames have higher numbers.
        let expected =
            stderr(report(64, &named, summary)).replace("0x43 in main", "0x42 in main").replace("0x44 ", "0x43 ");
        assert_eq!(stderr(symbols.complete(unnamed)), expected);
    }

    #[test]
    fn a_reader_that_does_not_crash_needs_no_names() {
        let rejected = Outcome::Reject { stage: None, message: "#0 0x1 (/r/reader+0x1a)".to_owned() };
        assert!(Symbols::default().knows(&rejected) && !Naming::is_chosen("exitcode=9"));
        assert!(Naming::is_chosen("exitcode=9:suppressions=own.txt"));
    }
}
