//! `torchproof hunt`: fuzzes readers continuously.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use comfy_table::ContentArrangement;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use torchproof::attack::{Family, Selection};
use torchproof::rules::Rule;

use super::arguments::GivenOptions;
use super::attack::{family, rule};
use super::format::Format;
use super::readers::Limited;
use super::{Done, complain, folder, jobs, print, program};
use crate::attack::Source;
use crate::hunt::shrink::Effort;
use crate::hunt::{Cluster, Draw, Head, HuntError, Plan, Shrinking, Store, again, hunt, promote};
use crate::reader::Address;
use crate::reader::signature::Signature;
use crate::run::target_folder;
use crate::text::escape::{plain_line, plain_name, shell_line};
use crate::text::table;

/// Fuzz readers continuously and cluster the failures.
///
/// Files are generated and attacked, or the FILEs of --from are attacked. A reader's death is a finding whatever the file is; so is
/// a verdict where our checker's is the other one, and two readers that disagree where it has none. Findings of one reader, family,
/// rule and outcome are a cluster, whose smallest file is kept and in the end shrunk: `clusters/ID/` in DIR has it, with its label,
/// its bytes annotated, the command that puts it to the readers again, and what it was shrunk to.
///
/// Files are made for --time, and what was found is then shrunk for --shrink-total: a run takes both together, and what is under
/// way at the end of each.
///
/// Everything is written as it is found. With the same DIR and the same choices, a campaign goes on where it was, however it ended;
/// what was not shrunk is. Without --out, the same choices have the same DIR.
///
/// A finding in somebody's released reader is its makers' to hear of first.
///
/// Exit code 0: nothing was found; 1: something was; 2: the campaign could not begin or go on. With --again,
/// 0: the readers do something else; 1: they do the same again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  torchproof hunt --reader exec:./worker --time 600
  torchproof hunt --reader exec:./worker --time 600 --out found
  torchproof hunt --reader exec:./worker --reader builtin:flatbuffers --from model.pte --time 60 --out found
  torchproof hunt --reader exec:./worker --pairs --from model.pte weights.ptd --out found
  torchproof hunt --out found --again crash-1b2f90aa
  torchproof hunt --out found --promote crash-1b2f90aa")]
pub(super) struct HuntArgs {
    #[command(flatten)]
    given: GivenOptions,
    /// A reader, as for `torchproof run`; may be given many times
    #[arg(long = "reader", value_name = "ADDR", required_unless_present_any = ["promote", "again"])]
    readers: Vec<Address>,
    /// The campaign's folder [default: one of these choices' own in torchproof-hunt under cargo's target folder]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    out: Option<PathBuf>,
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
    #[arg(long, value_name = "F", value_parser = family())]
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
    /// Seconds to shrink for in all, this time; what is not shrunk then is the next time [default: as many as --time, and no limit
    /// where that is 0]
    #[arg(long, value_name = "S")]
    shrink_total: Option<u64>,
    /// Put the file of this cluster to the readers again, those of the campaign or those of --reader, and do nothing else
    #[arg(long, value_name = "ID", requires = "out", conflicts_with_all = ["promote", "format"])]
    again: Option<String>,
    /// Print the file of this cluster as a case of the registry, and do nothing else
    #[arg(long, value_name = "ID", requires = "out")]
    promote: Option<String>,
    /// How to report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &HuntArgs) -> Done {
    match (&args.out, &args.promote, &args.again) {
        (Some(folder), Some(id), _) => {
            print(&promote(&load(folder)?.0, id)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        (Some(folder), None, Some(id)) => return run_again(args, folder, id),
        _ => {}
    }
    let sources = args.from.iter().map(|path| Source::read(path)).collect::<Result<Vec<_>, _>>()?;
    let mut selection = Selection::default();
    selection.family = args.family.map(|family| family.name);
    (selection.rule, selection.edition) = (args.rule, Selection::NEWEST);
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
        draw: Draw::new(&sources, args.pairs, &selection, args.seed)?,
        time: Duration::from_secs(args.time),
        count: args.count,
        jobs: jobs(args.jobs).get(),
        file_time: args.limited.file_time(),
        settings: args.limited.settings(&args.readers)?,
        shrinking: (args.shrink > 0).then(|| Shrinking {
            each: Effort { time: Duration::from_secs(args.shrink), ..Effort::default() },
            total: args.shrink_total.or((args.time > 0).then_some(args.time)).map(Duration::from_secs),
        }),
    };
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => {
            let folder = folder_of(&head)?;
            complain(&format!("note: the campaign is in {}", plain_name(&folder.to_string_lossy())));
            folder
        }
    };
    let words = [program(), "hunt".to_owned(), "--out".to_owned(), folder.to_string_lossy().into_owned()];
    let rerun = shell_line(words.into_iter().chain(args.given.words::<HuntArgs>(&[
        "file-ms",
        "memory-mb",
        "start-ms",
        "no-sandbox",
    ])));
    let report_cluster = |cluster: &Cluster| {
        complain(&format!("found {}: {}: {}", cluster.id, cluster.key.reader, cluster.key.signature));
    };
    let store = Store::open(&folder, &head, rerun)?;
    print_note(&store);
    let store = hunt(&plan, store, &report_cluster)?;
    let clusters: Vec<&Cluster> = store.clusters().collect();
    let report = serde_json::json!({
        "campaign": head,
        "folder": folder.to_string_lossy(),
        "files": store.next(),
        "clusters": clusters,
    });
    args.format.print(&report, || text(&store))?;
    Ok(ExitCode::from(u8::from(store.clusters().next().is_some())))
}

