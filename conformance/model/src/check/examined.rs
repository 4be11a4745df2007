//! The examined file: the report of the checker, and what follows from it.

use std::path::{Path, PathBuf};

use torchproof::check::{Checker, Finding, Report, StopReason};
use torchproof::prediction::{
    BuildProfile, EffectTable, LoadedFile, MethodPrediction, Prediction, Release, Requirements, RuntimePrediction,
};
use torchproof::rules::{Basis, Rule, Strength};
use torchproof::{FileKind, Span, Stage};
use torchproof_text::counted;
use torchproof_text::escape::{plain_line, plain_name};

use super::builds::{BuildResult, NamedBuild, role_of};
use super::external;
use crate::ModelFile;

#[derive(Clone, Debug)]
pub struct ExaminedFile {
    pub report: Report,
    pub companions: Vec<PathBuf>,
    /// The kinds of the companions, in the order of `companions`.
    pub companion_kinds: Vec<FileKind>,
    pub missing: Vec<String>,
    /// `true` if unresolved external tensors reject the file.
    pub data_required: bool,
    /// The findings that the settings allow, and that the report omits.
    pub allowed: Vec<AllowedFinding>,
    /// How the builds of `--build` react. If one of them fails, the file is rejected.
    pub builds: Vec<BuildResult>,
    /// What a build must have for the prediction `loads` of `--runtime`.
    pub depends_on: Option<Requirements>,
}

#[derive(Clone, Debug)]
pub struct AllowedFinding {
    pub finding: Finding,
    pub reason: String,
}

impl ExaminedFile {
    /// Checks a file, and a program together with its data files, which are checked by themselves first.
    #[must_use]
    pub fn of(file: &ModelFile<'_>, data: &[ModelFile<'_>], checker: &Checker<'_>) -> Self {
        let together = data.iter().fold(checker.clone(), |checker, data| checker.with(data));
        let mut report = together.check_source(file);
        // A loader fails on a program if the program's data file is rejected, so the program gets that file's findings.
        if let Some((index, data)) = report.rejected_companion.and_then(|index| Some((index, data.get(index)?))) {
            let alone = checker.check_source(data);
            let (all, own) = (&mut report.summary, alone.summary);
            all.must = all.must.saturating_add(own.must);
            all.should = all.should.saturating_add(own.should);
            all.may = all.may.saturating_add(own.may);
            all.stopped = own.stopped;
            report.findings.extend(alone.findings.into_iter().map(|mut found| {
                found.companion = Some(index);
                found
            }));
        }
        let companions = data.iter().map(|data| data.path().to_owned()).collect();
        let companion_kinds = data.iter().map(ModelFile::kind).collect();
        let missing = if report.unresolved > 0 { external::names(file) } else { Vec::new() };
        Self { companions, companion_kinds, missing, ..Self::alone(report) }
    }

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

    /// Moves the findings for which the function returns a reason from the report to [`allowed`](Self::allowed).
    pub fn allow(&mut self, reason: impl Fn(&Self, &Finding) -> Option<String>) {
        self.settle_unresolved();
        for finding in std::mem::take(&mut self.report.findings) {
            let Some(reason) = reason(self, &finding) else {
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

    /// A rejected program was not compared with its data files, even if its findings are removed afterwards.
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

    /// Returns whether the check finished and the file is not rejected.
    pub fn accepts(&self, deny_should: bool) -> bool {
        self.report.stopped.is_none() && !self.rejects(deny_should)
    }

    /// Whether the file breaks a must-rule, lacks required data, fails in a build or, with `deny_should`, breaks a should-rule.
    pub fn rejects(&self, deny_should: bool) -> bool {
        let is_broken = self.report.must > 0 || deny_should && self.report.should > 0;
        is_broken || self.data_required && self.unresolved().is_some() || self.builds.iter().any(BuildResult::fails)
    }

    /// Returns the number of external tensors that no data file resolves. `None` if there are none, or if the program
    /// itself is rejected or not fully checked.
    pub fn unresolved(&self) -> Option<u32> {
        let count = self.report.unresolved.saturating_add(self.report.unresolved_keys);
        Some(count).filter(|count| *count > 0 && self.report.accepts())
    }

    pub fn incomplete(&self) -> Option<String> {
        let reason = match self.report.stopped? {
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
        };
        let of_data = self.report.rejected_companion.map(|index| format!("{}: {reason}", self.companion_name(index)));
        Some(of_data.unwrap_or(reason))
    }

    /// Returns why the program was not compared with data files: one is rejected, or external tensors are unresolved.
    pub fn note(&self) -> Option<String> {
        if let Some(index) = self.report.rejected_companion.filter(|_| self.report.stopped.is_none()) {
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

    /// Returns why the file is rejected although it breaks no must-rule.
    pub fn other_reason(&self) -> Option<String> {
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

    /// Returns the data file that the finding is in; `None` if it is in the checked file itself.
    pub fn companion(&self, finding: &Finding) -> Option<&Path> {
        self.companions.get(finding.companion?).map(PathBuf::as_path)
    }

    /// Returns why no prediction is possible.
    pub fn unpredictable(&self) -> Option<String> {
        let reason = self.incomplete().or_else(|| self.note().filter(|_| self.report.rejected_companion.is_some()));
        reason.or_else(|| (self.report.omitted() > 0).then(|| "the file has too many findings".to_owned()))
    }

    /// Returns the file as a loader gets it.
    pub fn loaded<'f>(&'f self, file: &'f ModelFile<'_>) -> LoadedFile<'f> {
        let role = role_of(file.path(), self.report.kind);
        LoadedFile { file_bytes: file.file_bytes(), role, report: &self.report, data: &self.companion_kinds }
    }

    /// Returns the prediction for each release and verification level.
    pub fn predictions(&self, file: &ModelFile<'_>, releases: &[Release]) -> Vec<RuntimePrediction> {
        let loaded = self.loaded(file);
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

    /// Returns how each build reacts.
    pub fn in_builds(&self, file: &ModelFile<'_>, builds: &[NamedBuild]) -> Vec<BuildResult> {
        let unknown = self.unpredictable();
        let predict = |profile: &BuildProfile| match &unknown {
            Some(reason) => vec![MethodPrediction::of_file(Prediction::Unknown { reason: reason.clone() })],
            None => profile.predict(&self.loaded(file)),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    Accept,
    Warn,
    /// The file breaks a must-rule, lacks required data files or, with `deny_should`, breaks a should-rule.
    Reject,
    Unexamined,
}

/// Returns the place of a span in words; `len` is the file's size.
#[must_use]
pub fn bytes_of(span: Span, len: u64) -> String {
    match span.len {
        0 if span.offset == len => format!("at {:#x} (end of file)", span.offset),
        0 => format!("at {:#x}", span.offset),
        count => format!("{} at {:#x}", counted(count, "byte"), span.offset),
    }
}
