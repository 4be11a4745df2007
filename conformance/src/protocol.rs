//! **The reader protocol, version 1**: JSON lines between the runner and a persistent reader (`exec:CMD`).
//!
//! The runner writes one request a line on the reader's stdin and waits for one answer line on its stdout; stderr is free.
//! There is never more than one request under way.
//!
//! ```text
//! → {"op":"hello","protocol":1}
//! ← {"protocol":1,"name":"executorch","version":"1.5.1 (minimal)","language":"c++",
//!    "formats":["pte","ptd"],"stages":["structure","meta","data"],"capabilities":[],"deliveries":["file"]}
//! → {"op":"read","seq":7,"files":[{"role":"program","path":"/abs/x.pte","size":540}],"stage":"data",
//!    "want":"verdict","delivery":"file"}
//! ← {"seq":7,"outcome":"accept","stage":"data"}
//!   {"seq":7,"outcome":"accept","stage":"data","value":{…}}          when "want" was "value" or "loaded"
//!   {"seq":7,"outcome":"reject","stage":"structure","message":"…"}
//!   {"seq":7,"outcome":"unsupported","message":"…"}
//!   {"seq":7,"outcome":"error","message":"…"}
//! → {"op":"bye"}                                                     the reader exits with status 0
//! ```
//!
//! (One line each; the breaks are for reading.) What a reader owes:
//!
//! * It reads each file as far as `stage`, which is one of the stages of its hello, and accepts at exactly that stage:
//!   to accept is to have read that far. It rejects at the one of its stages where it noticed, or at `open` if its own way
//!   of opening the file refuses it.
//! * A file has `size` bytes. Where it ends before them, is not there or cannot be read, the answer is `error`, with a message:
//!   what was to be judged is not what came, whether by a full disk or a container that lacks a folder, and nothing is said of
//!   the reader. Only what was read whole is rejected. Nothing is wrong with a file that is longer.
//! * `stages` are those it can tell apart, in any order. A reader that cannot tell any apart gives none and leaves
//!   `stage` out of its rejections.
//! * `deliveries` are the ways in which it can be given a file's bytes, of those of [`Delivery`], the one first that it is used
//!   by; without them it is `file`. Each request says by which `delivery` the reader has to read, and none is asked for that its
//!   hello does not name. For `file-at-offset` each file has the member `offset` too: it is the `size` bytes from there on of what
//!   is at `path`, where nothing need be before them. For those in memory the reader puts the file at `path` there itself.
//! * The capability `constant-buffer` says that the reader reads programs of before constant segments.
//! * The capability `bundled` says that the reader reads bundled programs too, whose role is `bundled`: the program in them,
//!   and the test cases around it.
//! * The capability `32-bit` says that the reader is built for hosts of 32 bits: what only these cannot take is then something that
//!   it has to reject, and what no such host can take is not put to it.
//! * With the capability `value` every accept carries the canonical JSON that `want` asks for.
//! * With the capability `loaded` every accept carries, where `want` is `"loaded"`, what the reader's own interface says of the
//!   files once they are loaded, in the form of [`loaded`](crate::loaded). A data file of such a request has a member
//!   `layouts`, the positions of its entries that have a tensor layout, for a reader that cannot be asked for one that is not
//!   there.
//! * The capability `selftest` says that the reader does as a file tells it that begins with the line
//!   `torchproof-selftest: crash` or `torchproof-selftest: sleep`: it dies as a crash in it would make it die, or does not
//!   answer. `torchproof selftest` asks it, to see that a crash and a hang come through; a run never does.
//! * A request with a role that the reader does not know is answered with `unsupported` or rejected.
//! * A reader that may crash writes `torchproof-stage: NAME` to stderr as it enters a stage; the last such line says
//!   where it was.
//! * Unknown members are ignored, in both directions, and so are unknown capabilities; a hello with an unknown format or
//!   stage is refused, since cases would be skipped for a slip of the pen.
//!
//! The same lines go between the runner and the host of a library (`lib:PATH`, see [`reader`](crate::reader)), with a member `ms`
//! in a request: how long it may take.
//!
//! A reader is told neither a case's id nor what is expected of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use torchproof::Stage;
use torchproof::corpus::Role;

use crate::delivery::Delivery;

/// The version that this runner speaks.
pub const PROTOCOL: u32 = 1;

/// Every format a reader may name: programs, data files, data files in the older layout.
pub const FORMATS: [&str; 3] = ["pte", "ptd", "ptd-legacy"];

