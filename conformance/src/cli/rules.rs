//! `torchproof rules`: lists the rules.

use std::process::ExitCode;

use torchproof::rules::{Basis, Strength, Subject};

use super::format::print_json;
use super::{CommandResult, one_of, page, print};
use crate::catalogue::markdown::LinkContext;
use crate::catalogue::{self, Entry, RuleListing, SECTIONS};

const STRENGTHS: [Strength; 3] = [Strength::Must, Strength::Should, Strength::May];
const SUBJECTS: [Subject; 3] = [Subject::File, Subject::Reader, Subject::Writer];

/// List the rules
///
/// The output states each rule's strength, basis, subject and number of cases, and the latest stage at which a reader can
/// reject the file safely. The subject of a rule is what can break the rule: a file, a reader or a writer.
/// `torchproof explain RULE` explains a rule.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  List the rules of a section:
    torchproof rules --section pte-header
  Print the must-rules as JSON:
    torchproof rules --strength must --format json")]
pub(super) struct RulesArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// List only rules of this strength; repeatable
    #[arg(long = "strength", value_name = "S", value_parser = one_of(STRENGTHS.map(|strength| (strength.name(), strength))))]
    strengths: Vec<Strength>,
    /// List only rules with this basis; repeatable
    #[arg(long = "basis", value_name = "B", value_delimiter = ',', value_parser = one_of(Basis::ALL.map(|basis| (basis.name(), basis))))]
    bases: Vec<Basis>,
    /// List only rules with this subject; repeatable
    #[arg(long = "subject", value_name = "S", value_parser = one_of(SUBJECTS.map(|subject| (subject.name(), subject))))]
    subjects: Vec<Subject>,
    /// List only rules of this section, such as `pte-header`; repeatable
    #[arg(long = "section", value_name = "NAME", value_parser = one_of(SECTIONS.map(|(name, _)| (name, name))))]
    sections: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// Text
    Text,
    /// One JSON object
    Json,
    /// Markdown with one table for each section
    Markdown,
}

pub(super) fn run(args: &RulesArgs) -> CommandResult {
    let RulesArgs { strengths, bases, subjects, sections, .. } = args;
    let rules = Entry::all(|rule| {
        (strengths.is_empty() || strengths.contains(&rule.strength))
            && (bases.is_empty() || bases.contains(&rule.basis))
            && (subjects.is_empty() || subjects.contains(&rule.subject))
            && (sections.is_empty() || sections.contains(&rule.section))
    });
    match args.format {
        Format::Text => print(&catalogue::text(&rules, page()))?,
        Format::Json => print_json(&RuleListing { rules })?,
        Format::Markdown => print(&catalogue::markdown::index(&rules, LinkContext::Elsewhere))?,
    }
    Ok(ExitCode::SUCCESS)
}
