//! **The findings of `check`**, and their output formats.

pub(crate) mod ci;
mod external;
pub(crate) mod json;
pub(crate) mod predicted;
pub(crate) mod quiet;
pub(crate) mod sarif;
pub mod text;

use std::path::{Path, PathBuf};

use torchproof::check::{Checker, Finding, Report, StopReason};
use torchproof::ptd::Ptd;
use torchproof::rules::{Basis, Rule, Strength};
use torchproof::{FileBytes, FileKind, Span, Stage};
use torchproof_harness::disk::input::{Input, InputError};
use torchproof_harness::text::counted;
use torchproof_harness::text::escape::{plain_line, plain_name, shell_line};

use crate::render::{Level, Region, ReportRow, RowKind, RowPlace};
use crate::settings::ProjectSettings;
use predicted::{BuildResult, NamedBuild, role_of};
use torchproof::prediction::{
    BuildProfile, EffectTable, LoadedFile, MethodPrediction, Prediction, Release, Requirements, RuntimePrediction,
};

#[derive(Clone, Debug)]
pub struct ExaminedFile {
    pub report: Report,
    pub companions: Vec<PathBuf>,
    /// In the order of `companions`.
    pub companion_kinds: Vec<FileKind>,
    pub missing: Vec<String>,
    /// Unresolved external tensors reject the file.
    pub data_required: bool,
    /// The findings that the settings allow; the report omits them.
    pub allowed: Vec<AllowedFinding>,
    /// What the builds of `--build` answer. A build that fails rejects the file.
    pub(crate) builds: Vec<BuildResult>,
    /// What a build must have for the prediction `loads` of `--runtime`.
    pub(crate) depends_on: Option<Requirements>,
}

#[derive(Clone, Debug)]
pub struct AllowedFinding {
    pub finding: Finding,
    pub reason: String,
}

impl ExaminedFile {
    pub const fn alone(report: Report) -> Self {
        Self {
            report,
            companions: Vec::new(),
            companion_kinds: Vec::new(),
            missing: Vec::new(),
            data_required: false,
            allowed: Vec::new(),
            builds: Vec::new(),
            depends_on: None,
        }
    }

    pub fn allow(&mut self, path: &Path, settings: &ProjectSettings) {
        self.settle_unresolved();
        for finding in std::mem::take(&mut self.report.findings) {
            let reason = settings.allows(finding.rule.id, self.companion(&finding).unwrap_or(path), "");
            let Some(reason) = reason.map(str::to_owned) else {
                self.report.findings.push(finding);
                continue;
            };
            self.uncount(finding.rule);
            self.allowed.push(AllowedFinding { finding, reason });
        }
    }

