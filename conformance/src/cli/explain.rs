//! `torchproof explain`: lists the rules, or explains rules, cases, malformed patterns and error codes.

use std::process::ExitCode;

use torchproof::rules::{Basis, Strength, Subject};

use super::format::print_json;
use super::{CommandResult, one_of, page, print};
use crate::catalogue::markdown::index;
use crate::catalogue::{self, Entry, RuleListing, SECTIONS};
use crate::explain::ExplainOutput;

const STRENGTHS: [Strength; 3] = [Strength::Must, Strength::Should, Strength::May];
const SUBJECTS: [Subject; 3] = [Subject::File, Subject::Reader, Subject::Writer];

/// Explain an error code, a rule or a case, or list the rules
///
/// For a runtime error code, you see what it means and what can cause it, with each cause's symptom and remedy. If you also
/// name a file, you see only the causes that apply to it, the releases that return the code, and what the build must
/// include. As in `check`, the data files next to a program are used. Numbers are decimal unless they begin with `0x`.
///
/// For a rule, you see its statement, rationale, source and cases. For a case, you see the defect, the edits that made
/// the file, and the bytes around the defect, with the defective bytes in brackets. A malformed pattern comes with a
/// description and the rules that it breaks.
///
/// If you name no id, you get a list of the rules, each with its strength, basis, subject (what can break it: a file, a
/// reader or a writer), number of cases, and the latest stage at which a reader can safely reject a file. `torchproof
/// corpus list` lists the case ids.
///
/// Exits with 0 if every id was explained or the rules were listed, and 2 if an id is unknown.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Explain an error code, and which of its causes apply to a file:
    torchproof explain 0x14 corpus/real/add.pte
  Explain a rule:
    torchproof explain eh-length-min
  List the must-rules of a section as JSON:
    torchproof explain --section pte-header --strength must --format json")]
pub(super) struct ExplainArgs {
    /// Ids, such as `0x14`, `OperatorMissing`, `eh-length-min`, `pte/header/length-23` or `H-04`, and files for which
    /// the runtime returns the error code [default: list the rules]
    #[arg(value_name = "ID", conflicts_with_all = ["strengths", "bases", "subjects", "sections"])]
    ids: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = ExplainFormat::Text)]
    format: ExplainFormat,
    /// Print every byte of a case's file, instead of only those near the defect
    #[arg(long, requires = "ids")]
    all: bool,
    /// List only rules with this strength; repeatable
    #[arg(long = "strength", value_name = "S", value_parser = one_of(STRENGTHS.map(|strength| (strength.name(), strength))))]
    strengths: Vec<Strength>,
    /// List only rules with this basis; repeatable
    #[arg(long = "basis", value_name = "B", value_delimiter = ',', value_parser = one_of(Basis::ALL.map(|basis| (basis.name(), basis))))]
    bases: Vec<Basis>,
    /// List only rules with this subject; repeatable
    #[arg(long = "subject", value_name = "S", value_parser = one_of(SUBJECTS.map(|subject| (subject.name(), subject))))]
    subjects: Vec<Subject>,
    /// List only rules from this section, such as `pte-header`; repeatable
    #[arg(long = "section", value_name = "NAME", value_parser = one_of(SECTIONS.map(|(name, _)| (name, name))))]
    sections: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ExplainFormat {
    /// Text
    Text,
    /// One JSON object
    Json,
    /// Markdown with one table for each section; only for the list of rules
    Markdown,
}

pub(super) fn run(args: &ExplainArgs) -> CommandResult {
    let ExplainArgs { ids, format, strengths, bases, subjects, sections, .. } = args;
    if !ids.is_empty() {
        let explained = ExplainOutput::of(ids)?;
        match format {
            ExplainFormat::Text => print(&explained.text(page(), args.all))?,
            ExplainFormat::Json => print_json(&explained)?,
            ExplainFormat::Markdown => return Err("--format: found markdown with ids; pass text or json".into()),
        }
        return Ok(ExitCode::SUCCESS);
    }
    let rules = Entry::all(|rule| {
        (strengths.is_empty() || strengths.contains(&rule.strength))
            && (bases.is_empty() || bases.contains(&rule.basis))
            && (subjects.is_empty() || subjects.contains(&rule.subject))
            && (sections.is_empty() || sections.contains(&rule.section))
    });
    match format {
        ExplainFormat::Text => print(&catalogue::text(&rules, page().of_list()))?,
        ExplainFormat::Json => print_json(&RuleListing { rules })?,
        ExplainFormat::Markdown => print(&index(&rules))?,
    }
    Ok(ExitCode::SUCCESS)
}
