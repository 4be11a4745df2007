//! **Messages**: requests of the runner, and an adapter's hello and replies.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CAPABILITY_BUNDLED, CAPABILITY_LOADED, CAPABILITY_VALUE, PROTOCOL};

/// What the runner writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Request {
    /// The first line; the answer is a [`Hello`].
    Hello {
        /// The runner's [`PROTOCOL`].
        protocol: u32,
    },
    /// Read a case; the answer is a [`Reply`].
    Read(ReadRequest),
    /// The last line: exit with status 0.
    Bye,
}

/// The files of a case, and how to read them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReadRequest {
    /// Repeated in the reply.
    pub seq: u64,
    /// The program first.
    pub files: Vec<RequestFile>,
    /// How far to read.
    pub stage: Stage,
    /// What an accept carries.
    pub want: Want,
    /// How to get the bytes; without, the first of the hello's deliveries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
}

impl ReadRequest {
    /// A request by the usual delivery.
    #[must_use]
    pub const fn new(seq: u64, files: Vec<RequestFile>, stage: Stage, want: Want) -> Self {
        Self { seq, files, stage, want, delivery: None }
    }
}

/// One file of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RequestFile {
    /// Whether it is a `.pte`, a `.ptd` or a `.bpte`.
    pub role: Role,
    /// Absolute.
    pub path: String,
    /// The indices of a data file's entries that have a tensor layout, for [`Want::Loaded`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layouts: Option<Vec<u64>>,
    /// Where the file begins in what is at `path`, in bytes, for [`Delivery::FileAtOffset`] alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// How many bytes it has; without, all that there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

impl RequestFile {
    /// A file of this many bytes at a path.
    #[must_use]
    pub const fn new(role: Role, path: String, size: u64) -> Self {
        Self { role, path, layouts: None, offset: None, size: Some(size) }
    }
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A `.pte` file.
    Program,
    /// A `.ptd` file.
    Data,
    /// A `.bpte` file: a program with its test cases.
    Bundled,
}

/// A step of reading a file, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The reader opens the file.
    Open,
    /// The FlatBuffer identifier and the ExecuTorch header.
    Header,
    /// The FlatBuffer: tables, vtables, vectors, strings.
    Structure,
    /// What the file says of itself: methods, inputs and outputs, keys, layouts.
    Meta,
    /// Preparing one method to run.
    Method,
    /// Bytes of segments, named data and tensors.
    Data,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Stage; 6] = [Stage::Open, Stage::Header, Stage::Structure, Stage::Meta, Stage::Method, Stage::Data];

    /// Its name in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Open => "open",
            Stage::Header => "header",
            Stage::Structure => "structure",
            Stage::Meta => "meta",
            Stage::Method => "method",
            Stage::Data => "data",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What an accept carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Want {
    /// The canonical JSON of the file; needs [`CAPABILITY_VALUE`].
    Value,
    /// What the reader's interface returns for the loaded files; needs [`CAPABILITY_LOADED`].
    Loaded,
    /// Nothing more.
    Verdict,
}

impl Want {
    /// The capability that it needs; none for a verdict.
    #[must_use]
    pub const fn capability(self) -> Option<&'static str> {
        match self {
            Want::Value => Some(CAPABILITY_VALUE),
            Want::Loaded => Some(CAPABILITY_LOADED),
            Want::Verdict => None,
        }
    }
}

/// How a reader gets the bytes of its files.
///
/// The same bytes by another way are another test. A read past the end shows only where nothing follows the file; an assumption
/// about alignment shows only at an odd address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// In memory, at an address that is a multiple of 16 or more.
    Buffer,
    /// In memory, at an odd address.
    Unaligned,
    /// By its path.
    File,
    /// By the path of a larger file and an offset in it, a multiple of every page size.
    FileAtOffset,
    /// By a mapping of the file.
    Mmap,
    /// In memory that ends at a page that cannot be read: one byte too many is fatal. The length decides how the start is aligned.
    Guard,
}

