//! `torchproof generate`: writes valid files.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use torchproof::generate::{Config, GeneratedKind, generate};

use super::{Done, folder, one_of, print, removed, unwritten};
use crate::disk::input::InputError;
use crate::disk::io_error::in_words;
use crate::disk::{AtomicFile, Existing};
use crate::generation;
use crate::text::escape::plain_name;

/// Write valid files, from seeds.
///
/// Each file is made of its seed and the settings alone: the same everywhere, and in every release. Whatever the settings are, a file
/// breaks no must-rule and no should-rule. Files are named by their kind and their seed, as `pte-17.pte`; a pair is
/// `pair-17.pte` and `pair-17.ptd`.
///
/// The settings are those of the library, each as an option, or together in a TOML file; an option goes before the file.
///
/// Exit code 0: the files are there; 2: they are not all, and one line on stderr says why.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  torchproof generate --count 100 --out files
  torchproof generate --kind pair --methods 1 --ranks 0..2 --count 3 --seed 17 --out files
  torchproof generate --swarm --count 1000 --out files")]
pub(super) struct GenerateArgs {
    /// What to make: programs, data files, data files of the older layout, or programs each with the data file that its
    /// external tensors are in
    #[arg(long, default_value = "pte", value_parser = one_of(GeneratedKind::ALL.map(|kind| (kind.name(), kind))))]
    kind: GeneratedKind,
    /// How many: of the seeds from S on
    #[arg(long, value_name = "N", default_value_t = 1)]
    count: u64,
    /// The first seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Settings, as a TOML file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Draw settings of its own for each file, under those that are given
    #[arg(long)]
    swarm: bool,
    /// Where the files go; it is made if it is not there
    #[arg(long, value_name = "DIR", value_parser = folder())]
    out: Option<PathBuf>,
    /// Replace files that are there
    #[arg(long, short)]
    force: bool,
    #[arg(long, hide = true)]
    stats: bool,
    /// Print the settings as a TOML file, with --swarm those of the first seed, and make nothing
    #[arg(long, conflicts_with = "out")]
    print_config: bool,
    #[command(flatten)]
    given: Given,
}

/// The settings that are given as options: by name, as text.
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

pub(super) fn run(args: &GenerateArgs) -> Done {
    let toml = args.config.as_deref().map(read).transpose()?;
    if args.print_config {
        print(&generation::to_toml(&args.settings(toml.as_deref(), args.seed)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.stats {
        return Err(removed::STATS.into());
    }
    let folder = args.out.as_deref().ok_or("no folder for the files: name one with --out DIR")?;
    let last = args
        .seed
        .checked_add(args.count.saturating_sub(1))
        .ok_or("--seed and --count go past the last seed, 2^64 - 1")?;
    let failed = |error| format!("{}: {}", plain_name(&folder.to_string_lossy()), in_words(&error));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut config = args.settings(toml.as_deref(), args.seed)?;
    for seed in (args.seed..=last).take_while(|_| args.count > 0) {
        if args.swarm {
            config = args.settings(toml.as_deref(), seed)?;
        }
        for file in generate(args.kind, &config, seed)? {
            let path = folder.join(format!("{}-{seed}.{}", args.kind.name(), file.extension));
            let existing = if args.force { Existing::Replace } else { Existing::Keep };
            // It can be made again.
            AtomicFile::write_unsynced(&path, &file.bytes, existing).map_err(|error| unwritten(&path, &error))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl GenerateArgs {
    /// The settings: the usual ones or those of the seed, then the file's, then the options'.
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
    fs::read_to_string(path).map_err(|error| InputError::new(path, &error).to_string())
}