/// The capability of a reader that reads constants inside the FlatBuffer, as programs had them before constant segments.
///
/// Cases of such programs are put to no other reader: releases of the runtime are built without the code for them.
pub const CAPABILITY_CONSTANT_BUFFER: &str = "constant-buffer";

/// The capability of a reader that reads a program together with the data files that it is loaded with.
pub const CAPABILITY_PAIRS: &str = torchproof::cases::PAIRS;

/// The capability of a reader that reads bundled programs, the program in them included.
pub const CAPABILITY_BUNDLED: &str = "bundled";

/// The capability of a reader that gives the canonical JSON of what it accepts.
pub const CAPABILITY_VALUE: &str = "value";

/// The capability of a reader that says what its interface gives of the files that it accepts.
pub const CAPABILITY_LOADED: &str = "loaded";

/// The capability of a reader that is built for hosts of 32 bits, and refuses what only they cannot take.
pub const CAPABILITY_BITS_32: &str = "32-bit";

/// The capability of a reader that crashes and sleeps where a file begins with a line that says so, after [`SELFTEST_MARKER`].
pub const CAPABILITY_SELFTEST: &str = "selftest";

/// Every capability that means something to this runner; others are noted and ignored.
pub const CAPABILITIES: [&str; 7] = [
    CAPABILITY_CONSTANT_BUFFER,
    CAPABILITY_PAIRS,
    CAPABILITY_BUNDLED,
    CAPABILITY_VALUE,
    CAPABILITY_LOADED,
    CAPABILITY_BITS_32,
    CAPABILITY_SELFTEST,
];

/// What begins a stderr line that names the stage being entered.
pub const STAGE_MARKER: &str = "torchproof-stage:";

/// What begins a file that tells a reader with [`CAPABILITY_SELFTEST`] what to do; `crash` or `sleep` follows, and a line feed.
pub const SELFTEST_MARKER: &str = "torchproof-selftest: ";

/// What the runner writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Request {
    /// The first line: who are you?
    Hello {
        /// [`PROTOCOL`] of the runner; a reader that does not know it says so in its own hello and is not used.
        protocol: u32,
    },
    /// Read a case.
    Read {
        /// Repeated in the answer.
        seq: u64,
        /// The program first.
        files: Vec<File>,
        /// How far to read.
        stage: Stage,
        /// What an accept must carry.
        want: Want,
        /// How the reader has to get the files' bytes; its usual way without.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delivery: Option<Delivery>,
        /// How many milliseconds it may take; told to the host of a library, which ends the read itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ms: Option<u64>,
    },
    /// The last line: exit with status 0.
    Bye,
}

/// One file of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Whether it is a `.pte`, a `.ptd` or a `.bpte`.
    pub role: Role,
    /// Absolute.
    pub path: String,
    /// Which entries of a data file have a tensor layout, where [`Want::Loaded`] asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layouts: Option<Vec<u64>>,
    /// Where the file begins in what is at `path`, for [`Delivery::FileAtOffset`] and for no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// How many bytes it has; without, all that there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// What an accept must carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Want {
    /// The canonical JSON of the file; asked only of readers with [`CAPABILITY_VALUE`].
    Value,
    /// What the reader's interface gives once the files are loaded, in the form of [`loaded`](crate::loaded); asked only of
    /// readers with [`CAPABILITY_LOADED`].
    Loaded,
    /// Nothing but the verdict.
    Verdict,
}

/// A reader's account of itself, its answer to [`Request::Hello`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The version that the reader speaks.
    pub protocol: u32,
    /// Names its column in reports.
    pub name: String,
    /// The version of what it reads with.
    #[serde(default)]
    pub version: String,
    /// The language of what it reads with.
    #[serde(default)]
    pub language: String,
    /// Which of [`FORMATS`] it reads; cases of the others are not put to it.
    pub formats: Vec<String>,
    /// The stages that it can tell apart.
    #[serde(default)]
    pub stages: Vec<Stage>,
    /// What else it can do; see a case's `needs`.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// The ways in which it can be given files, its usual one first.
    #[serde(default = "only_by_path")]
    pub deliveries: Vec<Delivery>,
}

fn only_by_path() -> Vec<Delivery> {
    vec![Delivery::File]
}

impl Want {
    /// The capability that a reader needs to be asked for it; none for a verdict.
    #[must_use]
    pub const fn capability(self) -> Option<&'static str> {
        match self {
            Want::Value => Some(CAPABILITY_VALUE),
            Want::Loaded => Some(CAPABILITY_LOADED),
            Want::Verdict => None,
        }
    }
}

