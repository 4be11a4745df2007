//! **The torchproof reader protocol, version 1**: JSON lines that `torchproof run` and an adapter exchange. An adapter
//! is a program that calls the reader under test.
//!
//! The runner writes one request line to the adapter's stdin, and waits for one reply line on its stdout before it
//! sends the next. The types of this crate define the messages, and [`serve`] implements the adapter side in Rust.
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
//! → {"op":"bye"}                                                     the adapter exits with status 0
//! ```
//!
//! Each message is one line, without the line breaks above. Sizes and offsets are in bytes. Paths are absolute and in
//! UTF-8.
//!
//! # Rules for adapters
//!
//! * **Stages.** Read each file up to and including the requested `stage`, which is one of the stages in the `hello` reply.
//!   An `accept` reply contains the requested stage. A `reject` reply contains the stage at which the reader detected the
//!   defect, or `open` if the reader could not open the file. An adapter that does not distinguish stages omits `stages` in
//!   its `hello` reply and `stage` in `reject` replies.
//! * **Errors.** The request gives the `size` of each file in bytes. If a file is missing, unreadable or shorter than
//!   that, reply `error` with a message, because the reader is not at fault: `reject` requires that all `size` bytes
//!   were available. A longer file is not an error.
//! * **Deliveries.** Pass the bytes to the reader with the requested `delivery`, which is one of the
//!   [deliveries](Delivery) in the `hello` reply. For `file-at-offset`, the input is the `size` bytes at `offset` in
//!   the larger file at `path`.
//! * **Capabilities.** [`CAPABILITIES`] lists the capabilities. If a request needs a capability that the `hello`
//!   reply does not list, reply `unsupported` or `reject`.
//! * **Crashes.** If the reader crashes, let the adapter process end. At the start of each stage, call [`enter`], or print the
//!   line `torchproof-stage: STAGE` to stderr. After a crash, the runner reports the last stage that was printed. Any other
//!   text is permitted on stderr.
//! * **Output.** Print only replies to stdout. In a reply, no member occurs twice, and all numbers are in the range of `f64`.
//! * **Compatibility.** Both sides ignore unknown members and capabilities. The runner rejects a `hello` reply with an
//!   unknown format or stage, because a misspelled name would silently skip cases.
//!
//! The runner never sends the id of a case or the expected outcome.
//!
//! # Example
//!
//! ```
//! use torchproof_protocol::{Hello, NotAccepted, Stage, serve_lines};
//!
//! let hello = Hello::new("example", "1.0", "rust").with_formats(["pte"]).with_stages([Stage::Header]);
//! let requests = "{\"op\":\"read\",\"seq\":7,\"files\":[],\"stage\":\"header\",\"want\":\"verdict\"}\n{\"op\":\"bye\"}\n";
//! let mut replies = Vec::new();
//! serve_lines(requests.as_bytes(), &mut replies, &hello, |request| {
//!     if request.files.is_empty() { Err(NotAccepted::reject(Stage::Header, "no file")) } else { Ok(None) }
//! })?;
//! assert_eq!(replies, b"{\"seq\":7,\"outcome\":\"reject\",\"stage\":\"header\",\"message\":\"no file\"}\n");
//! # Ok::<(), std::io::Error>(())
//! ```

mod file;
mod message;
mod serve;

pub use file::{obey_selftest, open_whole};
pub use message::{Answer, Delivery, Hello, ReadRequest, Registry, Reply, Request, RequestFile, Want};
pub use serve::{NotAccepted, enter, serve, serve_lines};
pub use torchproof::{Role, Stage};

/// The version of the reader protocol that this crate implements.
pub const PROTOCOL: u32 = 1;

/// The formats that a `hello` reply can list: programs, data files, and data files in the legacy layout.
pub const FORMATS: [&str; 3] = ["pte", "ptd", "ptd-legacy"];

/// The reader supports programs whose constants are inside the FlatBuffer, where exporters put them before constant
/// segments existed.
pub const CAPABILITY_CONSTANT_BUFFER: &str = "constant-buffer";

/// The reader loads a program together with its data files.
pub const CAPABILITY_PAIRS: &str = "pairs";

/// The reader supports bundled programs (role `bundled`): a program and its test cases in one file.
pub const CAPABILITY_BUNDLED: &str = "bundled";

/// For a request whose `want` is `value`, the reader returns the canonical JSON of the file.
pub const CAPABILITY_VALUE: &str = "value";

/// For a request whose `want` is `loaded`, the reader returns what its own API reports about the loaded files. Each
/// data file in such a request has the `layouts` member: the indexes of the entries with a tensor layout.
pub const CAPABILITY_LOADED: &str = "loaded";

/// The reader has the XNNPACK backend, and initializes delegates with the id `XnnpackBackend`.
pub const CAPABILITY_XNNPACK: &str = "xnnpack";

/// The reader is built for 32-bit hosts, so it must reject files that only 64-bit hosts can load.
pub const CAPABILITY_BITS_32: &str = "32-bit";

/// The adapter crashes or sleeps for a file that begins with [`SELFTEST_MARKER`], as the adapter selftest requests.
/// [`serve`] implements this capability.
pub const CAPABILITY_SELFTEST: &str = "selftest";

/// Every capability that this version of the protocol defines. The runner reports and ignores unknown capabilities.
pub const CAPABILITIES: [&str; 8] = [
    CAPABILITY_CONSTANT_BUFFER,
    CAPABILITY_PAIRS,
    CAPABILITY_BUNDLED,
    CAPABILITY_VALUE,
    CAPABILITY_LOADED,
    CAPABILITY_XNNPACK,
    CAPABILITY_BITS_32,
    CAPABILITY_SELFTEST,
];

/// The prefix of a stderr line that marks the start of a stage.
pub const STAGE_MARKER: &str = "torchproof-stage:";

/// The first bytes of a selftest file, followed by the word `crash` or `sleep` and a line feed. An adapter with
/// [`CAPABILITY_SELFTEST`] crashes or sleeps when it receives the file.
pub const SELFTEST_MARKER: &str = "torchproof-selftest: ";
