//! **builtin:reference**: the `torchproof` crate as a reader, through the same doors as `check` and `dump`.

use std::path::Path;

use serde_json::Value;
use torchproof::FileKind;
use torchproof::check::{Checker as Check, Finding, Report, Target};
use torchproof::corpus::Role;
use torchproof::rules::{self, Rule, Strength};
use torchproof::{Stage, view};

use super::ReaderInput;
use crate::disk::input::{self, InputError};
use crate::reader::loaded;
use crate::reader::outcome::Outcome;
use torchproof_protocol::{CAPABILITIES, CAPABILITY_BITS_32, Delivery, Want};

/// The setting of a checker that refuses what breaks a should-rule.
const STRICT: &str = "strict";

/// The checker as a reader: for which hosts, how strict, and without which rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Checker {
    pub(super) target: Target,
    /// Whether it refuses what breaks a should-rule.
    pub(super) strict: bool,
    /// A rule that files may break: what the corpus has to notice.
    pub(super) without: Option<&'static Rule>,
}

impl Checker {
    /// With every rule, for hosts of 64 bits.
    pub(super) const USUAL: Checker = Checker { target: Target::Bits64, strict: false, without: None };

    /// The settings of an address: `without=RULE`, `strict`, `32-bit`, with commas between.
    pub(super) fn parse(settings: &str) -> Option<Self> {
        settings.split(',').try_fold(Self::USUAL, |checker, setting| {
            if setting == CAPABILITY_BITS_32 {
                return Some(Self { target: Target::Bits32, ..checker });
            }
            if setting == STRICT {
                return Some(Self { strict: true, ..checker });
            }
            let rule = rules::get(setting.strip_prefix("without=")?)?;
            Some(Self { without: Some(rule), ..checker })
        })
    }

    pub(super) fn name(self) -> String {
        let bits = if self.target == Target::Bits32 { " for 32 bits" } else { "" };
        let without = self.without.map(|rule| format!(" without {rule}")).unwrap_or_default();
        let strict = if self.strict { ", strict" } else { "" };
        format!("reference{bits}{without}{strict}")
    }

    pub(super) fn capabilities(self) -> Vec<&'static str> {
        let has = |capability: &&str| *capability != CAPABILITY_BITS_32 || self.target == Target::Bits32;
        CAPABILITIES.into_iter().filter(has).collect()
    }

    /// Reads each file as far as `stage`, and for a value the first of them whole, or what is said of them all.
    pub(super) fn read(self, files: &[ReaderInput], stage: Stage, want: Want, delivery: Delivery) -> Outcome {
        let mut value = None;
        for (index, ReaderInput { role, path, .. }) in files.iter().enumerate() {
            // Of a program with its data files, the program's.
            let want = if index == 0 { want } else { Want::Verdict };
            match self.read_file(*role, path, stage, want, delivery) {
                Ok(have) => value = value.or(have),
                Err(Rejection { stage, message }) => return Outcome::Reject { stage: Some(stage), message },
            }
        }
        match self.read_set(files, stage, delivery) {
            Ok(()) if want == Want::Loaded => match loaded::loaded(files, stage) {
                Ok(value) => Outcome::Accept { stage, value: Some(value) },
                Err(untold) => Outcome::Unsupported { message: untold.to_string() },
            },
            Ok(()) => Outcome::Accept { stage, value },
            Err(Rejection { stage, message }) => Outcome::Reject { stage: Some(stage), message },
        }
    }

    fn checker(self) -> Check<'static> {
        Check::new().target(self.target)
    }

    /// The first finding for which the file is refused.
    fn first_must(self, report: &Report, stage: Stage) -> Option<&Finding> {
        let refused = |found: &&Finding| match found.rule.strength {
            Strength::Must => true,
            Strength::Should => self.strict,
            Strength::May => false,
        };
        let reached = report.findings.iter().filter(|found| found.rule.stage <= stage);
        reached.filter(refused).find(|found| self.without != Some(found.rule))
    }

    /// What has to hold of a program and its data files together, each of which has been read.
    fn read_set(self, files: &[ReaderInput], stage: Stage, delivery: Delivery) -> Result<(), Rejection> {
        let [ReaderInput { role: Role::Program, path: program, .. }, data @ ..] = files else { return Ok(()) };
        if data.is_empty() {
            return Ok(());
        }
        let program = opened(program, delivery)?;
        let data = data.iter().map(|file| opened(&file.path, delivery)).collect::<Result<Vec<_>, _>>()?;
        let report = data.iter().fold(self.checker(), |checker, data| checker.with(data)).check_source(&program);
        self.first_must(&report, stage).map_or(Ok(()), |found| Err(found.into()))
    }

    fn read_file(
        self,
        role: Role,
        path: &Path,
        stage: Stage,
        want: Want,
        delivery: Delivery,
    ) -> Result<Option<Value>, Rejection> {
        let input = opened(path, delivery)?;
        let report = self.checker().check_source(&input);
        let broken = self.first_must(&report, stage);
        if let Some(message) = wrong_kind(role, report.kind)
            && broken.is_none_or(|found| found.rule.stage > Stage::Open)
        {
            return Err(Rejection { stage: Stage::Header, message });
        }
        if let Some(found) = broken {
            return Err(found.into());
        }
        if let Some(reason) = report.stopped {
            // What ends a check early are the limits of the pass over the tables. A file that exceeds them was not read.
            let message = format!("not examined to the end: {reason}");
            return Err(Rejection { stage: Stage::Structure, message });
        }
        match want {
            Want::Value => Ok(Some(canonical_json(&input)?)),
            Want::Loaded | Want::Verdict => Ok(None),
        }
    }
}

