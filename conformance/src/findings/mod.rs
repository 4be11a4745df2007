//! **What `check` found in files**: owned findings, and one file for each way of printing them.

pub mod json;
pub mod ordered;
pub mod quiet;
pub mod sarif;
pub mod sources;
mod stream;
pub mod text;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use torchproof::bundled::Bundled;
use torchproof::check::companions::{self, Member};
use torchproof::check::{Finding, Gaps, Incomplete, Kind, Options, check};
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof::rules::{Rule, Strength};
use torchproof::{Image, Span, Stage};

use crate::escape::plain_name;
use crate::input::{Input, InputError};

/// Findings kept of one file; more are counted, so that a hostile file cannot fill the memory or the screen.
pub const KEPT: usize = 1000;

/// A rule broken in a file, kept after the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The rule.
    pub rule: &'static Rule,
    /// The data file that it is in, if it is not in the file that was checked.
    pub companion: Option<PathBuf>,
    /// The field; empty for the file as a whole.
    pub path: String,
    /// The bytes.
    pub span: Span,
    /// What is wrong, as one sentence without a full stop; quotes of the file are escaped.
    pub message: String,
}

impl Found {
    fn of(finding: &Finding<'_>, companion: Option<PathBuf>) -> Self {
        Self {
            rule: finding.rule,
            companion,
            path: finding.path.to_string(),
            span: finding.span,
            message: finding.message.to_string(),
        }
    }
}

/// One file's result.
#[derive(Debug)]
pub struct Examined {
    /// What kind of file it is.
    pub kind: Kind,
    /// The first [`KEPT`] findings, in the order they were made.
    pub findings: Vec<Found>,
    /// How many there were: must, should, may.
    pub counts: [u32; 3],
    /// Why the file was not examined to the end, as one line.
    pub incomplete: Option<String>,
    /// What else is to be said of the file's examination.
    pub note: Option<String>,
}

impl Examined {
    /// Whether the file breaks no must-rule, or with `strict` no should-rule either, and was examined to the end.
    #[must_use]
    pub fn accepts(&self, strict: bool) -> bool {
        self.incomplete.is_none() && !self.rejects(strict)
    }

    /// Whether the file breaks a must-rule, or with `strict` a should-rule.
    #[must_use]
    pub fn rejects(&self, strict: bool) -> bool {
        self.counts[0] > 0 || strict && self.counts[1] > 0
    }

    /// What it comes to.
    #[must_use]
    pub fn verdict(&self, strict: bool) -> Verdict {
        if self.rejects(strict) {
            Verdict::Reject
        } else if self.incomplete.is_some() {
            Verdict::Unexamined
        } else if self.counts[1] > 0 {
            Verdict::Warn
        } else {
            Verdict::Accept
        }
    }

    /// The first must-finding for which a reader that goes as far as `stage` has to refuse the file.
    #[must_use]
    pub fn first_must(&self, stage: Stage) -> Option<&Found> {
        self.musts(stage).next()
    }

    /// The must-findings for each of which a reader that goes as far as `stage` has to refuse the file.
    pub fn musts(&self, stage: Stage) -> impl Iterator<Item = &Found> {
        self.findings.iter().filter(move |found| found.rule.strength == Strength::Must && found.rule.stage <= stage)
    }
}

/// What a file's findings come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It breaks no rule that counts, and no should-rule.
    Accept,
    /// It is accepted, and breaks a should-rule.
    Warn,
    /// It breaks a rule that counts.
    Reject,
    /// It was not examined to the end, and nothing found till then rejects it.
    Unexamined,
}

/// How many files came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub files: u64,
    /// Those that were rejected.
    pub rejected: u64,
    /// Those that were accepted with warnings.
    pub warned: u64,
    /// Those that were not examined, or not to the end; some of them may be rejected as well.
    pub unexamined: u64,
}

impl Tally {
    /// Counts one file; one that could not be read has nothing that was examined.
    pub fn add(&mut self, examined: Option<&Examined>, strict: bool) {
        self.files += 1;
        self.unexamined += u64::from(examined.is_none_or(|examined| examined.incomplete.is_some()));
        match examined.map(|examined| examined.verdict(strict)) {
            Some(Verdict::Reject) => self.rejected += 1,
            Some(Verdict::Warn) => self.warned += 1,
            Some(Verdict::Accept | Verdict::Unexamined) | None => {}
        }
    }

    /// What `check` exits with: 2 where something could not be examined, else 1 where something was rejected.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match (self.unexamined, self.rejected) {
            (0, 0) => 0,
            (0, _) => 1,
            _ => 2,
        }
    }
}

/// Checks the file at `path`, reading its header, its FlatBuffer and the gaps between its segments.
///
/// # Errors
///
/// The file cannot be opened or its head cannot be read. A file that fails later is incomplete, with what was found till then.
pub fn examine(path: &Path, options: &Options) -> Result<(Input, Examined), InputError> {
    examine_opened(&Input::open, path, options)
}

/// How a file is opened.
pub(crate) type Open<'o> = &'o dyn Fn(&Path) -> Result<Input, InputError>;

/// As [`examine`], with the file as `open` gives it.
pub(crate) fn examine_opened(open: Open<'_>, path: &Path, options: &Options) -> Result<(Input, Examined), InputError> {
    let input = open(path)?;
    let examined = examine_image(input.image(), &mut &input, options);
    Ok((input, examined))
}

