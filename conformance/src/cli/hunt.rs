//! `torchproof hunt`: files without end against readers.

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use comfy_table::{CellAlignment, Table};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use torchproof::attack::{Family, Selection};
use torchproof::rules::Rule;
use torchproof_conformance::attack::Source;
use torchproof_conformance::hunt::{Cluster, Draw, Head, Plan, Store, hunt, promote};
use torchproof_conformance::reader::Address;
use torchproof_conformance::report::{plain_line, plain_name};
use torchproof_conformance::shrink::Effort;

use super::attack::{family, rule};
use super::format::Format;
use super::readers::Limited;
use super::{Done, complain, folder, jobs, print};

/// Put files without end to readers, and sort what they do wrong.
///
/// Files are generated and attacked, or the FILEs of --from are attacked. A reader's death is a finding whatever the file is; so is
/// a verdict where our checker's is the other one, and two readers that disagree where it has none. Findings of one reader, family,
/// rule and outcome are a cluster, whose smallest file is kept and in the end shrunk: `clusters/ID/` in DIR has it, with its label,
/// its bytes annotated, and what it was shrunk to.
///
/// Everything is written as it is found. With the same DIR and the same choices, a campaign goes on where it was, however it ended;
/// what was not shrunk is.
///
/// A finding in somebody's released reader is its makers' to hear of first.
///
/// Exit code 0: nothing was found; 1: something was; 2: the campaign could not begin or go on.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  torchproof hunt --reader exec:./worker --time 600 --out found
  torchproof hunt --reader exec:./worker --reader builtin:flatbuffers --from model.pte --time 60 --out found
  torchproof hunt --reader exec:./worker --pairs --from model.pte weights.ptd --out found
  torchproof hunt --out found --promote crash-1b2f90aa")]
pub(super) struct Args {
    /// A reader, as for `torchproof run`; may be given many times
    #[arg(long = "reader", value_name = "ADDR", required_unless_present = "promote")]
    readers: Vec<Address>,
    /// The campaign's folder
    #[arg(long, value_name = "DIR", value_parser = folder())]
    out: PathBuf,
    /// Seconds to make files for, this time; 0 only shrinks what was found
    #[arg(long, value_name = "S", default_value_t = 60)]
    time: u64,
    /// Files to make in all, however long it takes
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// What the choices are made from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Files to attack instead of generated ones
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// Put programs to readers together with their data files, and attack either: generated pairs, or the FILEs of --from, each
    /// program with the data file behind it
    #[arg(long)]
    pairs: bool,
    /// Only attacks of this family
    #[arg(long, value_name = "F", value_parser = family)]
    family: Option<&'static Family>,
    /// Only attacks that break this rule
    #[arg(long, value_name = "R", value_parser = rule)]
    rule: Option<&'static Rule>,
    /// Files under way at once [default: one a processor]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    limited: Limited,
    /// Seconds to shrink each cluster for, at most; 0 leaves that for another time
    #[arg(long, value_name = "S", default_value_t = 10)]
    shrink: u64,
    /// Print the file of this cluster as a case of the registry, and do nothing else
    #[arg(long, value_name = "ID")]
    promote: Option<String>,
    /// How to report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args) -> Done {
    if let Some(id) = &args.promote {
        print(&promote(&Store::load(&args.out)?, id)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let sources = args.from.iter().map(|path| Source::read(path)).collect::<Result<Vec<_>, _>>()?;
    let selection = Selection { family: args.family.map(|family| family.name), rule: args.rule, depth: 1 };
    let head = Head {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: args.seed,
        readers: args.readers.iter().map(ToString::to_string).collect(),
        sources: sources
            .iter()
            .map(|source| (source.path.display().to_string(), HEXLOWER.encode(&Sha256::digest(source.bytes()))))
            .collect(),
        pairs: args.pairs,
        selection: (selection.family.map(str::to_owned), args.rule.map(|rule| rule.id.to_owned())),
    };
    let plan = Plan {
        readers: args.readers.clone(),
        draw: if args.pairs { Draw::of_pairs } else { Draw::new }(&sources, &selection, args.seed)?,
        time: Duration::from_secs(args.time),
        count: args.count,
        jobs: jobs(args.jobs).get(),
        file_time: args.limited.file_time(),
        settings: args.limited.settings(&args.readers)?,
        effort: (args.shrink > 0).then_some(Effort { time: Duration::from_secs(args.shrink), ..Effort::default() }),
    };
    let tell = |cluster: &Cluster| {
        complain(&format!("found {}: {}: {}", cluster.id, cluster.key.reader, cluster.key.signature));
    };
    let store = hunt(&plan, Store::open(&args.out, &head)?, &tell)?;
    match args.format {
        Format::Text => print(&text(&store))?,
        Format::Json => {
            let clusters: Vec<&Cluster> = store.clusters().collect();
            let report = serde_json::json!({ "campaign": head, "files": store.next(), "clusters": clusters });
            print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
        }
    }
    Ok(ExitCode::from(u8::from(store.clusters().next().is_some())))
}

/// How much of a signature is in a row.
const SIGNATURE: usize = 60;

fn text(store: &Store) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(["cluster", "reader", "family", "rule", "times", "bytes", "what it did"]);
    for column in [4, 5] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut findings = 0;
    let mut count = 0;
    for cluster in store.clusters() {
        let key = &cluster.key;
        findings += cluster.count;
        count += 1;
        table.add_row([
            cluster.id.clone(),
            plain_line(&key.reader, 40),
            key.family.clone(),
            key.rule.clone().unwrap_or_else(|| "-".to_owned()),
            cluster.count.to_string(),
            cluster.shrunk.unwrap_or(cluster.size).to_string(),
            plain_line(key.signature.as_str(), SIGNATURE),
        ]);
    }
    let mut text = String::new();
    if count > 0 {
        text = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect::<String>() + "\n";
    }
    let folder = plain_name(&store.folder().to_string_lossy());
    text + &format!("{folder}: {} files, {findings} findings in {count} clusters\n", store.next())
}
