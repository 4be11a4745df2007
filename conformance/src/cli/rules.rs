//! `torchproof rules`: lists the catalogue.

use std::process::ExitCode;

use torchproof::rules::{Strength, Subject};

use super::format::print_json;
use super::{Done, one_of, page, print};
use crate::findings::catalogue::markdown::Place;
use crate::findings::catalogue::{self, Entry, RuleListing, SECTIONS};

const STRENGTHS: [Strength; 3] = [Strength::Must, Strength::Should, Strength::May];

const SUBJECTS: [Subject; 3] = [Subject::File, Subject::Reader, Subject::Writer];

/// List the rules.
///
/// Each with how strongly it binds, who can break it (a file, a reader or a writer), the latest stage of reading at which a break is
/// refused in time, and how many cases are about it. `torchproof explain RULE` explains one.
#[derive(Debug, clap::Args)]
pub(super) struct RulesArgs {
    /// How to list
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Only rules of this strength; may be given many times
    #[arg(long = "strength", value_name = "S", value_parser = one_of(STRENGTHS.map(|strength| (strength.name(), strength))))]
    strengths: Vec<Strength>,
    /// Only rules that these can break; may be given many times
    #[arg(long = "subject", value_name = "S", value_parser = one_of(SUBJECTS.map(|subject| (subject.name(), subject))))]
    subjects: Vec<Subject>,
    /// List only the rules of this section, such as `pte-header`; repeatable
    #[arg(long = "section", visible_alias = "area", value_name = "NAME", value_parser = one_of(SECTIONS.map(|(name, _)| (name, name))))]
    sections: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One object
    Json,
    /// A table for each section
    Markdown,
}

pub(super) fn run(args: &RulesArgs) -> Done {
    let RulesArgs { strengths, subjects, sections, .. } = args;
    let rules = Entry::all(|rule| {
        (strengths.is_empty() || strengths.contains(&rule.strength))
            && (subjects.is_empty() || subjects.contains(&rule.subject))
            && (sections.is_empty() || sections.contains(&rule.section))
    });
    match args.format {
        Format::Text => print(&catalogue::text(&rules, page()))?,
        Format::Json => print_json(&RuleListing { rules })?,
        Format::Markdown => print(&catalogue::markdown::index(&rules, Place::Elsewhere))?,
    }
    Ok(ExitCode::SUCCESS)
}
