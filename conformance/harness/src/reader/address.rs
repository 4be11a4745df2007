//! **Reader addresses**: `builtin:NAME`, `once:CMD`, `exec:CMD`, `lib:PATH`. A name can precede the address: `mine=once:CMD`.

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
use super::program::find_program;
use super::reference::Checker;
use super::{Launcher, Reader, Settings, sanitized};

/// A reader's address, as on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    text: String,
    given_name: Option<String>,
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
    #[must_use]
    pub fn builtin_names() -> [&'static str; 4] {
        Builtin::ALL.map(Builtin::name)
    }

    /// Creates the reader. Its process starts only when the reader is used.
    pub fn open(&self, settings: &Settings) -> Box<dyn Reader> {
        let mut settings = settings.clone();
        if self.is_sanitized(&settings.launcher) {
            settings.launcher = settings.launcher.without_memory_limit();
        }
        match &self.transport {
            Transport::Builtin(builtin) => Box::new(*builtin),
            Transport::Once(argv) => {
                Box::new(Once { argv: argv.clone(), name: self.name().to_owned(), settings, slow: false })
            }
            Transport::Exec(argv) => {
                Box::new(Exec::new(argv.iter().map(OsString::from).collect(), self.name(), settings))
            }
            Transport::Library(path) => {
                let mut host = settings.launcher.own().to_vec();
                host.extend([HOST_SUBCOMMAND.into(), path.into(), settings.batch.to_string().into()]);
                Box::new(Exec::new(host, self.name(), settings))
            }
        }
    }

    pub fn given_name(&self) -> Option<&str> {
        self.given_name.as_deref()
    }

    /// Returns whether the transport has no handshake. Such a reader cannot list the formats that it supports, so they
    /// must be inferred from the outcomes of cases.
    pub(crate) fn lacks_handshake(&self) -> bool {
        matches!(self.transport, Transport::Once(_))
    }

    pub(crate) const fn is_library(&self) -> bool {
        matches!(self.transport, Transport::Library(_))
    }

    /// Returns whether the launcher starts a process for the reader.
    pub const fn is_started(&self) -> bool {
        !matches!(self.transport, Transport::Builtin(_))
    }

    /// Returns whether the reader runs without a memory limit, because the launcher disables the limit or because the
    /// program is built with AddressSanitizer.
    pub(crate) fn is_sanitized(&self, launcher: &Launcher) -> bool {
        let is_sanitized = |path: Option<PathBuf>| path.is_some_and(|path| sanitized::is_sanitized(&path));
        match &self.transport {
            Transport::Builtin(_) => false,
            _ if launcher.is_without_memory_limit() => true,
            Transport::Once(argv) | Transport::Exec(argv) => {
                is_sanitized(argv.first().and_then(|program| find_program(program)))
            }
            Transport::Library(path) => is_sanitized(Some(path.clone())),
        }
    }

    /// Starts a worker for protocol checks, unless torchproof itself implements the protocol for the reader.
    pub(crate) fn start_conversation(&self, settings: &Settings) -> Option<Result<Conversation, String>> {
        match &self.transport {
            Transport::Exec(argv) => Some(Conversation::start(argv, &settings.launcher, settings.memory_mb)),
            Transport::Builtin(_) | Transport::Once(_) | Transport::Library(_) => None,
        }
    }

    /// Returns the name of a reader whose `hello` has none: the given name, the NAME of `builtin:NAME`, or the file
    /// name of the command or library, without its folder and extension.
    pub fn name(&self) -> &str {
        if let Some(name) = &self.given_name {
            return name;
        }
        let program = match &self.transport {
            Transport::Builtin(builtin) => return builtin.name(),
            Transport::Once(argv) | Transport::Exec(argv) => Path::new(argv.first().map_or("", String::as_str)),
            Transport::Library(path) => path,
        };
        program.file_stem().unwrap_or(program.as_os_str()).to_str().unwrap_or_default()
    }

    /// Returns the address of a reference checker that ignores a rule.
    pub fn reference(target: Target, without: &'static Rule) -> Self {
        let bits = if target == Target::Bits32 { ",32-bit" } else { "" };
        let checker = Checker { target, strict: false, without: Some(without) };
        Self {
            text: format!("builtin:reference,without={without}{bits}"),
            given_name: None,
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
        let error = |why: String| AddressError(format!("`{text}`: {why}"));
        let (given_name, address) = named(text).map_err(error)?;
        let transport = Transport::parse(address).map_err(error)?;
        Ok(Address { text: text.to_owned(), given_name: given_name.map(str::to_owned), transport })
    }
}