/// Checks a file of which `image` has the first bytes, and `gaps` knows the others.
pub(crate) fn examine_image(image: Image<'_>, gaps: &mut dyn Gaps, options: &Options) -> Examined {
    let mut findings = Vec::new();
    let mut last_must = None;
    let mut sink = |finding: &Finding<'_>| {
        if findings.len() < KEPT {
            findings.push(Found::of(finding, None));
        } else if finding.rule.strength == Strength::Must && last_must.is_none() {
            last_must = Some(Found::of(finding, None));
        }
        ControlFlow::Continue(())
    };
    let mut memory: Vec<u64> = Vec::new();
    let report = check(image, gaps, options, &mut memory, &mut sink);
    // A rejection has to be explained even where a thousand warnings come before its reason.
    if !findings.iter().any(|found| found.rule.strength == Strength::Must) {
        findings.extend(last_must);
    }
    let incomplete = report.incomplete.and_then(|reason| match reason {
        Incomplete::Asked => None,
        Incomplete::Limit(limit) => Some(format!("not examined to the end: {limit}")),
        Incomplete::NotHeld { needed } => Some(format!("not examined to the end: its first {needed} bytes are needed")),
        Incomplete::NotCovered => Some("the rules do not cover .ptn packages".to_owned()),
        Incomplete::UnreadGap(span) => Some(format!("{} could not be read", text::bytes_of(span, u64::MAX))),
        _ => Some("not examined to the end".to_owned()),
    });
    let counts = [report.must, report.should, report.may];
    Examined { kind: report.kind, findings, counts, incomplete, note: None }
}

/// Checks a program, bundled or not, together with its data files: whatever [`examine`] finds in it, and what is wrong with the
/// set. Any other file is checked by itself, and so is a program without data files: where its external tensors are is not asked.
///
/// Nothing is said of a set with a file in it that is rejected by itself.
///
/// # Errors
///
/// One of the files cannot be opened, or its head cannot be read.
pub fn examine_set(path: &Path, companions: &[PathBuf], options: &Options) -> Result<(Input, Examined), InputError> {
    examine_set_but(path, companions, options, &|_| false)
}

/// As [`examine_set`], with the files as `open` gives them.
pub(crate) fn examine_set_opened(
    open: Open<'_>,
    path: &Path,
    companions: &[PathBuf],
    options: &Options,
) -> Result<(Input, Examined), InputError> {
    examine_members(open, path, companions, options, &|_| false)
}

/// As [`examine_set`], but for what is wrong with the set and `explained`.
pub(crate) fn examine_set_but(
    path: &Path,
    companions: &[PathBuf],
    options: &Options,
    explained: &dyn Fn(&Found) -> bool,
) -> Result<(Input, Examined), InputError> {
    examine_members(&Input::open, path, companions, options, explained)
}

fn examine_members(
    open: Open<'_>,
    path: &Path,
    companions: &[PathBuf],
    options: &Options,
    explained: &dyn Fn(&Found) -> bool,
) -> Result<(Input, Examined), InputError> {
    let (input, mut examined) = examine_opened(open, path, options)?;
    let holds_program = matches!(examined.kind, Kind::Pte | Kind::Bpte);
    if companions.is_empty() || !holds_program || !examined.accepts(false) {
        return Ok((input, examined));
    }
    let mut data = Vec::new();
    for companion in companions {
        let (companion_input, alone) = examine_opened(open, companion, options)?;
        let name = plain_name(&companion.to_string_lossy());
        if !matches!(alone.kind, Kind::Ptd | Kind::PtdLegacy) {
            examined.incomplete = Some(format!("not checked together with {name}, which is no data file"));
            return Ok((input, examined));
        }
        if !alone.accepts(false) {
            examined.note = Some(format!("not checked together with {name}, which is not accepted itself"));
            return Ok((input, examined));
        }
        data.push(companion_input);
    }
    let program = match examined.kind {
        Kind::Bpte => bundled_program(&input),
        _ => Pte::open_image(input.image()).map(|program| (program, 0)),
    };
    let incomplete = match (program, open_all(&data)) {
        (Ok((program, start)), Ok(data)) => {
            let mut sink = |member: Member, finding: &Finding<'_>| {
                let mut found = match member {
                    Member::Program => Found::of(finding, None),
                    Member::Data(index) => Found::of(finding, Some(companions[index].clone())),
                };
                if member == Member::Program && start > 0 {
                    found.path = format!("program.{}", found.path);
                    found.span.offset += start;
                }
                if explained(&found) {
                    return ControlFlow::Continue(());
                }
                if examined.findings.len() < KEPT || examined.counts[0] == 0 {
                    examined.findings.push(found);
                }
                examined.counts[0] += 1;
                ControlFlow::Continue(())
            };
            let report = companions::check(&program, &data, options.limits, &mut Vec::new(), &mut sink);
            report.incomplete.map(|_| "not examined to the end together with its data files".to_owned())
        }
        (Err(error), _) | (_, Err(error)) => Some(error.to_string()),
    };
    examined.incomplete = incomplete;
    Ok((input, examined))
}

/// The program in a bundled one, and where it begins.
fn bundled_program(input: &Input) -> Result<(Pte<'_>, u64), torchproof::Error> {
    let bundle = Bundled::open(input.image().bytes())?;
    let start = bundle.root().program()?.map_or(0, |bytes| bytes.span().offset);
    Ok((bundle.program()?, start))
}

fn open_all(data: &[Input]) -> Result<Vec<Ptd<'_>>, torchproof::Error> {
    data.iter().map(|input| Ptd::open_image(input.image())).collect()
}
