//! **Where a reader is**: `builtin:NAME`, `once:CMD`, `exec:CMD`, `lib:PATH`.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use torchproof::check::Target;
use torchproof::rules::Rule;

use super::builtin::Builtin;
use super::conversation::Conversation;
use super::exec::Exec;
use super::library::HOST_SUBCOMMAND;
use super::once::Once;
use super::reference::Checker;
use super::{Reader, Settings};

/// A reader's address, as the user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    text: String,
    transport: Transport,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Transport {
    Builtin(Builtin),
    Once(Vec<String>),
    Exec(Vec<String>),
    Library(PathBuf),
}

impl Address {
    /// Makes a reader, started when it is first used.
    #[must_use]
    pub fn open(&self, settings: &Settings) -> Box<dyn Reader> {
        let settings = settings.clone();
        match &self.transport {
            Transport::Builtin(builtin) => Box::new(*builtin),
            Transport::Once(argv) => Box::new(Once { argv: argv.clone(), name: self.name().to_owned(), settings }),
            Transport::Exec(argv) => {
                Box::new(Exec::new(argv.iter().map(OsString::from).collect(), self.name(), settings))
            }
            Transport::Library(path) => {
                let host = vec![settings.launcher.program().into(), HOST_SUBCOMMAND.into(), path.into()];
                Box::new(Exec::new(host, self.name(), settings))
            }
        }
    }

    /// Whether the reader has no hello of its own, so that only its answers show what it can do.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self.transport, Transport::Once(_))
    }

    /// Whether what reads is a process of its own, which the launcher starts.
    #[must_use]
    pub const fn is_started(&self) -> bool {
        !matches!(self.transport, Transport::Builtin(_))
    }

    /// Starts a worker to talk to; none by a transport without talk.
    pub(crate) fn converse(&self, settings: &Settings) -> Option<Result<Conversation, String>> {
        match &self.transport {
            Transport::Exec(argv) => Some(Conversation::start(argv, settings, settings.memory_mb)),
            // Its talk is ours.
            Transport::Builtin(_) | Transport::Once(_) | Transport::Library(_) => None,
        }
    }

    /// A name for a reader that has not given its own: the builtin's, or the command's or the library's without folder
    /// and suffix.
    #[must_use]
    pub fn name(&self) -> &str {
        let program = match &self.transport {
            Transport::Builtin(builtin) => return builtin.name(),
            Transport::Once(argv) | Transport::Exec(argv) => Path::new(argv.first().map_or("", String::as_str)),
            Transport::Library(path) => path,
        };
        program.file_stem().unwrap_or(program.as_os_str()).to_str().unwrap_or_default()
    }

    /// The checker for hosts of this width, without one of its rules.
    #[must_use]
    pub fn reference(target: Target, without: &'static Rule) -> Self {
        let bits = if target == Target::Bits32 { ",32-bit" } else { "" };
        let checker = Checker { target, strict: false, without: Some(without) };
        Self {
            text: format!("builtin:reference,without={without}{bits}"),
            transport: Transport::Builtin(Builtin::Reference(checker)),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let transport = Transport::parse(text).map_err(|why| AddressError(format!("`{text}`: {why}")))?;
        Ok(Address { text: text.to_owned(), transport })
    }
}

/// The forms of addresses, for errors.
const FORMS: &str = "an address is builtin:NAME, once:CMD, exec:CMD or lib:PATH";

impl Transport {
    fn parse(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once(':').ok_or(FORMS)?;
        match scheme {
            "builtin" => Builtin::named(rest).map(Transport::Builtin).ok_or_else(|| {
                let names = Builtin::ALL.map(Builtin::name).join(", ");
                format!(
                    "no builtin is called `{rest}`; there are {names}, and reference,without=RULE, reference,strict or \
                     reference,32-bit"
                )
            }),
            "once" => command(rest).map(Transport::Once),
            "exec" => command(rest).map(Transport::Exec),
            "lib" if rest.is_empty() => Err("no path of a library after the colon".to_owned()),
            "lib" => Ok(Transport::Library(PathBuf::from(rest))),
            _ => Err(format!("no transport is called `{scheme}`; {FORMS}")),
        }
    }
}

/// Splits CMD as a shell would, without expanding anything.
fn command(text: &str) -> Result<Vec<String>, String> {
    let argv = shell_words::split(text).map_err(|_| "a quote is not closed")?;
    match argv.first() {
        Some(program) if !program.is_empty() => Ok(argv),
        _ => Err("no command after the colon".to_owned()),
    }
}

/// The text is no reader's address: why, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError(String);

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AddressError {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

    use super::*;

    fn parse(text: &str) -> Result<Transport, String> {
        text.parse::<Address>().map(|address| address.transport).map_err(|error| error.to_string())
    }

    #[test]
    fn commands_are_split_like_a_shell_splits_them() {
        let argv = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            parse("exec:./worker --level 'a b' \"c:d\""),
            Ok(Transport::Exec(argv(&["./worker", "--level", "a b", "c:d"])))
        );
        assert_eq!(parse("once:reader"), Ok(Transport::Once(argv(&["reader"]))));
        assert_eq!(parse("builtin:reference").map(|_| ()), Ok(()));
        assert_eq!(parse("lib:a b/x.so"), Ok(Transport::Library("a b/x.so".into())));
    }

    #[test]
    fn errors_say_what_an_address_is() {
        let texts = ["./reader", "http://x", "builtin:nobody", "exec:", "once:  ", "once:''", "exec:'x", "lib:"];
        insta::assert_snapshot!(texts.map(|text| parse(text).unwrap_err()).join("\n"));
    }

    #[test]
    fn a_reader_without_a_name_is_called_after_its_command() {
        let name = |text: &str| text.parse::<Address>().unwrap().name().to_owned();
        assert_eq!(name("exec:/opt/x/my_reader.py --fast"), "my_reader");
        assert_eq!(name("builtin:accept-all"), "accept-all");
        assert_eq!(name("lib:/opt/x/libmy_reader.so"), "libmy_reader");
    }
}