/// Where a campaign is that the user names no place for: one of the same choices goes on, and no other is in its way.
fn folder_of(head: &Head) -> Result<PathBuf, serde_json::Error> {
    let digest = HEXLOWER.encode(&Sha256::digest(serde_json::to_vec(head)?)[..4]);
    Ok(target_folder().join("torchproof-hunt").join(digest))
}

/// The campaign that is in a folder, to be looked at.
fn load(folder: &Path) -> Result<(Store, Head), HuntError> {
    let (store, head) = Store::load(folder)?;
    print_note(&store);
    Ok((store, head))
}

fn print_note(store: &Store) {
    if let Some(note) = store.note() {
        complain(&format!("note: {}", plain_line(note, usize::MAX)));
    }
}

/// Runs the readers again on a cluster's file, and prints what they do with it.
fn run_again(args: &HuntArgs, folder: &Path, id: &str) -> Done {
    let (store, head) = load(folder)?;
    let readers = match args.readers.is_empty() {
        true => head.readers.iter().map(|reader| reader.parse()).collect::<Result<Vec<Address>, _>>()?,
        false => args.readers.clone(),
    };
    let repeat = again(&store, id, &readers, &args.limited.settings(&readers)?, args.limited.file_time())?;
    let files: Vec<String> = repeat.files.iter().map(|path| plain_name(&path.to_string_lossy())).collect();
    let mut text = String::new();
    for (reader, outcome) in &repeat.outcomes {
        let signature = Signature::of(outcome);
        text += &format!("{}: {}: {}\n", files.join(" "), plain_line(reader, 40), plain_line(signature.as_str(), 200));
    }
    text += &format!("{id}: {}\n", if repeat.same { "the same again" } else { "not the same" });
    print(&text)?;
    Ok(ExitCode::from(u8::from(repeat.same)))
}

/// How much of a signature is in a row.
const SIGNATURE: usize = 60;

fn text(store: &Store) -> String {
    let mut table = table(&["cluster", "reader", "family", "rule", ">times", ">bytes", "what it did"]);
    table.set_content_arrangement(ContentArrangement::Disabled);
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
        text = table.trim_fmt() + "\n\n";
        text += &store.clusters().map(|cluster| cluster.again.clone() + "\n").collect::<String>();
        text += "\n";
    }
    let folder = plain_name(&store.folder().to_string_lossy());
    text += &format!("{folder}: {} files, {findings} findings in {count} clusters", store.next());
    match store.clusters().filter(|cluster| cluster.is_to_shrink()).count() {
        0 => text + "\n",
        left => text + &format!(", {left} of them still to be shrunk: the same with --time 0 goes on with that\n"),
    }
}