impl Hello {
    /// Whether the reader names `capability`.
    #[must_use]
    pub fn has(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|have| have == capability)
    }

    /// How the reader gets files where nobody asks for another way.
    #[must_use]
    pub fn usual_delivery(&self) -> Delivery {
        self.deliveries.first().copied().unwrap_or(Delivery::File)
    }

    /// The furthest that the reader says it reads: [`Stage::Data`] for one that cannot tell stages apart.
    #[must_use]
    pub fn deepest(&self) -> Stage {
        self.stages.iter().copied().max().unwrap_or(Stage::Data)
    }
}

/// A reader's answer to [`Request::Read`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// That of the request.
    pub seq: u64,
    /// Accept, reject, unsupported or error.
    pub outcome: Answer,
    /// For an accept the stage asked for, for a reject the stage that objected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The canonical JSON, or what else was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// The answers a living reader has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The file was read as far as asked.
    Accept,
    /// The file was refused with a clean error.
    Reject,
    /// The reader does not do this kind of file.
    Unsupported,
    /// What stands between runner and reader could not do its part, such as to get all bytes of a file.
    Error,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

    use super::*;

    fn line<T: Serialize>(value: &T) -> String {
        serde_json::to_string(value).unwrap()
    }

    #[test]
    fn requests_are_written_as_documented() {
        assert_eq!(line(&Request::Hello { protocol: PROTOCOL }), r#"{"op":"hello","protocol":1}"#);
        let (role, path) = (Role::Program, "/abs/x.pte".to_owned());
        let files = vec![File { role, path, layouts: None, offset: None, size: Some(540) }];
        let delivery = Some(Delivery::File);
        let read = Request::Read { seq: 7, files, stage: Stage::Data, want: Want::Verdict, delivery, ms: None };
        assert_eq!(
            line(&read),
            r#"{"op":"read","seq":7,"files":[{"role":"program","path":"/abs/x.pte","size":540}],"stage":"data","want":"verdict","delivery":"file"}"#
        );
        let (path, layouts) = ("/abs/x.ptd".to_owned(), Some(vec![0, 2]));
        let files = vec![File { role: Role::Data, path, layouts, offset: Some(65536), size: Some(40) }];
        let delivery = Some(Delivery::FileAtOffset);
        let read = Request::Read { seq: 8, files, stage: Stage::Data, want: Want::Loaded, delivery, ms: Some(5) };
        assert_eq!(
            line(&read),
            r#"{"op":"read","seq":8,"files":[{"role":"data","path":"/abs/x.ptd","layouts":[0,2],"offset":65536,"size":40}],"stage":"data","want":"loaded","delivery":"file-at-offset","ms":5}"#
        );
        assert_eq!(serde_json::from_str::<Request>(&line(&read)).unwrap(), read);
        let short = r#"{"op":"read","seq":7,"files":[{"role":"program","path":"x"}],"stage":"data","want":"verdict"}"#;
        let Request::Read { delivery, files, .. } = serde_json::from_str(short).unwrap() else { panic!("{short}") };
        assert_eq!((delivery, files[0].offset, files[0].size), (None, None, None));
        assert_eq!(line(&Request::Bye), r#"{"op":"bye"}"#);
    }

    #[test]
    fn replies_are_read_as_documented() {
        let hello: Hello = serde_json::from_str(
            r#"{"protocol":1,"name":"executorch","version":"1.5.1 (minimal)","language":"c++","formats":["pte","ptd"],
                "stages":["structure","meta","data"],"capabilities":[],"later":true}"#,
        )
        .unwrap();
        assert_eq!(hello.deepest(), Stage::Data);
        assert!(!hello.has(CAPABILITY_VALUE));
        assert_eq!(hello.deliveries, [Delivery::File]);

        let reply: Reply =
            serde_json::from_str(r#"{"seq":7,"outcome":"reject","stage":"structure","message":"no"}"#).unwrap();
        assert_eq!((reply.seq, reply.outcome, reply.stage), (7, Answer::Reject, Some(Stage::Structure)));
        assert!(serde_json::from_str::<Reply>(r#"{"seq":7,"outcome":"accept","stage":"everything"}"#).is_err());
        assert!(serde_json::from_str::<Reply>(r#"{"seq":7,"outcome":"perhaps"}"#).is_err());
    }
}