/// The file as a delivery has it: whole in memory, or by ranges of what is at its path.
fn opened(path: &Path, delivery: Delivery) -> Result<input::Input, InputError> {
    match delivery {
        Delivery::Buffer | Delivery::Unaligned => input::Input::open_whole(path, delivery == Delivery::Unaligned),
        _ => input::Input::open(path),
    }
}

/// What is wrong with a file of this kind where the other one belongs.
fn wrong_kind(role: Role, kind: FileKind) -> Option<String> {
    let message = match (role, kind) {
        (Role::Program, FileKind::Ptd | FileKind::PtdLegacy) => "a data file where a program belongs",
        (Role::Program, FileKind::Bpte) => "a bundled program where a program belongs",
        (Role::Data, FileKind::Pte) => "a program where a data file belongs",
        (Role::Data, FileKind::Bpte) => "a bundled program where a data file belongs",
        (Role::Bundled, FileKind::Pte) => "a program where a bundled program belongs",
        (Role::Bundled, FileKind::Ptd | FileKind::PtdLegacy) => "a data file where a bundled program belongs",
        _ => return None,
    };
    Some(message.to_owned())
}

/// What `dump` prints, as a tree.
fn canonical_json(input: &input::Input) -> Result<Value, Rejection> {
    let mut file = view::File::open_within(input.image(), view::File::VALUE_LIMITS)?;
    file.hash(|span, sink| input.read(span, sink).map_err(Rejection::from))?;
    serde_json::to_value(&file).map_err(|error| Rejection { stage: Stage::Structure, message: error.to_string() })
}

/// Where and why a file is refused.
struct Rejection {
    stage: Stage,
    message: String,
}

impl From<InputError> for Rejection {
    fn from(error: InputError) -> Self {
        Self { stage: Stage::Open, message: error.to_string() }
    }
}

impl From<&Finding> for Rejection {
    fn from(found: &Finding) -> Self {
        let Finding { rule, path, message, .. } = found;
        let colon = if path.is_empty() { "" } else { ": " };
        Self { stage: rule.stage, message: format!("{rule}: {path}{colon}{message}") }
    }
}

/// Only where the checker passes what the view does not, and so an error in one of them.
impl From<view::ViewError> for Rejection {
    fn from(error: view::ViewError) -> Self {
        Self { stage: error.error().stage, message: error.to_string() }
    }
}