    /// Removes the findings of rules with other bases, unless `bases` is empty.
    pub fn select(&mut self, bases: &[Basis]) {
        if bases.is_empty() {
            return;
        }
        self.settle_unresolved();
        let found = std::mem::take(&mut self.report.findings);
        let (kept, removed): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| bases.contains(&found.rule.basis));
        self.report.findings = kept;
        removed.iter().for_each(|found| self.uncount(found.rule));
        self.allowed.retain(|allowed| bases.contains(&allowed.finding.rule.basis));
    }

    /// A rejected program was not compared with data files, and that stays so when its findings are removed.
    fn settle_unresolved(&mut self) {
        if !self.report.accepts() {
            (self.report.summary.unresolved, self.report.summary.unresolved_keys) = (0, 0);
        }
    }

    fn uncount(&mut self, rule: &Rule) {
        let summary = &mut self.report.summary;
        let count = match rule.strength {
            Strength::Must => &mut summary.must,
            Strength::Should => &mut summary.should,
            Strength::May => &mut summary.may,
        };
        *count = count.saturating_sub(1);
    }

    /// The check finished, and the file is not rejected.
    pub fn accepts(&self, deny_should: bool) -> bool {
        self.report.stopped.is_none() && !self.rejects(deny_should)
    }

    /// The file breaks a must-rule, lacks required data files, fails in a build or, with `deny_should`, breaks a should-rule.
    pub fn rejects(&self, deny_should: bool) -> bool {
        let is_broken = self.report.must > 0 || deny_should && self.report.should > 0;
        is_broken || self.data_required && self.unresolved().is_some() || self.builds.iter().any(BuildResult::fails)
    }

    /// External tensors that no data file resolves. `None` if there are none, or if the program itself is rejected or not fully
    /// checked.
    pub(crate) fn unresolved(&self) -> Option<u32> {
        let count = self.report.unresolved.saturating_add(self.report.unresolved_keys);
        Some(count).filter(|count| *count > 0 && self.report.accepts())
    }

    pub fn incomplete(&self) -> Option<String> {
        Some(match self.report.stopped? {
            StopReason::NotCovered => "the rules do not cover .ptn packages".to_owned(),
            StopReason::Unread(span) => format!("cannot read {}", bytes_of(span, u64::MAX)),
            StopReason::NotData(index) => {
                let kind = self.companion_kinds.get(index).copied().unwrap_or(FileKind::Unknown);
                let (found, hint) = match kind {
                    FileKind::Pte => ("a program (.pte)", "; pass programs without --with"),
                    FileKind::Bpte => ("a bundled program (.bpte)", "; pass programs without --with"),
                    FileKind::Ptn => ("a .ptn package", "; pass packages without --with"),
                    _ => ("a file of an unknown kind", ""),
                };
                format!("not checked with {}: found {found}, expected a data file{hint}", self.companion_name(index))
            }
            reason => format!("the check did not finish: {reason}"),
        })
    }

    /// Why the checker did not compare the program with data files: a rejected data file, or unresolved external tensors.
    pub fn note(&self) -> Option<String> {
        if let Some(index) = self.report.rejected_companion {
            return Some(format!("not checked with {}, because that file is rejected", self.companion_name(index)));
        }
        self.unresolved()?;
        let of = |count: u32, noun| Some(counted(count, noun)).filter(|_| count > 0);
        let tensors = of(self.report.unresolved, "external tensor").map(|count| format!("{count}{}", self.names()));
        let constants = of(self.report.unresolved_keys, "XNNPACK constant");
        let all: Vec<String> = [tensors, constants].into_iter().flatten().collect();
        let reason = if self.companions.is_empty() {
            "; pass data files with --with"
        } else {
            ", because the program is rejected"
        };
        Some(format!("{} not resolved{reason}", all.join(" and ")))
    }

    /// Why the file is rejected although it breaks no must-rule.
    pub(crate) fn other_reason(&self) -> Option<String> {
        let failed = self.builds.iter().find(|build| build.fails());
        let failed = failed.map(|build| format!("fails in the build {}", plain_name(&build.build)));
        failed.or_else(|| self.note())
    }

    fn names(&self) -> String {
        let mut names: Vec<String> = self.missing.iter().map(|name| format!("\"{}\"", plain_line(name, 60))).collect();
        if self.report.unresolved > names.len().try_into().unwrap_or(u32::MAX) && !names.is_empty() {
            names.push("…".to_owned());
        }
        if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
    }

    pub fn compared(&self) -> &[PathBuf] {
        let Report { rejected_companion, summary, .. } = &self.report;
        let refused = rejected_companion.is_some() || matches!(summary.stopped, Some(StopReason::NotData(_)));
        if refused || summary.kind != FileKind::Pte { &[] } else { &self.companions }
    }

    /// `None` if the finding is in the checked file itself.
    pub fn companion(&self, finding: &Finding) -> Option<&Path> {
        self.companions.get(finding.companion?).map(PathBuf::as_path)
    }

    /// Returns why no prediction is possible.
    pub(crate) fn unpredictable(&self) -> Option<String> {
        let reason = self.incomplete().or_else(|| self.note().filter(|_| self.report.rejected_companion.is_some()));
        reason.or_else(|| (self.report.omitted() > 0).then(|| "the file has too many findings".to_owned()))
    }

    pub(crate) fn loaded<'a>(&'a self, input: &'a Input) -> LoadedFile<'a> {
        let role = role_of(input.path(), self.report.kind);
        LoadedFile { file_bytes: input.file_bytes(), role, report: &self.report, data: &self.companion_kinds }
    }

    pub(crate) fn predictions(&self, input: &Input, releases: &[Release]) -> Vec<RuntimePrediction> {
        let loaded = self.loaded(input);
        let unknown = self.unpredictable();
        // If the check exceeded a limit, the search for keys could take hours.
        let keys = if unknown.is_some() || releases.is_empty() { Vec::new() } else { loaded.keys() };
        let columns = releases.iter().flat_map(|release| EffectTable::get().of_release(*release));
        let predicted = columns.map(|column| match &unknown {
            Some(reason) => RuntimePrediction::unknown(column, reason),
            None if !column.knows(loaded.role) => {
                RuntimePrediction::unknown(column, "the predictions of the release do not cover files of this kind")
            }
            None => RuntimePrediction::of(column, &keys),
        });
        predicted.collect()
    }

    pub(crate) fn in_builds(&self, input: &Input, builds: &[NamedBuild]) -> Vec<BuildResult> {
        let unknown = self.unpredictable();
        let predict = |profile: &BuildProfile| match &unknown {
            Some(reason) => vec![MethodPrediction::of_file(Prediction::Unknown { reason: reason.clone() })],
            None => profile.predict(&self.loaded(input)),
        };
        let predict =
            |NamedBuild { name, profile }: &NamedBuild| BuildResult { build: name.clone(), methods: predict(profile) };
        builds.iter().map(predict).collect()
    }

    fn companion_name(&self, index: usize) -> String {
        self.companions.get(index).map(|path| plain_name(&path.to_string_lossy())).unwrap_or_default()
    }

    pub fn verdict(&self, deny_should: bool) -> CheckVerdict {
        if self.rejects(deny_should) {
            CheckVerdict::Reject
        } else if self.report.stopped.is_some() {
            CheckVerdict::Unexamined
        } else if self.report.should > 0 {
            CheckVerdict::Warn
        } else {
            CheckVerdict::Accept
        }
    }

    pub fn first_must(&self, stage: Stage) -> Option<&Finding> {
        let must = |found: &&Finding| found.rule.strength == Strength::Must && found.rule.stage <= stage;
        self.report.findings.iter().find(must)
    }

    pub fn fault(&self) -> Option<String> {
        let found = self.first_must(Stage::LAST)?;
        let place = if found.path.is_empty() { String::new() } else { format!("{}: ", found.path) };
        let more = match self.report.must {
            0 | 1 => String::new(),
            count => format!(", and {} more", count - 1),
        };
        Some(format!("{place}{} (breaks {}){more}", found.message, found.rule.id))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct CheckedFile {
    pub path: PathBuf,
    pub len: Option<u64>,
    pub examined: Result<ExaminedFile, String>,
    pub runtime: Vec<RuntimePrediction>,
}

impl CheckedFile {
    fn verdict(&self, deny_should: bool) -> CheckVerdict {
        self.examined.as_ref().map_or(CheckVerdict::Unexamined, |examined| examined.verdict(deny_should))
    }

    fn place(&self, artifact: Option<usize>) -> RowPlace {
        RowPlace { path: self.path.clone(), artifact, region: None, field: String::new() }
    }

    /// Why the file is unexamined or rejected although no finding says so, or why its rows are incomplete.
    fn problems(&self, artifact: Option<usize>) -> Vec<ReportRow> {
        let row = |(id, level, message): (_, _, Option<String>)| {
            let (kind, place) = (RowKind::Other(id, ""), Some(self.place(artifact)));
            Some(ReportRow { level, word: "must", kind, message: message?, place, ..ReportRow::default() })
        };
        let problems = match &self.examined {
            Err(error) => vec![("unexamined", Level::Error, Some(error.clone()))],
            Ok(examined) => {
                let data_level = if examined.data_required { Level::Error } else { Level::Note };
                let hidden = Some(examined.report.omitted()).filter(|hidden| *hidden > 0);
                let hidden = hidden.map(|hidden| format!("{hidden} more findings are not listed"));
                let failed = examined.builds.iter().filter(|build| build.fails());
                let failed = failed.flat_map(BuildResult::lines).map(|line| ("build", Level::Error, Some(line)));
                let own = [
                    ("unexamined", Level::Error, examined.incomplete()),
                    ("data-required", data_level, examined.note()),
                    ("omitted", Level::Warning, hidden),
                ];
                own.into_iter().chain(failed).collect()
            }
        };
        problems.into_iter().filter_map(row).collect()
    }

    /// Allowed findings come last. `artifact` is the index of the file in a SARIF log.
    fn rows(&self, deny_should: bool, artifact: Option<usize>) -> Vec<ReportRow> {
        let Ok(examined) = &self.examined else { return Vec::new() };
        let allowed = examined.allowed.iter().map(|allowed| (&allowed.finding, Some(allowed.reason.clone())));
        let all = examined.report.findings.iter().map(|found| (found, None)).chain(allowed);
        let row = |(found, allowed): (&Finding, Option<String>)| {
            let is_strict = deny_should && found.rule.strength == Strength::Should;
            let strength = if is_strict { Strength::Must } else { found.rule.strength };
            let companion = examined.companion(found);
            let own = self.place(artifact.filter(|_| companion.is_none()));
            ReportRow {
                level: strength.into(),
                word: strength.name(),
                kind: RowKind::Rule(found.rule),
                subject: found.path.clone(),
                message: found.message.clone(),
                place: Some(RowPlace {
                    path: companion.map_or(own.path, Path::to_owned),
                    region: Some(Region::Bytes(found.span)),
                    field: found.path.clone(),
                    ..own
                }),
                allowed,
                ..ReportRow::default()
            }
        };
        all.map(row).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    Accept,
    Warn,
    /// The file breaks a must-rule or lacks required data files. With `deny_should`, a broken should-rule also rejects it.
    Reject,
    Unexamined,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub files: u64,
    pub rejected: u64,
    pub warned: u64,
    /// A file can count both as unexamined and as rejected.
    pub unexamined: u64,
}

impl Tally {
    /// `None` for an unreadable file.
    pub(crate) fn add(&mut self, examined: Option<&ExaminedFile>, deny_should: bool) {
        self.files += 1;
        self.unexamined += u64::from(examined.is_none_or(|examined| examined.report.stopped.is_some()));
        match examined.map(|examined| examined.verdict(deny_should)) {
            Some(CheckVerdict::Reject) => self.rejected += 1,
            Some(CheckVerdict::Warn) => self.warned += 1,
            Some(CheckVerdict::Accept | CheckVerdict::Unexamined) | None => {}
        }
    }

    /// 2 if a check did not finish, otherwise 1 if a file is rejected.
    pub(crate) const fn exit_code(&self) -> u8 {
        match (self.unexamined, self.rejected) {
            (0, 0) => 0,
            (0, _) => 1,
            _ => 2,
        }
    }
}

/// Also checks its consistency with the data files in `companions`.
pub fn examine(
    path: &Path,
    companions: &[PathBuf],
    checker: &Checker<'_>,
) -> Result<(Input, ExaminedFile), InputError> {
    let input = Input::open(path)?;
    let data = companions.iter().map(|path| Input::open(path)).collect::<Result<Vec<_>, _>>()?;
    let report = data.iter().fold(checker.clone(), |checker, data| checker.with(data)).check_source(&input);
    let companion_kinds = data.iter().map(|data| kind_of(data.file_bytes())).collect();
    let missing = if report.unresolved > 0 { external::names(&input) } else { Vec::new() };
    let companions = companions.to_vec();
    Ok((input, ExaminedFile { companions, companion_kinds, missing, ..ExaminedFile::alone(report) }))
}

/// The kind, which tells the layout of a data file.
pub fn kind_of(file_bytes: FileBytes<'_>) -> FileKind {
    Ptd::open_file_bytes(file_bytes).map_or_else(|_| FileKind::of_head(file_bytes.bytes()), |data| data.kind())
}

pub(crate) fn fault_of(input: &Input) -> Option<String> {
    let report = Checker::new().check_source(input);
    ExaminedFile::alone(report).fault()
}

pub(crate) fn check_hint(path: &Path) -> String {
    format!("run `{}`", shell_line(["torchproof", "check", &path.to_string_lossy()]))
}

fn bytes_of(span: Span, len: u64) -> String {
    match span.len {
        0 if span.offset == len => format!("at {:#x} (end of file)", span.offset),
        0 => format!("at {:#x}", span.offset),
        count => format!("{} at {:#x}", counted(count, "byte"), span.offset),
    }
}
