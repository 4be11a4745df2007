//! `torchproof generate`: writes valid files from seeds.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use torchproof::generate::{Config, GeneratedKind, generate};
use torchproof_harness::disk::io_error::{cannot_read, cannot_use_folder, cannot_write};
use torchproof_harness::disk::open::read_argument_text;
use torchproof_harness::disk::{AtomicFile, OverwritePolicy};
use torchproof_harness::text::escape::plain_name;

use super::{CommandResult, folder, number, one_of, print};
use crate::generation;

/// Generate valid files from seeds
///
/// The same seed and settings give the same bytes on every machine and in every release, and no file breaks a must-rule
/// or a should-rule. A file is named after its kind and its seed, such as `pte-17.pte`; a pair is `pair-17.pte` and
/// `pair-17.ptd`.
///
/// Settings come from options or a TOML file; if both have a value, the option wins.
///
/// Exits with 0 if all files were written, and 2 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Write ten programs:
    torchproof generate --count 10 --output files
  Write pairs of a program and its data file, with some settings changed:
    torchproof generate --kind pair --methods 1 --ranks 0..2 --count 3 -o f
  Draw random settings for each file:
    torchproof generate --swarm --count 100 --output files")]
pub(super) struct GenerateArgs {
    /// Kind of file: a program, a data file, a data file in the legacy layout, or a program and its data file as a pair
    #[arg(long, default_value = "pte", value_parser = one_of(GeneratedKind::ALL.map(|kind| (kind.name(), kind))))]
    kind: GeneratedKind,
    /// Number of seeds; each gives one file or pair
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number)]
    count: u64,
    /// The first seed
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = number)]
    seed: u64,
    /// TOML file with settings
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Draw random settings for each file, except those that options or the TOML file set
    #[arg(long)]
    swarm: bool,
    /// The output folder; a missing folder is created
    #[arg(long, short, value_name = "DIR", value_parser = folder())]
    output: Option<PathBuf>,
    /// Replace existing files
    #[arg(long, short)]
    force: bool,
    /// Print the settings as TOML and write no file; with --swarm, print the first seed's settings
    #[arg(long, conflicts_with = "output")]
    print_config: bool,
    #[command(flatten)]
    given: Given,
}

#[derive(Debug)]
struct Given(Vec<(&'static str, String)>);

impl clap::FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |name| matches.get_one::<String>(name).map(|value| (name, value.clone()));
        Ok(Self(Config::SETTINGS.iter().filter_map(|setting| given(setting.name)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Given {
    fn augment_args(command: Command) -> Command {
        let default = Config::default();
        Config::SETTINGS.iter().fold(command, |command, setting| {
            let name = setting.name;
            let kind = match setting.kind {
                "Count" => "N..M",
                "Percent" => "PERCENT",
                _ => "NAMES",
            };
            let help = setting.doc.trim().trim_end_matches('.').replace('\n', " ");
            let help = format!("{help} [default: {}]", default.get(name).unwrap_or_default());
            let check = move |text: &str| match Config::default().set(name, text) {
                Ok(()) => Ok(text.to_owned()),
                Err(error) => Err(error.to_string()),
            };
            let long = name.replace('_', "-");
            command
                .arg(Arg::new(name).long(long).value_name(kind).help(help).help_heading("Settings").value_parser(check))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

pub(super) fn run(args: &GenerateArgs) -> CommandResult {
    let toml = args.config.as_deref().map(read).transpose()?;
    if args.print_config {
        print(&generation::to_toml(&args.settings(toml.as_deref(), args.seed)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    let folder = args.output.as_deref().ok_or("--output: missing; expected a folder for the files")?;
    let last = args
        .seed
        .checked_add(args.count.saturating_sub(1))
        .ok_or_else(|| format!("--count: found {}, expected at most {}", args.count, u64::MAX - args.seed + 1))?;
    fs::create_dir_all(folder).map_err(|error| cannot_use_folder(folder, &error))?;
    let mut config = args.settings(toml.as_deref(), args.seed)?;
    for seed in (args.seed..=last).take_while(|_| args.count > 0) {
        if args.swarm {
            config = args.settings(toml.as_deref(), seed)?;
        }
        for file in generate(args.kind, &config, seed)? {
            let path = folder.join(format!("{}-{seed}.{}", args.kind.name(), file.extension));
            let existing = if args.force { OverwritePolicy::Replace } else { OverwritePolicy::Keep };
            // A lost file can be generated again, so do not wait for the disk.
            AtomicFile::write_unsynced(&path, &file.bytes, existing).map_err(|error| cannot_write(&path, &error))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl GenerateArgs {
    /// The TOML file overrides the default settings or, with `--swarm`, the random settings. Options override the TOML file.
    fn settings(&self, toml: Option<&str>, seed: u64) -> Result<Config, Box<dyn Error>> {
        let mut config = if self.swarm { Config::swarm(seed) } else { Config::default() };
        if let (Some(toml), Some(path)) = (toml, &self.config) {
            let named = |error| format!("{}: {error}", plain_name(&path.to_string_lossy()));
            generation::apply(toml, &mut config).map_err(named)?;
        }
        for (name, value) in &self.given.0 {
            config.set(name, value)?;
        }
        Ok(config)
    }
}

fn read(path: &Path) -> Result<String, String> {
    read_argument_text(path).map_err(|error| cannot_read(path, &error))
}
