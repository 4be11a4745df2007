//! Arguments of several subcommands.

use std::num::NonZero;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};

/// The name that started this program, for printed commands.
pub(super) fn program() -> String {
    std::env::args().next().unwrap_or_else(|| "torchproof".to_owned())
}

/// The path of an output file; rejects `-`, which means stdout in other options.
pub(super) fn new_file() -> impl TypedValueParser<Value = PathBuf> {
    not_stdout("expected a file, not stdout; pass ./- for a file named -")
}

/// The path of an output folder; rejects `-`, which means stdout in other options.
pub(super) fn folder() -> impl TypedValueParser<Value = PathBuf> {
    not_stdout("expected a folder, not stdout; pass ./- for a folder named -")
}

pub(super) fn not_stdout(message: &'static str) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| if path.as_os_str() == "-" { Err(message) } else { Ok(path) })
}

/// Parses a number in this range.
pub(super) fn whole_number(text: &str, range: RangeInclusive<u32>) -> Result<u32, String> {
    let expected = match *range.end() {
        u32::MAX => format!("expected a number from {}", range.start()),
        end => format!("expected {} to {end}", range.start()),
    };
    text.parse().ok().filter(|number| range.contains(number)).ok_or(expected)
}

/// The value of `--jobs`.
pub(super) fn job_count(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "expected a number from 1".to_owned())
}

/// A parser for these values, by name.
pub(super) fn one_of<T: Clone + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<(&str, T)> = values.into_iter().collect();
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    PossibleValuesParser::new(names).map(move |given| {
        let (_, value) = values.iter().find(|(name, _)| *name == given).expect("the parser lets no other name through");
        value.clone()
    })
}

/// The number of jobs; by default the number of processors.
pub(super) fn jobs(given: Option<NonZero<usize>>) -> NonZero<usize> {
    given.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
}

/// The options on the command line, for a command that repeats the run.
///
/// This must be the first field of a subcommand's arguments, because parsing a field removes its values.
#[derive(Debug)]
pub(super) struct GivenOptions(ArgMatches);

impl GivenOptions {
    /// The given options of `A` with these names, as words of a command.
    pub(super) fn words<A: clap::Args>(&self, names: &[&str]) -> Vec<String> {
        let command = A::augment_args(Command::new("again"));
        let mut words = Vec::new();
        for option in command.get_arguments() {
            let (Some(name), id) = (option.get_long(), option.get_id().as_str()) else { continue };
            if !names.contains(&name) || self.0.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            if !option.get_action().takes_values() {
                words.push(format!("--{name}"));
                continue;
            }
            for value in self.0.get_raw(id).into_iter().flatten() {
                words.extend([format!("--{name}"), value.to_string_lossy().into_owned()]);
            }
        }
        words
    }
}

impl FromArgMatches for GivenOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(matches.clone()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = matches.clone();
        Ok(())
    }
}

impl clap::Args for GivenOptions {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}
