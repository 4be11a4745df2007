//! Arguments that several subcommands share.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};

/// The name that this program was started with, so that the commands it prints can be pasted.
pub(super) fn program() -> String {
    PROGRAM.get().cloned().unwrap_or_else(|| "torchproof".to_owned())
}

pub(super) static PROGRAM: OnceLock<String> = OnceLock::new();

/// Rejects `-`, which means stdout in other options.
pub(super) fn new_file() -> impl TypedValueParser<Value = PathBuf> {
    not_stdout("expected a file, not stdout; pass ./- for a file named -")
}

/// Rejects `-`, which means stdout in other options.
pub(super) fn folder() -> impl TypedValueParser<Value = PathBuf> {
    not_stdout("expected a folder, not stdout; pass ./- for a folder named -")
}

pub(super) fn not_stdout(message: &'static str) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| if path.as_os_str() == "-" { Err(message) } else { Ok(path) })
}

pub(super) fn whole_number(text: &str, range: RangeInclusive<u32>) -> Result<u32, String> {
    let expected = match *range.end() {
        u32::MAX => format!("expected a number from {}", range.start()),
        end => format!("expected {} to {end}", range.start()),
    };
    text.parse().ok().filter(|number| range.contains(number)).ok_or(expected)
}

pub(super) fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a number from 0 to 2^64 - 1".to_owned())
}

/// Parses a whole number with a unit, and multiplies it by the unit's factor.
pub(super) fn with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, unit) = text.split_at(text.trim_end_matches(|char: char| !char.is_ascii_digit()).len());
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

pub(super) fn duration(text: &str) -> Result<Duration, &'static str> {
    let milliseconds = with_unit(text, &[("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)]);
    let expected = "expected a whole number and its unit (ms, s, m or h), as in 1500ms or 10m";
    milliseconds.map(Duration::from_millis).ok_or(expected)
}

pub(super) fn job_count(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "expected a number from 1".to_owned())
}

pub(super) fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor: &f64| factor.is_finite() && *factor > 0.0);
    factor.ok_or_else(|| "expected a number above 0".to_owned())
}

pub(super) fn one_of<T: Clone + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<(&str, T)> = values.into_iter().collect();
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    PossibleValuesParser::new(names).map(move |given| {
        let (_, value) = values.iter().find(|(name, _)| *name == given).expect("the parser accepts only these names");
        value.clone()
    })
}

pub(super) fn jobs(given: Option<NonZero<usize>>) -> NonZero<usize> {
    given.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
}

/// The options given on the command line, which the printed re-run command repeats. In a subcommand's arguments,
/// declare this field first: clap takes each field's values out of the matches as it parses them.
#[derive(Debug)]
pub(super) struct GivenOptions(ArgMatches);

impl GivenOptions {
    /// The given options of type `A` as words in a shell command.
    pub(super) fn words<A: clap::Args>(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (name, values) in self.values::<A>() {
            let option = format!("--{name}");
            match values.is_empty() {
                true => words.push(option),
                false => words.extend(values.into_iter().flat_map(|value| [option.clone(), value])),
            }
        }
        words
    }

    /// The given options of type `A` with their values, which are empty for flags.
    pub(super) fn values<A: clap::Args>(&self) -> BTreeMap<String, Vec<String>> {
        let command = A::augment_args(Command::new("given"));
        let mut given = BTreeMap::new();
        for option in command.get_arguments() {
            let (Some(name), id) = (option.get_long(), option.get_id().as_str()) else { continue };
            if self.0.value_source(id) == Some(ValueSource::CommandLine) {
                let raw = self.0.get_raw(id).filter(|_| option.get_action().takes_values());
                let values = raw.into_iter().flatten().map(|value| value.to_string_lossy().into_owned());
                given.insert(name.to_owned(), values.collect());
            }
        }
        given
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
