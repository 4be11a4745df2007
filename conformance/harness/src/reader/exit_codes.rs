//! **Exit codes** of `once:` readers.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// What an exit code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExitVerdict {
    Accept,
    Reject,
    Unsupported,
}

const VERDICTS: [(&str, ExitVerdict); 3] =
    [("accept", ExitVerdict::Accept), ("reject", ExitVerdict::Reject), ("unsupported", ExitVerdict::Unsupported)];

/// The exit codes of a shell or sandbox whose command was killed by a signal. The user cannot give them another meaning.
const SIGNALS: RangeInclusive<u8> = 129..=192;

/// The verdicts for exit codes. Any code without a verdict is a crash.
///
/// ```
/// use torchproof_harness::reader::ExitCodes;
///
/// assert!("accept=0,reject=1+3,unsupported=none".parse::<ExitCodes>().is_ok());
/// assert!("accept=0,reject=0".parse::<ExitCodes>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitCodes(Vec<(u8, ExitVerdict)>);

impl Default for ExitCodes {
    /// Returns the usual codes: 0 for accept, 1 for reject and 2 for unsupported.
    fn default() -> Self {
        Self((0..).zip(VERDICTS).map(|(code, (_, verdict))| (code, verdict)).collect())
    }
}

impl ExitCodes {
    pub(super) fn verdict(&self, code: i32) -> Option<ExitVerdict> {
        self.0.iter().find(|(own, _)| i32::from(*own) == code).map(|(_, verdict)| *verdict)
    }
}

impl FromStr for ExitCodes {
    type Err = ExitCodesError;

    /// Parses a list such as `accept=0,reject=1+3,unsupported=none`. An omitted verdict keeps its usual code, unless
    /// the list gives that code to another verdict.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut codes: Vec<(u8, ExitVerdict)> = Vec::new();
        let mut given = Vec::new();
        for part in text.split(',') {
            let (name, list) = part.split_once('=').ok_or_else(|| ExitCodesError(format!("found `{part}`")))?;
            let named = VERDICTS.iter().find(|(verdict, _)| *verdict == name);
            let (_, verdict) = named.ok_or_else(|| ExitCodesError(format!("found the verdict `{name}`")))?;
            if given.contains(verdict) {
                return Err(ExitCodesError(format!("found two lists for `{name}`")));
            }
            given.push(*verdict);
            for word in list.split('+').filter(|_| list != "none") {
                let code = word.parse().ok().filter(|code| !SIGNALS.contains(code));
                let code = code.ok_or_else(|| ExitCodesError(format!("found the exit code `{word}`")))?;
                if codes.iter().any(|(other, _)| *other == code) {
                    return Err(ExitCodesError(format!("found two verdicts for exit code {code}")));
                }
                codes.push((code, *verdict));
            }
        }
        let usual = Self::default().0.into_iter();
        let kept =
            usual.filter(|(code, verdict)| !given.contains(verdict) && !codes.iter().any(|(other, _)| other == code));
        codes.extend(kept.collect::<Vec<_>>());
        Ok(Self(codes))
    }
}

/// A malformed list of exit codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitCodesError(String);

impl fmt::Display for ExitCodesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; expected a list such as accept=0,reject=1+3,unsupported=none, with codes from 0 to 128 or \
             from 193 to 255 that each occur once",
            self.0
        )
    }
}

impl std::error::Error for ExitCodesError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(text: &str) -> Result<[Option<ExitVerdict>; 5], String> {
        let codes = text.parse::<ExitCodes>().map_err(|error| error.to_string())?;
        Ok([0, 1, 2, 3, 4].map(|code| codes.verdict(code)))
    }

    #[test]
    fn a_list_replaces_the_usual_codes() {
        use ExitVerdict::{Accept, Reject, Unsupported};
        let usual = [Some(Accept), Some(Reject), Some(Unsupported), None, None];
        assert_eq!(verdicts("accept=0,reject=1,unsupported=2"), Ok(usual));
        assert_eq!(verdicts("reject=1+3"), Ok([Some(Accept), Some(Reject), Some(Unsupported), Some(Reject), None]));
        assert_eq!(verdicts("reject=2"), Ok([Some(Accept), None, Some(Reject), None, None]));
        assert_eq!(verdicts("unsupported=none"), Ok([Some(Accept), Some(Reject), None, None, None]));
        for code in [128, 193] {
            assert_eq!(format!("reject={code}").parse::<ExitCodes>().unwrap().verdict(code), Some(Reject));
        }
        assert_eq!(verdicts("accept=4,reject=0"), Ok([Some(Reject), None, Some(Unsupported), None, Some(Accept)]));
    }

    #[test]
    fn rejects_conflicting_and_unknown_codes() {
        let wrong = [
            "",
            "accept",
            "accept=0,accept=1",
            "accept=0,reject=1+0",
            "crash=3",
            "reject=256",
            "reject=",
            "reject=-1",
            "reject=139",
        ];
        insta::assert_snapshot!(wrong.map(|text| verdicts(text).err().unwrap_or_default()).join("\n"));
    }
}
