//! What was counted beside what is recorded, and what that comes to.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::Deserialize;

/// A subject may take this many hundredths more than are recorded, and is not worth a word if it takes as many fewer.
pub(crate) const PERCENT: u64 = 3;

/// The checked-in figures.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Figures {
    made_with: MadeWith,
    instructions: BTreeMap<String, u64>,
}

/// What the figures depend on beside the code that is counted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MadeWith {
    /// The compiler's release, and what it compiles for: with another, figures are not comparable.
    pub(crate) rustc: String,
    pub(crate) host: String,
    /// These count for little: they are named where a subject is not as recorded.
    pub(crate) libc: String,
    pub(crate) valgrind: String,
}

impl MadeWith {
    fn is_comparable(&self, other: &Self) -> bool {
        (&self.rustc, &self.host) == (&other.rustc, &other.host)
    }
}

impl fmt::Display for MadeWith {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rustc {} for {}, {}, valgrind {}", self.rustc, self.host, self.libc, self.valgrind)
    }
}

/// A subject and its instructions.
pub(crate) type Counted = (String, u64);

/// What a subject came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// As recorded, give or take [`PERCENT`].
    None,
    /// More than that above the figure.
    Rose,
    /// More than that below the figure, which should be recorded anew: it would let the subject rise again.
    Fell,
    /// No figure is recorded.
    NoFigure,
    /// A figure is recorded, and there is no such subject.
    NoSubject,
}

/// A subject beside its figure.
#[derive(Clone, Debug)]
struct Row {
    subject: String,
    recorded: Option<u64>,
    counted: Option<u64>,
    change: Change,
}

/// What all subjects come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing rose, and subjects and figures are the same.
    Holds,
    /// Something rose, or a subject or a figure stands alone.
    Fails,
    /// The figures are another compiler's: subjects and figures are the same, and nothing else is known.
    NotApplied,
}

/// All subjects beside all figures.
#[derive(Debug)]
pub(crate) struct Comparison {
    rows: Vec<Row>,
    recorded: MadeWith,
    here: MadeWith,
}

impl Figures {
    /// Reads what [`text`] has written.
    pub(crate) fn read(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// Puts what was counted beside the figures.
    pub(crate) fn compare(&self, here: &MadeWith, counted: &[Counted]) -> Comparison {
        let beside = |(subject, counted): &Counted| {
            let recorded = self.instructions.get(subject).copied();
            let change = recorded.map_or(Change::NoFigure, |recorded| change(recorded, *counted));
            Row { subject: subject.clone(), recorded, counted: Some(*counted), change }
        };
        let alone = |(subject, recorded): (&String, &u64)| {
            let known = counted.iter().any(|(name, _)| name == subject);
            let row =
                Row { subject: subject.clone(), recorded: Some(*recorded), counted: None, change: Change::NoSubject };
            (!known).then_some(row)
        };
        let rows = counted.iter().map(beside).chain(self.instructions.iter().filter_map(alone)).collect();
        Comparison { rows, recorded: self.made_with.clone(), here: here.clone() }
    }
}

fn change(recorded: u64, counted: u64) -> Change {
    let (recorded, counted) = (u128::from(recorded), u128::from(counted));
    if counted * 100 > recorded * u128::from(100 + PERCENT) {
        Change::Rose
    } else if counted * 100 < recorded * u128::from(100 - PERCENT) {
        Change::Fell
    } else {
        Change::None
    }
}

impl Comparison {
    pub(crate) fn verdict(&self) -> Verdict {
        let any = |wanted| self.rows.iter().any(|row| row.change == wanted);
        let comparable = self.recorded.is_comparable(&self.here);
        if any(Change::NoFigure) || any(Change::NoSubject) || comparable && any(Change::Rose) {
            Verdict::Fails
        } else if comparable {
            Verdict::Holds
        } else {
            Verdict::NotApplied
        }
    }
}

/// A line for each subject, and behind them what to make of it; what has to be seen begins a line in capitals.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comparable = self.recorded.is_comparable(&self.here);
        let subject = self.rows.iter().map(|row| row.subject.len()).max().unwrap_or(0).max("subject".len());
        writeln!(f, "{:<subject$}{:>14}{:>14}{:>10}", "subject", "recorded", "counted", "change")?;
        for row in &self.rows {
            let [recorded, counted] = [row.recorded, row.counted].map(|figure| figure.map_or("–".to_owned(), grouped));
            let change = row.recorded.zip(row.counted).map_or(String::new(), |(recorded, counted)| {
                format!("{:+.2} %", (counted as f64 / recorded as f64 - 1.0) * 100.0)
            });
            let word = match row.change {
                Change::None => "",
                Change::Rose if comparable => "  ROSE",
                Change::Rose => "  rose",
                Change::Fell => "  fell",
                Change::NoFigure => "  NO FIGURE",
                Change::NoSubject => "  NO SUBJECT",
            };
            writeln!(f, "{:<subject$}{recorded:>14}{counted:>14}{change:>10}{word}", row.subject)?;
        }
        writeln!(f, "\n{}", self.conclusion())
    }
}

impl Comparison {
    fn conclusion(&self) -> String {
        let count = |wanted| self.rows.iter().filter(|row| row.change == wanted).count();
        let mut text = String::new();
        let mut say = |line: fmt::Arguments<'_>| _ = writeln!(text, "{line}");
        let alone = count(Change::NoFigure) + count(Change::NoSubject);
        if alone > 0 {
            say(format_args!("FAILED: {alone} with a subject and no figure, or a figure and no subject: record again"));
        }
        if !self.recorded.is_comparable(&self.here) {
            say(format_args!("GATE NOT APPLIED: the figures are another compiler's; record again with this one"));
            say(format_args!("  recorded: {}\n  here:     {}", self.recorded, self.here));
            return text;
        }
        let (rose, fell) = (count(Change::Rose), count(Change::Fell));
        if rose > 0 {
            say(format_args!("FAILED: {rose} rose by more than {PERCENT} %: mend it, or record again and say why"));
        }
        if fell > 0 {
            say(format_args!(
                "{fell} fell by more than {PERCENT} %: record again, or they may rise to where they were"
            ));
        }
        if rose + fell > 0 && self.recorded != self.here {
            say(format_args!("it may be for another library or valgrind:"));
            say(format_args!("  recorded: {}\n  here:     {}", self.recorded, self.here));
        }
        if self.verdict() == Verdict::Holds {
            say(format_args!("nothing rose by more than {PERCENT} %"));
        }
        text
    }
}

/// The file of figures, in the order in which they were counted.
pub(crate) fn text(here: &MadeWith, counted: &[Counted]) -> String {
    let MadeWith { rustc, host, libc, valgrind } = here;
    let mut text = format!(
        "# The instructions that each subject takes: the gate of CI. Written by\n\
         #     cargo bench -p torchproof-instructions -- --record\n\n\
         [made-with]\nrustc = \"{rustc}\"\nhost = \"{host}\"\nlibc = \"{libc}\"\nvalgrind = \"{valgrind}\"\n\n\
         [instructions]\n"
    );
    for (subject, counted) in counted {
        let figure = grouped(*counted);
        let _ = writeln!(text, "\"{subject}\" = {figure}");
    }
    text
}

/// A number by thousands, as TOML takes it.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join("_")
}