impl Delivery {
    /// Every way, in the order of documentation.
    pub const ALL: [Delivery; 6] = [
        Delivery::Buffer,
        Delivery::Unaligned,
        Delivery::File,
        Delivery::FileAtOffset,
        Delivery::Mmap,
        Delivery::Guard,
    ];

    /// Its name in messages, in reports and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Delivery::Buffer => "buffer",
            Delivery::Unaligned => "unaligned",
            Delivery::File => "file",
            Delivery::FileAtOffset => "file-at-offset",
            Delivery::Mmap => "mmap",
            Delivery::Guard => "guard",
        }
    }
}

impl fmt::Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Delivery {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|delivery| delivery.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("no delivery is called `{text}`; there are {names}")
        })
    }
}

/// An adapter's answer to [`Request::Hello`]: what the reader is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Hello {
    /// The version that the adapter speaks.
    pub protocol: u32,
    /// Names the reader in reports.
    pub name: String,
    /// The reader's version.
    #[serde(default)]
    pub version: String,
    /// The reader's language.
    #[serde(default)]
    pub language: String,
    /// Which of [`FORMATS`](crate::FORMATS) it reads; cases of others are skipped.
    pub formats: Vec<String>,
    /// The stages that it can tell apart.
    #[serde(default)]
    pub stages: Vec<Stage>,
    /// Which of [`CAPABILITIES`](crate::CAPABILITIES) it has.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// How it can get files, its usual way first.
    #[serde(default = "only_by_path")]
    pub deliveries: Vec<Delivery>,
}

fn only_by_path() -> Vec<Delivery> {
    vec![Delivery::File]
}

impl Hello {
    /// A reader that gets files by path, without formats, stages and capabilities.
    pub fn new(name: impl Into<String>, version: impl Into<String>, language: impl Into<String>) -> Self {
        Self {
            protocol: PROTOCOL,
            name: name.into(),
            version: version.into(),
            language: language.into(),
            deliveries: only_by_path(),
            ..Self::default()
        }
    }

