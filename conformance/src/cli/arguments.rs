//! Arguments that several subcommands have.

use std::num::NonZero;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};

/// The name that this program was started by, for a command to run again.
pub(super) fn program() -> String {
    std::env::args().next().unwrap_or_else(|| "torchproof".to_owned())
}

/// The place of a file that is put there whole: `-`, which elsewhere is stdout, is none.
pub(super) fn new_file() -> impl TypedValueParser<Value = PathBuf> {
    not_stdout("a file is put in place whole, which stdout is not; a file of that name is ./-")
}

/// The folder that files go into: `-`, which elsewhere is stdout, is none.
pub(super) fn folder() -> impl TypedValueParser<Value = PathBuf> {
    not_stdout("files go into a folder, which stdout is not; a folder of that name is ./-")
}

pub(super) fn not_stdout(why: &'static str) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| if path.as_os_str() == "-" { Err(why) } else { Ok(path) })
}

/// One of these values, by its name.
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

/// The number of jobs: by default one for each processor.
pub(super) fn jobs(given: Option<NonZero<usize>>) -> NonZero<usize> {
    given.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
}

/// The options that the user gave, for a command that runs again.
///
/// It has to be the first field of a subcommand's arguments: parsing takes the values away, one field after the other.
#[derive(Debug)]
pub(super) struct GivenOptions(ArgMatches);

impl GivenOptions {
    /// The options of these names that were given to `A`, as words of a command.
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
