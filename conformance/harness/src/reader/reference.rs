//! **builtin:reference**: the `torchproof` crate as a reader, with the same functions as `check` and `dump`.

use std::path::Path;

use serde_json::Value;
use torchproof::FileKind;
use torchproof::Role;
use torchproof::check::{Checker as Check, Finding, Report, Target};
use torchproof::rules::{self, Rule, Strength};
use torchproof::{Stage, view};

use super::ReaderInput;
use crate::disk::input::{self, InputError};
use crate::reader::loaded;
use crate::reader::outcome::Outcome;
use torchproof_protocol::{CAPABILITIES, CAPABILITY_BITS_32, Delivery, Want};

const STRICT: &str = "strict";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Checker {
    pub(super) target: Target,
    /// `true` to reject files that break a should-rule.
    pub(super) strict: bool,
    /// The disabled rule, if any. Disabling a rule should make at least one case of the corpus fail.
    pub(super) without: Option<&'static Rule>,
}

impl Checker {
    /// All rules for 64-bit hosts, not strict.
    pub(super) const DEFAULT: Checker = Checker { target: Target::Bits64, strict: false, without: None };

    /// Parses the settings of an address: `without=RULE`, `strict` and `32-bit`, separated by commas.
    pub(super) fn parse(settings: &str) -> Option<Self> {
        settings.split(',').try_fold(Self::DEFAULT, |checker, setting| {
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

    /// Reads all files up to `stage`. The value is the first file's canonical JSON, or the loaded form of all files.
    pub(super) fn read(self, files: &[ReaderInput], stage: Stage, want: Want, delivery: Delivery) -> Outcome {
        let mut value = None;
        for (index, ReaderInput { role, path, .. }) in files.iter().enumerate() {
            // Only the first file has a value. If there are data files, the first file is the program.
            let want = if index == 0 { want } else { Want::Verdict };
            match self.read_file(*role, path, stage, want, delivery) {
                Ok(have) => value = value.or(have),
                Err(Rejection { stage, message }) => return Outcome::Reject { stage: Some(stage), message },
            }
        }
        match self.read_set(files, stage, delivery) {
            Ok(()) if want == Want::Loaded => match loaded::loaded(files, stage) {
                Ok(value) => Outcome::Accept { stage, value: Some(value) },
                Err(error) => Outcome::Unsupported { message: error.to_string() },
            },
            Ok(()) => Outcome::Accept { stage, value },
            Err(Rejection { stage, message }) => Outcome::Reject { stage: Some(stage), message },
        }
    }

    fn checker(self) -> Check<'static> {
        Check::new().target(self.target)
    }

    /// Returns the first finding that makes the reader reject the file.
    fn first_must(self, report: &Report, stage: Stage) -> Option<&Finding> {
        let rejects = |found: &&Finding| match found.rule.strength {
            Strength::Must => true,
            Strength::Should => self.strict,
            Strength::May => false,
        };
        let reached = report.findings.iter().filter(|found| found.rule.stage <= stage);
        reached.filter(rejects).find(|found| self.without != Some(found.rule))
    }

    /// Checks a program together with its data files, after each file has passed its own check.
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
            // The check stopped at a verifier limit before the end of the file, so reject it.
            let message = format!("the check stopped early: {reason}");
            return Err(Rejection { stage: Stage::Structure, message });
        }
        match want {
            // A checker that ignores a rule can accept a file without a canonical JSON.
            Want::Value => Ok(canonical_json(&input).ok()),
            Want::Loaded | Want::Verdict => Ok(None),
        }
    }
}

/// Opens the file as the delivery requires: reads all of it, or leaves it open for reading ranges.
fn opened(path: &Path, delivery: Delivery) -> Result<input::Input, InputError> {
    match delivery {
        Delivery::Buffer | Delivery::Unaligned => input::Input::open_whole(path, delivery == Delivery::Unaligned),
        _ => input::Input::open(path),
    }
}

/// Returns an error if the kind of the file does not match its role.
fn wrong_kind(role: Role, kind: FileKind) -> Option<String> {
    let message = match (role, kind) {
        (Role::Program, FileKind::Ptd | FileKind::PtdLegacy) => "found a data file, expected a program",
        (Role::Program, FileKind::Bpte) => "found a bundled program, expected a program",
        (Role::Data, FileKind::Pte) => "found a program, expected a data file",
        (Role::Data, FileKind::Bpte) => "found a bundled program, expected a data file",
        (Role::Bundled, FileKind::Pte) => "found a program, expected a bundled program",
        (Role::Bundled, FileKind::Ptd | FileKind::PtdLegacy) => "found a data file, expected a bundled program",
        _ => return None,
    };
    Some(message.to_owned())
}

/// Returns the JSON that `dump` prints.
fn canonical_json(input: &input::Input) -> Result<Value, Rejection> {
    let mut file = view::File::open_within(input.file_bytes(), view::File::VALUE_LIMITS)?;
    file.hash(|span, sink| input.read(span, sink).map_err(Rejection::from))?;
    serde_json::to_value(&file).map_err(|error| Rejection { stage: Stage::Structure, message: error.to_string() })
}

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

/// The checker has accepted the file, so this error is a bug in the checker or the view.
impl From<view::ViewError> for Rejection {
    fn from(error: view::ViewError) -> Self {
        Self { stage: error.error().stage, message: error.to_string() }
    }
}
