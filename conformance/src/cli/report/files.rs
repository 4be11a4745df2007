//! The option `--report FORMAT=FILE` of the subcommands that report on a run.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::cli::print;
use crate::disk::io_error::cannot_write;
use crate::disk::{AtomicFile, Existing, same_place};
use crate::render::ReportFormat;
use crate::report::{RUN_FORMATS, RunView};

/// The report files that the user requests.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ReportFiles {
    /// Write a report to FILE, or to stdout if FILE is -; repeatable. The formats are text, html (a page for a browser), markdown (for the summary page
    /// of a CI site), junit, sarif (for code scanning) and json (described by schema/run.schema.json)
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = format_and_path(RUN_FORMATS))]
    reports: Vec<(ReportFormat, PathBuf)>,
    /// File in the checkout at which SARIF reports place every failure [default: the known-failures file, else a source file in
    /// the address of the reader, else a file such as Cargo.toml or pyproject.toml]
    #[arg(long, value_name = "FILE")]
    sarif_at: Option<PathBuf>,
}

/// The path that stands for stdout.
const STDOUT: &str = "-";

/// Returns the parser of FORMAT=FILE for a command with these formats.
pub(in crate::cli) fn format_and_path(
    formats: &'static [ReportFormat],
) -> impl Fn(&str) -> Result<(ReportFormat, PathBuf), String> + Clone {
    move |text| {
        let values =
            formats.iter().filter_map(|format| Some((*format, format.to_possible_value()?.get_name().to_owned())));
        let values: Vec<(ReportFormat, String)> = values.collect();
        let names = values.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
        let (format, path) =
            text.split_once('=').ok_or_else(|| format!("expected FORMAT=FILE, with one of the formats {names}"))?;
        match values.iter().find(|(_, name)| name == format) {
            None => Err(format!("found the format `{format}`, expected one of {names}")),
            Some(_) if path.is_empty() => Err(format!("found no file, expected {format}=FILE")),
            Some((parsed, _)) => Ok((*parsed, path.into())),
        }
    }
}

/// Fails if a report cannot be written, if two reports have the same path, or if a report would replace one of the `used` files.
pub(in crate::cli) fn check_paths(paths: &[&Path], used: &[(&str, &Path)]) -> Result<(), String> {
    for (at, path) in paths.iter().enumerate().filter(|(_, path)| **path != Path::new(STDOUT)) {
        let name = path.display();
        if paths[..at].iter().any(|other| same_place(other, path)) {
            return Err(format!("--report: found the file {name} twice; pass a file of its own for each report"));
        }
        if let Some((what, _)) = used.iter().find(|(_, other)| same_place(other, path)) {
            return Err(format!("--report: {name} is also the file of {what}; pass another file"));
        }
        // Create a temporary file, and drop it at once, to detect whether the report can be written.
        AtomicFile::create(path, Existing::Replace)
            .map_err(|error| format!("--report: {}", cannot_write(path, &error)))?;
    }
    Ok(())
}

/// Fails if the file of `--sarif-at` does not exist.
pub(in crate::cli) fn expect_checkout_file(path: Option<&Path>) -> Result<(), String> {
    match path.filter(|path| !path.is_file()) {
        Some(path) => Err(format!("--sarif-at: {}: no such file; check the path", path.display())),
        None => Ok(()),
    }
}

/// Writes a report to a file, or prints it if the path is `-`.
pub(in crate::cli) fn write_report(path: &Path, report: &str) -> Result<(), String> {
    if path == Path::new(STDOUT) {
        return print(report).map_err(|error| error.to_string());
    }
    AtomicFile::write_unsynced(path, report.as_bytes(), Existing::Replace).map_err(|error| cannot_write(path, &error))
}

impl ReportFiles {
    /// Fails if a report cannot be written, if two reports have the same file, or if a report would replace one of the
    /// `used` files.
    pub(in crate::cli) fn check(&self, used: &[(&str, &Path)]) -> Result<(), String> {
        expect_checkout_file(self.sarif_at.as_deref())?;
        let paths: Vec<_> = self.reports.iter().map(|(_, path)| path.as_path()).collect();
        check_paths(&paths, used)
    }

    /// Returns whether a report needs the corpus of the run.
    pub(in crate::cli) fn need_corpus(&self) -> bool {
        self.reports.iter().any(|(format, _)| *format == ReportFormat::Html)
    }

    /// Writes all reports on a run.
    pub(in crate::cli) fn write(&self, view: &RunView<'_>) -> Result<(), Box<dyn std::error::Error>> {
        let view = RunView { sarif_at: self.sarif_at.as_deref(), ..*view };
        for (format, path) in &self.reports {
            write_report(path, &view.render(*format)?)?;
        }
        Ok(())
    }
}
