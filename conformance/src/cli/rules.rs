//! `torchproof rules`: lists the catalogue.

use std::process::ExitCode;

use serde::Serialize;
use torchproof::rules::{Strength, Subject};
use torchproof_cli::findings::catalogue::{self, AREAS, Area, Entry, RuleSelection};

use super::{Done, page, print};

/// List the rules.
///
/// Each with how strongly it binds, who can break it (a file, a reader or a writer), the latest stage of reading at which a break is
/// refused in time, and how many cases are about it. `torchproof explain RULE` says more of one.
#[derive(Debug, clap::Args)]
pub(super) struct RulesArgs {
    /// How to list
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Only rules of this strength; may be given many times
    #[arg(long = "strength", value_enum, value_name = "S")]
    strengths: Vec<OfStrength>,
    /// Only rules that these can break; may be given many times
    #[arg(long = "subject", value_enum, value_name = "S")]
    subjects: Vec<OfSubject>,
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

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum OfStrength {
    Must,
    Should,
    May,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum OfSubject {
    File,
    Reader,
    Writer,
}

/// `{"rules":[…]}`.
#[derive(Serialize)]
struct Listing {
    rules: Vec<Entry>,
}

pub(super) fn run(args: &RulesArgs) -> Done {
    let strengths = args.strengths.iter().map(|strength| match strength {
        OfStrength::Must => Strength::Must,
        OfStrength::Should => Strength::Should,
        OfStrength::May => Strength::May,
    });
    let subjects = args.subjects.iter().map(|subject| match subject {
        OfSubject::File => Subject::File,
        OfSubject::Reader => Subject::Reader,
        OfSubject::Writer => Subject::Writer,
    });
    let selection =
        RuleSelection { strengths: strengths.collect(), subjects: subjects.collect(), areas: args.areas.clone() };
    let rules = selection.rules();
    match args.format {
        Format::Text => print(&catalogue::text(&rules, page()))?,
        Format::Json => print(&(serde_json::to_string_pretty(&Listing { rules })? + "\n"))?,
        Format::Markdown => print(&catalogue::markdown(&rules))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn area(text: &str) -> Result<&'static Area, String> {
    let names = || AREAS.each_ref().map(|area| area.name).join(", ");
    Area::find(text).ok_or_else(|| format!("no area or section; the areas are {}", names()))
}
