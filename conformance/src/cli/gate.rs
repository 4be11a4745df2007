//! `torchproof gate`: compares two versions of a schema.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;

use super::format::print_json;
use super::{Done, print};
use crate::gate::schema::{Schema, SchemaComparison};

/// Decide whether a change is safe for existing files and readers
///
/// Exit code 0: the change is safe. Exit code 1: the change breaks readers. Exit code 2: the versions could not be compared.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Print the help of the comparison of schemas:
    torchproof gate schema --help
  Compare two versions of a schema:
    echo 'table A {}' > a.fbs; cp a.fbs b.fbs; torchproof gate schema a.fbs b.fbs")]
pub(super) struct GateArgs {
    #[command(subcommand)]
    command: GateCommand,
}

#[derive(Debug, Subcommand)]
enum GateCommand {
    Schema(SchemaArgs),
}

/// Compare two versions of a FlatBuffers schema
///
/// `gate schema` follows the tables from the root type and compares the fields by slot, because a file contains no names. For
/// each difference, the output states what it breaks, the reason, an example and the line. A difference breaks old readers if
/// they misread or reject files of the new schema. A difference breaks new readers if they misread or reject files of the old
/// schema.
///
/// Exit code 0: every reader of one schema can read the files of the other. Exit code 1: a reader cannot. Exit code 2: a schema
/// could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Compare two versions of a schema:
    echo 'table A {}' > a.fbs; cp a.fbs b.fbs; torchproof gate schema a.fbs b.fbs
  Also reject differences that break only source code:
    echo 'table A {}' > a.fbs; sed s/A/B/ a.fbs > b.fbs; torchproof gate schema --strict a.fbs b.fbs")]
struct SchemaArgs {
    /// The old schema
    old: PathBuf,
    /// The new schema
    new: PathBuf,
    /// Folder with included schemas, after the folder of the including file; repeatable
    #[arg(long, value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = GateFormat::Text)]
    format: GateFormat,
    /// Exit with code 1 also if a difference breaks only source code
    #[arg(long)]
    strict: bool,
}

/// An output format of `gate`.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum GateFormat {
    /// Text for a terminal
    Text,
    /// One JSON object, described by schema/gate_schema.schema.json
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Markdown for the summary page of a CI site
    Markdown,
}

pub(super) fn run(args: &GateArgs) -> Done {
    match &args.command {
        GateCommand::Schema(args) => schema(args),
    }
}

fn schema(args: &SchemaArgs) -> Done {
    let load = |path| Schema::load(path, &args.include);
    let comparison = SchemaComparison::new(&load(&args.old)?, &load(&args.new)?);
    let [breaking, source, _] = comparison.counts();
    let exit_code = u8::from(breaking > 0 || args.strict && source > 0);
    match args.format {
        GateFormat::Text => print(&comparison.text())?,
        GateFormat::Json => print_json(&comparison)?,
        GateFormat::Markdown => print(&comparison.markdown())?,
        GateFormat::Sarif => {
            let mut log = Vec::new();
            comparison.sarif(&mut log, exit_code)?;
            print(&String::from_utf8_lossy(&log))?;
        }
    }
    Ok(ExitCode::from(exit_code))
}
