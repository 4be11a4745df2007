//! `torchproof hunt`: fuzzes readers and clusters the failures.

mod args;
mod live_progress;
mod text;

use std::env::current_dir;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use torchproof::annotate::ByteMap;
use torchproof::attack::Selection;
use torchproof_harness::hunt::shrink::Effort;
use torchproof_harness::hunt::{
    CampaignConfig, Cluster, Draw, Head, HuntError, ShrinkLimits, Store, Watch, emit_case, hunt, retest,
};
use torchproof_harness::labeled::Source;
use torchproof_harness::reader::Address;
use torchproof_harness::reader::interrupt::is_interrupted;
use torchproof_harness::run::target_folder;
use torchproof_harness::text::escape::{plain_line, plain_name, shell_line};

use super::interrupted::{INTERRUPTED, end_on_signals};
use super::readers::LimitOptions;
use super::{CommandResult, complain, jobs, print, program};
use crate::byte_map;
pub(super) use args::HuntArgs;
use live_progress::LiveProgress;
pub(super) use text::text;

pub(super) fn run(args: &HuntArgs) -> CommandResult {
    match (&args.output, &args.emit_case, &args.again) {
        (Some(folder), Some(id), _) => {
            print(&emit_case(&load(folder)?.0, id)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        (Some(folder), None, Some(id)) => return retest_cluster(args, folder, id),
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
        limits: args.given.words::<LimitOptions>(),
        working_folder: current_dir().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default(),
    };
    let config = CampaignConfig {
        readers: args.readers.clone(),
        draw: Draw::new(&sources, args.pairs, &selection, args.seed)?,
        time: args.time,
        count: args.count,
        jobs: jobs(args.jobs).get(),
        file_time: args.limited.file_time(),
        only: args.only.clone(),
        settings: args.limited.settings(&args.readers)?,
        shrinking: (!args.shrink.is_zero()).then(|| ShrinkLimits {
            each: Effort { time: args.shrink, ..Effort::default() },
            total: args.shrink_total.or((!args.time.is_zero()).then_some(args.time)),
        }),
    };
    let folder = match &args.output {
        Some(folder) => folder.clone(),
        None => {
            let folder = folder_of(&head)?;
            complain(&format!("note: the campaign is in {}", plain_name(&folder.to_string_lossy())));
            folder
        }
    };
    let words = [program(), "hunt".to_owned(), "--output".to_owned(), folder.to_string_lossy().into_owned()];
    let rerun = shell_line(words);
    let mut store = Store::open(&folder, &head, rerun, |bytes, out| {
        byte_map::write(out, bytes, &ByteMap::of(bytes), &[], byte_map::ShownRows::All)
    })?;
    print_note(&store);
    end_on_signals()?;
    let live = LiveProgress::new(&store);
    let done = hunt(&config, &mut store, &live);
    live.shrinks(0);
    let interrupted = matches!(done, Err(HuntError::Interrupted));
    match &done {
        Err(error) if interrupted => complain(&error.to_string()),
        _ => done?,
    }
    let clusters: Vec<&Cluster> = store.clusters().collect();
    let report = serde_json::json!({
        "campaign": head,
        "folder": folder.to_string_lossy(),
        "files": store.next(),
        "clusters": clusters,
    });
    args.format.print(&report, || text(&store))?;
    let found = u8::from(store.clusters().next().is_some());
    Ok(ExitCode::from(if interrupted { INTERRUPTED } else { found }))
}

/// Campaigns with different options have different folders.
fn folder_of(head: &Head) -> Result<PathBuf, serde_json::Error> {
    let head = Head { limits: Vec::new(), working_folder: String::new(), ..head.clone() };
    let digest = HEXLOWER.encode(&Sha256::digest(serde_json::to_vec(&head)?)[..4]);
    Ok(target_folder().join("torchproof-hunt").join(digest))
}

pub(super) fn load(folder: &Path) -> Result<(Store, Head), HuntError> {
    let (store, head) = Store::load(folder)?;
    print_note(&store);
    Ok((store, head))
}

fn print_note(store: &Store) {
    if let Some(note) = store.note() {
        complain(&format!("note: {}", plain_line(note, usize::MAX)));
    }
}

fn retest_cluster(args: &HuntArgs, folder: &Path, id: &str) -> CommandResult {
    let (store, head) = load(folder)?;
    let readers = match args.readers.is_empty() {
        true => head.readers.iter().map(|reader| reader.parse()).collect::<Result<Vec<Address>, _>>()?,
        false => args.readers.clone(),
    };
    let limited = LimitOptions::of_words(head.limits.into_iter().chain(args.given.words::<LimitOptions>()))?;
    end_on_signals()?;
    let repeat = retest(&store, id, &readers, &limited.settings(&readers)?, limited.file_time());
    if is_interrupted() {
        complain("interrupted");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let repeat = repeat?;
    let files: Vec<String> = repeat.files.iter().map(|path| plain_name(&path.to_string_lossy())).collect();
    let mut text = String::new();
    for (reader, outcome) in &repeat.outcomes {
        let outcome = plain_line(&outcome.to_string(), 200);
        text += &format!("{}: {}: {outcome}\n", files.join(" "), plain_line(reader, 40));
    }
    text += &format!("{id}: {}\n", if repeat.same { "the outcome has not changed" } else { "the outcome has changed" });
    print(&text)?;
    Ok(ExitCode::from(u8::from(repeat.same)))
}
