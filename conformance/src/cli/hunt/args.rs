//! The arguments of `torchproof hunt`.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use torchproof::attack::Family;
use torchproof::rules::Rule;
use torchproof_harness::hunt::Kind;
use torchproof_harness::reader::Address;

use super::super::arguments::{GivenOptions, duration, folder, job_count, number, one_of};
use super::super::attack::{family, rule};
use super::super::format::Format;
use super::super::readers::LimitOptions;

/// Fuzz readers, and cluster their failures
///
/// The readers run on mutants of the files given with --from, or else of small corpus files and generated files. A
/// finding is a crash, a hang, an exceeded limit, or a wrong verdict: one that contradicts the checker or, if the
/// checker has no verdict, another reader. Crashes in the same reader functions form a cluster, and so do wrong
/// verdicts about the same rule. The search avoids files that would only repeat known clusters.
///
/// For each cluster, DIR/clusters/ID contains the smallest file, a shrunk copy of it, the label, the annotated bytes,
/// the reader's stderr, and the command that repeats the finding. Each session tests new files for --time, and then
/// shrinks files for --shrink-total.
///
/// Each finding is saved immediately. SIGINT or SIGTERM prints the clusters so far, and the same command with the same
/// DIR resumes the campaign. If you omit --output, the options determine DIR, so the same options resume the campaign.
///
/// A once:CMD reader first runs on valid files of each kind. A kind is left out if the reader accepts none of its
/// files, but accepts some of another kind. --from keeps all kinds.
///
/// If a released reader fails, tell its maintainers before you publish anything.
///
/// Exits with 0 if the campaign has no finding, 1 if it has one, 2 if it could not start or resume, and 130 if SIGINT
/// or SIGTERM ended it. With --again, exits with 1 if the outcome is the same as before, and 0 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Fuzz a reader with 20 files, without shrinking:
    torchproof hunt --reader 'once:grep -qa ET12' --count 20 --shrink 0s
  Attack one file, and keep the campaign in a folder:
    torchproof hunt --reader once:ls --from corpus/real/add.pte --time 2s -o a
  Run a reader on programs together with their data files:
    torchproof hunt --reader builtin:reference --pairs --count 10 --output found")]
pub(in crate::cli) struct HuntArgs {
    #[command(flatten)]
    pub(super) given: GivenOptions,
    /// Address of a reader, as for `torchproof run`; repeatable
    #[arg(long = "reader", value_name = "ADDR", required_unless_present_any = ["emit_case", "again"])]
    pub(super) readers: Vec<Address>,
    /// The campaign's folder [default: a folder below torchproof-hunt in cargo's target folder; the options determine
    /// its name]
    #[arg(long, short, value_name = "DIR", value_parser = folder())]
    pub(super) output: Option<PathBuf>,
    /// Time for testing new files in this session; with 0s, the session only shrinks files
    #[arg(help_heading = "Limits", long, value_name = "TIME", default_value = "1m", value_parser = duration)]
    pub(super) time: Duration,
    /// Maximum number of files across all sessions of the campaign [default: no limit]
    #[arg(help_heading = "Limits", long, value_name = "N", value_parser = number)]
    pub(super) count: Option<u64>,
    /// Seed for the random choices
    #[arg(help_heading = "Mutation", long, value_name = "S", default_value_t = 0, value_parser = number)]
    pub(super) seed: u64,
    /// Files to mutate instead of corpus files and generated files
    #[arg(help_heading = "Mutation", long, value_name = "FILE", num_args = 1..)]
    pub(super) from: Vec<PathBuf>,
    /// Test each program with its data file as a pair, and mutate one of the two. With --from, name each program
    /// directly before its data file
    #[arg(help_heading = "Mutation", long)]
    pub(super) pairs: bool,
    /// Use only attacks from this family
    #[arg(help_heading = "Mutation", long, value_name = "F", value_parser = family())]
    pub(super) family: Option<&'static Family>,
    /// Use only attacks that break this rule
    #[arg(help_heading = "Mutation", long, value_name = "RULE", value_parser = rule)]
    pub(super) rule: Option<&'static Rule>,
    /// Record only failures of these kinds, separated by commas
    #[arg(help_heading = "Clusters", long, value_name = "KINDS", value_delimiter = ',', value_parser = one_of(Kind::ALL.map(|kind| (kind.name(), kind))))]
    pub(super) only: Vec<Kind>,
    /// Number of files to test in parallel [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = job_count)]
    pub(super) jobs: Option<NonZero<usize>>,
    /// Time for shrinking each cluster's file; 0s leaves it to a later session
    #[arg(help_heading = "Limits", long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(super) shrink: Duration,
    /// Time for shrinking in this session; the next session continues [default: the value of --time; no limit with
    /// --time 0s]
    #[arg(help_heading = "Limits", long, value_name = "TIME", value_parser = duration)]
    pub(super) shrink_total: Option<Duration>,
    /// Run the reader on this cluster's file again, and exit. Readers and limits on the command line replace the
    /// campaign's
    #[arg(help_heading = "Clusters", long, value_name = "ID", requires = "output", conflicts_with_all = ["emit_case", "format"])]
    pub(super) again: Option<String>,
    /// Print this cluster's file as Rust source code for a corpus case, and exit
    #[arg(help_heading = "Clusters", long, value_name = "ID", requires = "output")]
    pub(super) emit_case: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) limited: LimitOptions,
}