/// The maximum length of a given name.
const NAME_LEN: usize = 40;

/// Splits `NAME=ADDRESS`. Text without `=`, or with a colon before the first `=`, has no name.
fn named(text: &str) -> Result<(Option<&str>, &str), String> {
    let Some((name, address)) = text.split_once('=').filter(|(name, _)| !name.contains(':')) else {
        return Ok((None, text));
    };
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    if name.is_empty() || name.len() > NAME_LEN || !name.bytes().all(is_valid) {
        return Err(format!(
            "found the reader name `{name}`, expected 1 to {NAME_LEN} letters, digits and characters of `._+-`"
        ));
    }
    Ok((Some(name), address))
}

/// The valid forms, for error messages.
const FORMS: &str = "expected builtin:NAME, once:CMD, exec:CMD or lib:PATH";

impl Transport {
    fn parse(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once(':').ok_or(FORMS)?;
        match scheme {
            "builtin" => Builtin::named(rest).map(Transport::Builtin).ok_or_else(|| {
                let names = Address::builtin_names().join(", ");
                format!(
                    "no builtin reader is named `{rest}`; expected one of {names}, or reference,without=RULE, \
                     reference,strict or reference,32-bit"
                )
            }),
            "once" => command(rest).map(Transport::Once),
            "exec" => command(rest).map(Transport::Exec),
            "lib" if rest.is_empty() => {
                Err("found no path after the colon; expected the path of a shared library".to_owned())
            }
            "lib" => Ok(Transport::Library(PathBuf::from(rest))),
            _ => Err(format!("unknown transport `{scheme}`; {FORMS}")),
        }
    }
}

/// Splits a command into words as a shell does, but without expansions.
fn command(text: &str) -> Result<Vec<String>, String> {
    let argv = shell_words::split(text).map_err(|_| "found an unclosed quote; close it or escape it")?;
    match argv.first() {
        Some(program) if !program.is_empty() => Ok(argv),
        _ => Err("found no command after the colon; expected a program and its arguments".to_owned()),
    }
}

/// A string that is not a reader address, as a one-line error.
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
    #![allow(clippy::unwrap_used)] // A test may panic if its fixture is broken.

    use super::*;

    fn parse(text: &str) -> Result<Transport, String> {
        text.parse::<Address>().map(|address| address.transport).map_err(|error| error.to_string())
    }

    #[test]
    fn splits_commands_like_a_shell() {
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
    fn address_errors_name_the_valid_forms() {
        let texts = ["./reader", "http://x", "builtin:nobody", "exec:", "once:  ", "once:''", "exec:'x", "lib:"];
        insta::assert_snapshot!(texts.map(|text| parse(text).unwrap_err()).join("\n"));
    }

    #[test]
    fn names_a_reader_after_its_command_or_library() {
        let name = |text: &str| text.parse::<Address>().unwrap().name().to_owned();
        assert_eq!(name("exec:/opt/x/my_reader.py --fast"), "my_reader");
        assert_eq!(name("builtin:accept-all"), "accept-all");
        assert_eq!(name("lib:/opt/x/libmy_reader.so"), "libmy_reader");
    }

    #[test]
    fn a_name_can_precede_the_address() {
        let address: Address = "mine-1=once:env A=b reader".parse().unwrap();
        assert_eq!((address.given_name(), address.name()), (Some("mine-1"), "mine-1"));
        assert_eq!(address.to_string(), "mine-1=once:env A=b reader");
        let unnamed: Address = "once:env A=b reader".parse().unwrap();
        assert_eq!((unnamed.given_name(), unnamed.name()), (None, "env"));
        for wrong in ["=once:x", "a b=once:x", "a/b=once:x", "mine=x", &format!("{}=once:x", "n".repeat(41))] {
            assert!(wrong.parse::<Address>().is_err(), "{wrong}");
        }
    }
}
