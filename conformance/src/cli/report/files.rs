//! The `--report FORMAT=FILE` option of the subcommands that report on a run.

use std::error::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, ValueEnum};
use torchproof_harness::corpus::Corpus;
use torchproof_harness::disk::io_error::cannot_write;
use torchproof_harness::disk::{AtomicFile, OverwritePolicy, same_place};
use torchproof_harness::run::record::RunReport;

use crate::cli::{page, print};
use crate::page::Page;
use crate::render::ReportFormat;
use crate::report::{Layout, RerunCommand, RunView, text};

/// The report files that the user requests.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reports")]
pub(in crate::cli) struct ReportFiles {
    /// Write a report to FILE, or to stdout if FILE is -; repeatable
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = FormatAndPath(|format| RunView::renderer(format).is_some()))]
    reports: Vec<(ReportFormat, PathBuf)>,
    /// Repository file that SARIF reports attach every failure to [default: the known-failures file, else a source file
    /// named in the reader's address, else a file such as Cargo.toml or pyproject.toml]
    #[arg(long, value_name = "FILE")]
    sarif_location: Option<PathBuf>,
}

const STDOUT: &str = "-";

/// Parses FORMAT=FILE. The function says which formats the command supports.
#[derive(Clone, Copy)]
pub(in crate::cli) struct FormatAndPath(pub(in crate::cli) fn(ReportFormat) -> bool);

impl FormatAndPath {
    fn formats(self) -> impl Iterator<Item = (ReportFormat, PossibleValue)> {
        let all = ReportFormat::value_variants().iter().filter(move |format| (self.0)(**format));
        all.filter_map(|format| Some((*format, format.to_possible_value()?)))
    }

    fn parse(self, text: &str) -> Result<(ReportFormat, PathBuf), String> {
        let names = self.formats().map(|(_, value)| value.get_name().to_owned()).collect::<Vec<_>>().join(", ");
        let (format, path) =
            text.split_once('=').ok_or_else(|| format!("expected FORMAT=FILE, with one of the formats {names}"))?;
        match self.formats().find(|(_, value)| value.get_name() == format) {
            None => Err(format!("found the format `{format}`, expected one of {names}")),
            Some(_) if path.is_empty() => Err(format!("found no file, expected {format}=FILE")),
            Some((parsed, _)) => Ok((parsed, path.into())),
        }
    }

    /// Checks the formats once the input's kind is known, because the parser for `report` accepts the formats for every kind.
    fn expect(self, reports: &[(ReportFormat, PathBuf)]) -> Result<(), String> {
        for (format, path) in reports {
            let value = format.to_possible_value().unwrap_or_default();
            let text = format!("{}={}", value.get_name(), path.display());
            self.parse(&text).map_err(|error| format!("--report: {error}"))?;
        }
        Ok(())
    }
}

impl TypedValueParser for FormatAndPath {
    type Value = (ReportFormat, PathBuf);

    fn parse_ref(&self, command: &Command, option: Option<&Arg>, value: &OsStr) -> Result<Self::Value, clap::Error> {
        let parser = *self;
        (move |text: &str| parser.parse(text)).parse_ref(command, option, value)
    }

    /// Returns the formats, which the option's help lists.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.formats().map(|(_, value)| value)))
    }
}

pub(in crate::cli) fn check_reports(reports: &[(ReportFormat, PathBuf)], used: &[(&str, &Path)]) -> Result<(), String> {
    for (at, (_, path)) in reports.iter().enumerate().filter(|(_, (_, path))| path != Path::new(STDOUT)) {
        let name = path.display();
        if reports[..at].iter().any(|(_, other)| same_place(other, path)) {
            return Err(format!("--report: found the file {name} twice; pass a different file for each report"));
        }
        if let Some((what, _)) = used.iter().find(|(_, other)| same_place(other, path)) {
            return Err(format!("--report: {name} is also the file of {what}; pass another file"));
        }
        // Create a temporary file, which is deleted at once, to see whether the report can be written.
        AtomicFile::create(path, OverwritePolicy::Replace)
            .map_err(|error| format!("--report: {}", cannot_write(path, &error)))?;
    }
    Ok(())
}

pub(in crate::cli) fn expect_checkout_file(path: Option<&Path>) -> Result<(), String> {
    match path.filter(|path| !path.is_file()) {
        Some(path) => Err(format!("--sarif-location: {}: no such file; check the path", path.display())),
        None => Ok(()),
    }
}

/// Prints a report if its path is `-`.
pub(in crate::cli) fn write_reports<E: Into<Box<dyn Error>>>(
    reports: &[(ReportFormat, PathBuf)],
    render: impl Fn(ReportFormat) -> Option<Result<String, E>>,
) -> Result<(), Box<dyn Error>> {
    for (format, path) in reports {
        let report = render(*format).expect("the parser accepts only formats with a renderer").map_err(Into::into)?;
        match path == Path::new(STDOUT) {
            true => print(&report)?,
            false => AtomicFile::write_unsynced(path, report.as_bytes(), OverwritePolicy::Replace)
                .map_err(|error| cannot_write(path, &error))?,
        }
    }
    Ok(())
}

impl ReportFiles {
    pub(in crate::cli) fn check(&self, used: &[(&str, &Path)]) -> Result<(), String> {
        expect_checkout_file(self.sarif_location.as_deref())?;
        check_reports(&self.reports, used)
    }

    pub(in crate::cli) fn need_corpus(&self) -> bool {
        self.reports.iter().any(|(format, _)| *format == ReportFormat::Html)
    }

    /// Like `write`, but for input that is not a single run: prints the text, then writes the reports.
    pub(super) fn write_other(
        &self,
        text: &str,
        formats: FormatAndPath,
        render: impl Fn(ReportFormat) -> Option<Result<String, Box<dyn Error>>>,
    ) -> Result<(), Box<dyn Error>> {
        formats.expect(&self.reports)?;
        print(text)?;
        write_reports(&self.reports, render)
    }

    pub(in crate::cli) fn write(
        &self,
        report: &RunReport,
        corpus: Option<&Corpus>,
        rerun: &RerunCommand,
        verbose: bool,
    ) -> Result<(), Box<dyn Error>> {
        let layout = |page| Layout { verbose, page };
        print(&text(report, layout(page())))?;
        let sarif_location = self.sarif_location.as_deref();
        let view = RunView { report, corpus, rerun, layout: layout(Page::FILE), sarif_location };
        write_reports(&self.reports, |format| Some(RunView::renderer(format)?(view)))
    }
}
