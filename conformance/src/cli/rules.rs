//! `torchproof rules`: lists the catalogue.

use std::process::ExitCode;

use torchproof::rules::{Strength, Subject};

use super::format::print_json;
use super::{Done, one_of, page, print};
use crate::findings::catalogue::{self, AREAS, Area, Entry, RuleListing};

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
    /// Only rules of this area or section: `pte-header`, `1.2`; may be given many times
    #[arg(long = "area", visible_alias = "section", value_name = "A", value_parser = area)]
    areas: Vec<&'static Area>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One object
    Json,
    /// A page: RULES.md
    Markdown,
}

pub(super) fn run(args: &RulesArgs) -> Done {
    let RulesArgs { strengths, subjects, areas, .. } = args;
    let rules = Entry::all(|rule| {
        (strengths.is_empty() || strengths.contains(&rule.strength))
            && (subjects.is_empty() || subjects.contains(&rule.subject))
            && (areas.is_empty() || areas.contains(&Area::of(rule)))
    });
    match args.format {
        Format::Text => print(&catalogue::text(&rules, page()))?,
        Format::Json => print_json(&RuleListing { rules })?,
        Format::Markdown => print(&catalogue::markdown(&rules))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn area(text: &str) -> Result<&'static Area, String> {
    let names = || AREAS.each_ref().map(|area| area.name).join(", ");
    Area::find(text).ok_or_else(|| format!("no area or section; the areas are {}", names()))
}
