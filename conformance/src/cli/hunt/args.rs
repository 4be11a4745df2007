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

/// Fuzz readers continuously and cluster the failures
///
/// `hunt` mutates the FILEs of --from, and runs the readers on the mutated files. Without --from, `hunt` mutates small files of
/// the corpus and generated files. A finding is a crash, a hang, an exceeded limit, or a verdict that contradicts the checker.
/// If the checker has no verdict, a disagreement between two readers is also a finding. Crashes in the same functions of the
/// reader form a cluster, and so do wrong verdicts about the same rule. `hunt` avoids files that repeat known clusters.
///
/// Of each cluster, `hunt` keeps the smallest tested file and shrinks a copy of this file. The folder DIR/clusters/ID contains
/// both files, the label, the annotated bytes, the reader's stderr, and the command that repeats the finding. `hunt` tests new files for --time,
/// and then shrinks files for --shrink-total.
///
/// `hunt` saves each finding immediately. SIGINT and SIGTERM end a campaign: `hunt` then prints the clusters so far. The same
/// command with the same DIR resumes the campaign. Without --output, the options determine DIR, so the same options resume the same
/// campaign.
///
/// Before the campaign, `hunt` runs a once:CMD reader on valid files of each kind. `hunt` leaves out a kind if the reader accepts
/// none of these files but accepts files of another kind. With --from, all kinds stay.
///
/// Before you publish a finding about a released reader, report the finding to the maintainers of the reader.
///
/// Exit code 0: the campaign has no finding. Exit code 1: the campaign has a finding. Exit code 2: the campaign could not start
/// or resume. Exit code 130: SIGINT or SIGTERM ended the campaign. With --again, the exit code is 1 if the outcome has not
/// changed, and 0 if the outcome has changed.
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
    /// Time for testing new files in this session; with 0s, `hunt` only shrinks files
    #[arg(help_heading = "Limits", long, value_name = "TIME", default_value = "1m", value_parser = duration)]
    pub(super) time: Duration,
    /// Maximum number of files in all sessions of the campaign together [default: no limit]
    #[arg(help_heading = "Limits", long, value_name = "N", value_parser = number)]
    pub(super) count: Option<u64>,
    /// Seed of the random choices
    #[arg(help_heading = "Mutation", long, value_name = "S", default_value_t = 0, value_parser = number)]
    pub(super) seed: u64,
    /// Files to mutate instead of files of the corpus and generated files
    #[arg(help_heading = "Mutation", long, value_name = "FILE", num_args = 1..)]
    pub(super) from: Vec<PathBuf>,
    /// Test pairs of a program and its data file, and mutate one file of each pair. With this option, --from expects each program
    /// directly before its data file
    #[arg(help_heading = "Mutation", long)]
    pub(super) pairs: bool,
    /// Use only attacks of this family
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
    /// Time for shrinking the file of each cluster; 0s postpones shrinking to a later session
    #[arg(help_heading = "Limits", long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(super) shrink: Duration,
    /// Time for shrinking in this session. The next session continues the shrinking [default: the value of
    /// --time; no limit with --time 0s]
    #[arg(help_heading = "Limits", long, value_name = "TIME", value_parser = duration)]
    pub(super) shrink_total: Option<Duration>,
    /// Test the file of this cluster again, and exit. Readers and limits on the command line replace those of the
    /// campaign
    #[arg(help_heading = "Clusters", long, value_name = "ID", requires = "output", conflicts_with_all = ["emit_case", "format"])]
    pub(super) again: Option<String>,
    /// Print Rust source code of a corpus case for the file of this cluster, and exit
    #[arg(help_heading = "Clusters", long, value_name = "ID", requires = "output")]
    pub(super) emit_case: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) limited: LimitOptions,
}
