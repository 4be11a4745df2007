//! **Messages**: the requests of the runner and the replies of an adapter.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use torchproof::{Role, Stage, named};

use crate::{CAPABILITY_BUNDLED, CAPABILITY_LOADED, CAPABILITY_VALUE, PROTOCOL};

/// A request of the runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Request {
    /// The first request, which asks for the [description](Hello) of the reader.
    Hello {
        /// The runner's [protocol version](PROTOCOL).
        protocol: u32,
    },
    /// A request to read a case's files. The reply is the reader's [outcome](Reply).
    Read(ReadRequest),
    /// The last request, which ends the adapter. The adapter exits with status 0 and sends no reply.
    Bye,
}

/// A request to read a case's files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReadRequest {
    /// The sequence number, which the reply repeats.
    pub seq: u64,
    /// The case's files; the program, if any, comes first.
    pub files: Vec<RequestFile>,
    /// The last stage to perform.
    pub stage: Stage,
    /// The value that an `accept` reply contains.
    pub want: Want,
    /// The delivery. By default, the first delivery in the `hello` reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
}

impl ReadRequest {
    /// Creates a request with the default delivery.
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
    /// The role: `.pte`, `.ptd` or `.bpte`.
    pub role: Role,
    /// The absolute path.
    pub path: String,
    /// For a data file, the indices of the entries that have a tensor layout, always present if `want` is
    /// [`loaded`](Want::Loaded). The reader then queries only the layouts of these entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layouts: Option<Vec<u64>>,
    /// The offset in `path` at which the input begins, in bytes; present only for
    /// [`file-at-offset`](Delivery::FileAtOffset).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The size in bytes. By default, all bytes from `offset` to the end of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

impl RequestFile {
    /// Describes the first `size` bytes of the file at `path`.
    #[must_use]
    pub const fn new(role: Role, path: String, size: u64) -> Self {
        Self { role, path, layouts: None, offset: None, size: Some(size) }
    }
}

/// The value that an `accept` reply contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Want {
    /// The canonical JSON of the file. Requires the capability [`value`](CAPABILITY_VALUE).
    Value,
    /// What the reader's API reports about the loaded files. Requires the capability [`loaded`](CAPABILITY_LOADED).
    Loaded,
    /// No value.
    Verdict,
}

impl Want {
    /// Returns the capability that a reader needs to return this value; `None` for [`Want::Verdict`].
    #[must_use]
    pub const fn capability(self) -> Option<&'static str> {
        match self {
            Want::Value => Some(CAPABILITY_VALUE),
            Want::Loaded => Some(CAPABILITY_LOADED),
            Want::Verdict => None,
        }
    }
}

named! { all
    /// How a reader receives a file's bytes. Each delivery exposes different defects: for example, [`guard`](Self::Guard)
    /// exposes overreads, and [`unaligned`](Self::Unaligned) exposes wrong assumptions about alignment.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Delivery {
        /// In memory, at an address that is aligned to at least 16 bytes.
        Buffer = "buffer",
        /// In memory, at an odd address.
        Unaligned = "unaligned",
        /// By the file's path.
        File = "file",
        /// By the path of a larger file and an offset in it, which is a multiple of every page size.
        FileAtOffset = "file-at-offset",
        /// By a memory mapping of the file.
        Mmap = "mmap",
        /// In memory that ends at an unreadable page, so an overread crashes. The size of the file determines the
        /// alignment of its first byte.
        Guard = "guard",
    }
}

impl FromStr for Delivery {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|delivery| delivery.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("unknown delivery `{text}`; expected one of {names}")
        })
    }
}

/// An adapter's reply to [`hello`](Request::Hello): the reader's description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Hello {
    /// The adapter's protocol version.
    pub protocol: u32,
    /// The name of the reader in reports.
    pub name: String,
    /// The reader's version.
    #[serde(default)]
    pub version: String,
    /// The reader's language.
    #[serde(default)]
    pub language: String,
    /// The supported [formats](crate::FORMATS). The runner skips cases with other formats.
    pub formats: Vec<String>,
    /// The stages that the reader distinguishes.
    #[serde(default)]
    pub stages: Vec<Stage>,
    /// The supported [capabilities](crate::CAPABILITIES).
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// The supported deliveries, the default first.
    #[serde(default = "only_by_path")]
    pub deliveries: Vec<Delivery>,
    /// What the reader's runtime has registered, for `torchproof build-profile`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry: Option<Registry>,
}

/// What a runtime has registered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Registry {
    /// The runtime's release, such as `executorch:1.5.1`.
    pub runtime: String,
    /// The operators with a kernel, with their overloads.
    pub operators: Vec<String>,
    /// The ids of the backends, such as `XnnpackBackend`.
    pub backends: Vec<String>,
}

fn only_by_path() -> Vec<Delivery> {
    vec![Delivery::File]
}

impl Hello {
    /// Creates a description without formats, stages and capabilities. The only delivery is [`Delivery::File`].
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

    /// Sets the deliveries, the default first.
    #[must_use]
    pub fn with_deliveries(self, deliveries: impl IntoIterator<Item = Delivery>) -> Self {
        Self { deliveries: deliveries.into_iter().collect(), ..self }
    }

    /// Returns whether the reader has a capability.
    #[must_use]
    pub fn has(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|have| have == capability)
    }

    /// Returns the delivery for requests that do not name a delivery.
    #[must_use]
    pub fn usual_delivery(&self) -> Delivery {
        self.deliveries.first().copied().unwrap_or(Delivery::File)
    }

    /// Returns the last stage in `stages`, or [`Stage::Data`] if `stages` is empty.
    #[must_use]
    pub fn deepest(&self) -> Stage {
        self.stages.iter().copied().max().unwrap_or(Stage::Data)
    }

    /// If the reader lacks a capability or delivery that the request needs, returns a message about it.
    #[must_use]
    pub fn refusal(&self, request: &ReadRequest) -> Option<String> {
        let bundled = request.files.iter().any(|file| file.role == Role::Bundled).then_some(CAPABILITY_BUNDLED);
        let lack = [request.want.capability(), bundled].into_iter().flatten().find(|needed| !self.has(needed));
        let untaken = request.delivery.filter(|delivery| !self.deliveries.contains(delivery));
        lack.map(|lack| format!("lacks capability {lack}"))
            .or(untaken.map(|delivery| format!("does not support delivery {delivery}")))
    }
}

/// An adapter's reply to [`read`](Request::Read).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Reply {
    /// The request's sequence number.
    pub seq: u64,
    /// The outcome: accept, reject, unsupported or error.
    pub outcome: Answer,
    /// In an `accept` reply, the requested stage. In a `reject` reply, the stage at which the reader detected the defect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// The reason, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The requested value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl Reply {
    /// Creates a reply without a stage, message or value.
    #[must_use]
    pub const fn new(seq: u64, outcome: Answer) -> Self {
        Self { seq, outcome, stage: None, message: None, value: None }
    }
}

/// The outcome of reading a request's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The reader performed all stages up to the requested stage without an error.
    Accept,
    /// The reader rejected a file with an error.
    Reject,
    /// The reader does not support the request, for example because of a file's format or role.
    Unsupported,
    /// The adapter failed, for example because it could not read all bytes of a file.
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
    fn names_match_the_messages() {
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
