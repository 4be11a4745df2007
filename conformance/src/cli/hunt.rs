//! `torchproof hunt`: fuzzes readers and clusters the failures.

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
use super::{Done, complain, folder, job_count, jobs, number, print, program};
use crate::attack::Source;
use crate::hunt::shrink::Effort;
use crate::hunt::{Cluster, Draw, Head, HuntError, Plan, Shrinking, Store, again, hunt, promote};
use crate::reader::Address;
use crate::reader::signature::Signature;
use crate::run::target_folder;
use crate::text::escape::{plain_line, plain_name, shell_line};
use crate::text::table;

/// Fuzz readers continuously and cluster the failures
///
/// `hunt` mutates the FILEs of --from, or generated files, and runs the readers on the mutated files. A finding is a crash, a
/// hang, an exceeded limit, or a verdict that contradicts the checker. If the checker has no verdict, a disagreement between two
/// readers is also a finding. Findings with the same reader, attack family, rule and outcome form a cluster.
///
/// Of each cluster, `hunt` keeps the smallest tested file and shrinks a copy of this file. The folder DIR/clusters/ID contains
/// both files, the label, the annotated bytes, and the command that repeats the finding. `hunt` tests new files for --time
/// seconds, and then shrinks files for --shrink-total seconds.
///
/// `hunt` saves each finding immediately. A campaign can be interrupted; the same command with the same DIR resumes the campaign.
/// Without --out, the options determine DIR, so the same options resume the same campaign.
///
/// Before you publish a finding about a released reader, report the finding to the maintainers of the reader.
///
/// Exit code 0: the campaign has no finding. Exit code 1: the campaign has a finding. Exit code 2: the campaign could not start
/// or resume. With --again, the exit code is 1 if the outcome has not changed, and 0 if the outcome has changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Fuzz a reader with 20 files, without shrinking:
    torchproof hunt --reader 'once:grep -qa ET12' --count 20 --shrink 0
  Attack one file, and keep the campaign in a folder:
    torchproof hunt --reader once:true --from corpus/real/add.pte --count 9 --shrink 0 --out found
  Run a reader on programs together with their data files:
    torchproof hunt --reader builtin:reference --pairs --count 10 --out found")]
pub(super) struct HuntArgs {
    #[command(flatten)]
    given: GivenOptions,
    /// Address of a reader, as for `torchproof run`; repeatable
    #[arg(long = "reader", value_name = "ADDR", required_unless_present_any = ["promote", "again"])]
    readers: Vec<Address>,
    /// The campaign's folder [default: a folder below torchproof-hunt in cargo's target folder; the options determine
    /// its name]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    out: Option<PathBuf>,
    /// Time for testing new files in this session, in seconds; with 0, `hunt` only shrinks files
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = number)]
    time: u64,
    /// Maximum number of files in all sessions of the campaign together [default: no limit]
    #[arg(long, value_name = "N", value_parser = number)]
    count: Option<u64>,
    /// Seed of the random choices
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = number)]
    seed: u64,
    /// Files to mutate instead of generated files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// Test pairs of a program and its data file, and mutate one file of each pair. With this option, --from expects each program
    /// directly before its data file
    #[arg(long)]
    pairs: bool,
    /// Use only attacks of this family
    #[arg(long, value_name = "F", value_parser = family())]
    family: Option<&'static Family>,
    /// Use only attacks that break this rule
    #[arg(long, value_name = "RULE", value_parser = rule)]
    rule: Option<&'static Rule>,
    /// Number of files to test in parallel [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = job_count)]
    jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    limited: Limited,
    /// Time for shrinking the file of each cluster, in seconds; 0 postpones shrinking to a later session
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = number)]
    shrink: u64,
    /// Time for shrinking in this session, in seconds. The next session continues the shrinking [default: the value of
    /// --time; no limit with --time 0]
    #[arg(long, value_name = "S", value_parser = number)]
    shrink_total: Option<u64>,
    /// Test the file of this cluster again, with the campaign's readers or the readers of --reader, and exit
    #[arg(long, value_name = "ID", requires = "out", conflicts_with_all = ["promote", "format"])]
    again: Option<String>,
    /// Print Rust source code of a corpus case for the file of this cluster, and exit
    #[arg(long, value_name = "ID", requires = "out")]
    promote: Option<String>,
    /// Output format
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

/// Returns the default folder of a campaign. Campaigns with different options have different folders.
fn folder_of(head: &Head) -> Result<PathBuf, serde_json::Error> {
    let digest = HEXLOWER.encode(&Sha256::digest(serde_json::to_vec(head)?)[..4]);
    Ok(target_folder().join("torchproof-hunt").join(digest))
}

/// Loads a stored campaign for reading only.
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

/// Runs the readers again on the file of the cluster `id`, and prints the outcome of each reader.
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

/// The maximum number of characters of a signature in a table row.
const SIGNATURE: usize = 60;

fn text(store: &Store) -> String {
    let mut table = table(&["cluster", "reader", "family", "rule", ">times", ">bytes", "outcome"]);
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
        left => text + &format!(", {left} not shrunk yet; run the same command with --time 0 to continue shrinking\n"),
    }
}