    /// Sets the formats.
    #[must_use]
    pub fn with_formats<S: Into<String>>(self, formats: impl IntoIterator<Item = S>) -> Self {
        Self { formats: formats.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets the stages.
    #[must_use]
    pub fn with_stages(self, stages: impl IntoIterator<Item = Stage>) -> Self {
        Self { stages: stages.into_iter().collect(), ..self }
    }

    /// Sets the capabilities.
    #[must_use]
    pub fn with_capabilities<S: Into<String>>(self, capabilities: impl IntoIterator<Item = S>) -> Self {
        Self { capabilities: capabilities.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets the deliveries, the usual one first.
    #[must_use]
    pub fn with_deliveries(self, deliveries: impl IntoIterator<Item = Delivery>) -> Self {
        Self { deliveries: deliveries.into_iter().collect(), ..self }
    }

    /// Whether the reader has the capability.
    #[must_use]
    pub fn has(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|have| have == capability)
    }

    /// How the reader gets files if a request does not say.
    #[must_use]
    pub fn usual_delivery(&self) -> Delivery {
        self.deliveries.first().copied().unwrap_or(Delivery::File)
    }

    /// The last stage that the reader reaches: [`Stage::Data`] if it cannot tell stages apart.
    #[must_use]
    pub fn deepest(&self) -> Stage {
        self.stages.iter().copied().max().unwrap_or(Stage::Data)
    }

    /// Why the reader does not support a request, if so: a capability or a delivery that it lacks.
    #[must_use]
    pub fn refusal(&self, request: &ReadRequest) -> Option<String> {
        let bundled = request.files.iter().any(|file| file.role == Role::Bundled).then_some(CAPABILITY_BUNDLED);
        let lack = [request.want.capability(), bundled].into_iter().flatten().find(|needed| !self.has(needed));
        let untaken = request.delivery.filter(|delivery| !self.deliveries.contains(delivery));
        lack.map(|lack| format!("lacks the capability {lack}"))
            .or(untaken.map(|delivery| format!("does not take files by {delivery}")))
    }
}

/// An adapter's answer to [`Request::Read`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Reply {
    /// That of the request.
    pub seq: u64,
    /// Accept, reject, unsupported or error.
    pub outcome: Answer,
    /// Of an accept the stage of the request, of a reject the stage that noticed the defect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The value that the request wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl Reply {
    /// An answer without stage, message and value.
    #[must_use]
    pub const fn new(seq: u64, outcome: Answer) -> Self {
        Self { seq, outcome, stage: None, message: None, value: None }
    }
}

/// The outcome of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The reader read the files as far as the request says.
    Accept,
    /// The reader refused them with a clean error.
    Reject,
    /// The reader never reads such files.
    Unsupported,
    /// The adapter could not do its part, such as get all bytes of a file.
    Error,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

    use super::*;

    #[test]
    fn requests_are_written_as_documented() {
        let file = RequestFile::new(Role::Program, "/abs/x.pte".to_owned(), 540);
        let mut read = ReadRequest::new(7, vec![file], Stage::Data, Want::Verdict);
        read.delivery = Some(Delivery::File);
        let layouts = Some(vec![0, 2]);
        let file =
            RequestFile { layouts, offset: Some(65536), ..RequestFile::new(Role::Data, "/abs/x.ptd".to_owned(), 40) };
        let mut loaded = ReadRequest::new(8, vec![file], Stage::Data, Want::Loaded);
        loaded.delivery = Some(Delivery::FileAtOffset);
        for (request, line) in [
            (Request::Hello { protocol: PROTOCOL }, r#"{"op":"hello","protocol":1}"#),
            (
                Request::Read(read),
                r#"{"op":"read","seq":7,"files":[{"role":"program","path":"/abs/x.pte","size":540}],"stage":"data","want":"verdict","delivery":"file"}"#,
            ),
            (
                Request::Read(loaded),
                r#"{"op":"read","seq":8,"files":[{"role":"data","path":"/abs/x.ptd","layouts":[0,2],"offset":65536,"size":40}],"stage":"data","want":"loaded","delivery":"file-at-offset"}"#,
            ),
            (Request::Bye, r#"{"op":"bye"}"#),
        ] {
            assert_eq!(serde_json::to_string(&request).unwrap(), line);
            assert_eq!(serde_json::from_str::<Request>(line).unwrap(), request);
        }
    }

    #[test]
    fn replies_are_read_as_documented() {
        let hello: Hello = serde_json::from_str(
            r#"{"protocol":1,"name":"executorch","version":"1.5.1 (minimal)","language":"c++","formats":["pte","ptd"],
                "stages":["structure","meta","data"],"capabilities":[],"later":true}"#,
        )
        .unwrap();
        assert_eq!((hello.deepest(), hello.usual_delivery()), (Stage::Data, Delivery::File));
        let reply: Reply =
            serde_json::from_str(r#"{"seq":7,"outcome":"reject","stage":"structure","message":"no"}"#).unwrap();
        assert_eq!((reply.seq, reply.outcome, reply.stage), (7, Answer::Reject, Some(Stage::Structure)));
        assert!(serde_json::from_str::<Reply>(r#"{"seq":7,"outcome":"accept","stage":"everything"}"#).is_err());
        assert!(serde_json::from_str::<Reply>(r#"{"seq":7,"outcome":"perhaps"}"#).is_err());
    }

    #[test]
    fn names_are_those_of_messages() {
        for delivery in Delivery::ALL {
            assert_eq!(delivery.name().parse(), Ok(delivery));
            assert_eq!(serde_json::to_value(delivery).unwrap(), delivery.name());
        }
        assert!("stdin".parse::<Delivery>().is_err());
        for stage in Stage::ALL {
            assert_eq!(serde_json::to_value(stage).unwrap(), stage.name());
        }
    }
}
