//! A runtime error code's explanation.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use torchproof::Stage;
use torchproof::check::Checker;
use torchproof::prediction::{
    BuildProfile, EffectTable, ErrorCause, Prediction, Requirements, RuntimeError, RuntimePrediction,
};
use torchproof_harness::text::counted;
use torchproof_harness::text::escape::{plain_line, plain_name};
use torchproof_model::needs::similar::{SUGGESTED, similar_name};

use crate::findings::{examine, model_file};
use crate::page::Page;
use crate::paths::pairing::Pairing;

/// The maximum number of names, rules or predictions in a list; JSON has no limit.
const LISTED: usize = 6;

/// An error code of the runtime, with its causes: all of them, or those that a file can have.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ErrorEntry {
    #[serde(flatten)]
    error: &'static RuntimeError,
    /// The code that the argument would mean in hex; present only if all its digits are decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_reading: Option<&'static RuntimeError>,
    /// The causes, the most likely first.
    causes: Vec<&'static ErrorCause>,
    /// The ids of the rules for which a known release returns the code.
    rules: Vec<&'static str>,
    /// How the code concerns the file; absent if the command line names no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_file: Option<ErrorInFile>,
}

/// How an error code concerns a file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ErrorInFile {
    /// The file's path.
    file: String,
    /// The releases that certainly return the code, with the reason.
    predictions: Vec<RuntimePrediction>,
    /// What the build must have to avoid the code, beginning with names that the newest known wheel lacks.
    needed: Vec<NeededName>,
}

/// An operator, a backend or a device that a file needs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct NeededName {
    /// The name in the file.
    name: String,
    /// `true` if the newest known wheel includes it.
    in_wheel: bool,
    /// The most similar name in that wheel.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
}

impl ErrorEntry {
    /// `given` is the argument that named the code.
    pub(super) fn of(error: &'static RuntimeError, given: &str, file: Option<&Path>) -> Result<Self, String> {
        let other_reading = RuntimeError::find(&format!("0x{given}")).filter(|other| *other != error);
        let mut entry =
            Self { error, other_reading, causes: error.causes.iter().collect(), rules: error.rules(), in_file: None };
        if let Some(path) = file {
            let data = Pairing::by_name().of(path).map_err(|error| error.to_string())?;
            let (input, examined) = examine(path, &data, &Checker::new()).map_err(|error| error.to_string())?;
            let opened = model_file(&input).map_err(|error| error.to_string())?;
            let mut predictions = examined.predictions(&opened, &EffectTable::get().releases());
            predictions.retain(|of| matches!(of.prediction, Prediction::Refuses { code, .. } if code == error.code));
            let mut in_file = ErrorInFile { file: path.display().to_string(), predictions, needed: Vec::new() };
            // If the check exceeded a limit, skip this: reading the rest of the file could take hours.
            if examined.unpredictable().is_none() {
                let loaded = examined.loaded(&opened);
                entry.causes = error.causes_of(&loaded).collect();
                in_file.needed = needed(error, &loaded.requirements());
            }
            entry.in_file = Some(in_file);
        }
        Ok(entry)
    }

    pub(super) fn text(&self, page: Page) -> String {
        let RuntimeError { code, name, meaning, .. } = self.error;
        let mut out = String::new();
        let _ = writeln!(out, "{}  {name}  ({code} in decimal)\n", page.strong(&format!("0x{code:02x}")));
        out += &page.paragraph("    ", meaning);
        if let Some(other) = self.other_reading {
            out.push('\n');
            let RuntimeError { code, name, .. } = other;
            out += &page.labeled("or", &format!("0x{code:02x} ({name}), if the digits are hexadecimal"));
        }
        if let Some(in_file) = &self.in_file {
            out.push('\n');
            out += &in_file.text(page);
        }
        for (number, cause) in self.causes.iter().enumerate() {
            let ErrorCause { stage, description, sign, cure, .. } = cause;
            out.push('\n');
            out += &page.labeled(&format!("cause {}", number + 1), &format!("[{stage}] {description}"));
            out += &page.labeled("sign", sign);
            out += &page.labeled("cure", cure);
        }
        if self.causes.is_empty() {
            out.push('\n');
            out += &page.labeled("causes", "no known cause: nothing in this file leads to the code");
        }
        if self.in_file.is_none() && !self.rules.is_empty() {
            out.push('\n');
            let count = counted(self.rules.len(), "rule");
            out += &page.labeled("rules", &format!("{count}, if broken, can lead to it: {}", listed(&self.rules)));
        }
        out
    }
}

impl ErrorInFile {
    fn text(&self, page: Page) -> String {
        let mut out = page.labeled("file", &plain_name(&self.file));
        for (stage, cause, releases) in grouped(&self.predictions) {
            let releases = releases.into_iter().collect::<Vec<_>>().join(", ");
            out += &page.labeled("predicted", &format!("at {stage}, because of {cause}: {releases}"));
        }
        let needed = self.needed.iter().map(|NeededName { name, in_wheel, suggestion }| {
            let note = match (in_wheel, suggestion) {
                (true, _) => String::new(),
                (false, None) => "  (not in the newest known wheel)".to_owned(),
                (false, Some(known)) => format!("  (not in the newest known wheel; did you mean {known}?)"),
            };
            format!("{}{note}", plain_line(name, 80))
        });
        out += &page.list("needs", shortened(needed.collect()));
        out
    }
}

/// Returns each reason with the releases that return the code for it, at one verification level or at both.
fn grouped(predictions: &[RuntimePrediction]) -> Vec<(Stage, &'static str, BTreeSet<&str>)> {
    let mut groups: Vec<(Stage, &str, BTreeSet<&str>)> = Vec::new();
    for RuntimePrediction { release, prediction, .. } in predictions {
        let Prediction::Refuses { stage, cause, .. } = *prediction else { continue };
        match groups.iter_mut().find(|(at, of, _)| (*at, *of) == (stage, cause)) {
            Some((.., releases)) => drop(releases.insert(release)),
            None => groups.push((stage, cause, BTreeSet::from([release.as_str()]))),
        }
    }
    groups
}

fn shortened(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(LISTED);
    if more > 0 {
        lines.truncate(LISTED);
        lines.push(format!("and {more} more, which --format json lists"));
    }
    lines
}

fn listed(names: &[&str]) -> String {
    let shown = names.iter().map(|name| (*name).to_owned()).collect();
    shortened(shown).join(", ")
}

/// Returns the names whose absence from a build causes this error, beginning with those that the newest wheel lacks.
fn needed(error: &RuntimeError, needed: &Requirements) -> Vec<NeededName> {
    let Some(wheel) = BuildProfile::wheels().last() else { return Vec::new() };
    let lists = match error.name {
        "OperatorMissing" => vec![(&needed.operators, &wheel.operators)],
        "NotFound" => vec![(&needed.backends, &wheel.backends), (&needed.devices, &wheel.devices)],
        _ => Vec::new(),
    };
    let names = lists.into_iter().flat_map(|(names, known)| names.iter().map(move |name| (name, known)));
    let mut all: Vec<_> = names
        .map(|(name, known)| NeededName { name: name.clone(), in_wheel: known.contains(name), suggestion: None })
        .collect();
    all.sort_by_key(|needed| needed.in_wheel);
    for needed in all.iter_mut().take(SUGGESTED).filter(|needed| !needed.in_wheel) {
        needed.suggestion = similar_name(&needed.name, &wheel);
    }
    all
}
