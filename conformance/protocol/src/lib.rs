//! **The torchproof reader protocol, version 1**: JSON lines between `torchproof run` and an adapter around a reader.
//!
//! The runner writes one request per line to the adapter's stdin and waits for one reply line on its stdout. It sends the next
//! request after the reply. [`serve`] does this for adapters in Rust; the types are the messages.
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
//! Each message is one line; the breaks are for reading. Sizes and offsets are bytes, paths are absolute UTF-8.
//!
//! # Rules for adapters
//!
//! * **Stages.** Read each file as far as `stage`, one of the stages in `hello`. An accept has exactly that stage. A reject has
//!   the stage that detected the defect, or `open` if the reader could not open the file. An adapter that does not distinguish
//!   stages has no `stages` in `hello` and no `stage` in its rejects.
//! * **Errors.** A file has `size` bytes. If it is missing, unreadable or shorter, reply `error` with a message: the reader is not
//!   at fault. Reject only files that were read whole. A longer file is not an error.
//! * **Deliveries.** Get the bytes by the method that `delivery` names, which is one of the [deliveries](Delivery) in `hello`.
//!   For `file-at-offset`, each file is the `size` bytes at `offset` of the file at `path`.
//! * **Capabilities.** The [constants](CAPABILITIES) of this crate list them. If `hello` lacks the capability that a request needs, reply
//!   `unsupported` or `reject`.
//! * **Crashes.** Let a crash of the reader end the process. Print `torchproof-stage: NAME` to stderr ([`enter`]) at the start
//!   of each stage; the runner reports the last one. Other text on stderr is free.
//! * **Output.** Print nothing to stdout but replies.
//! * **Compatibility.** Both sides ignore unknown members and capabilities. The runner rejects a `hello` with an unknown format or
//!   stage, because a typing error would skip cases.
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
pub use message::{Answer, Delivery, Hello, ReadRequest, Reply, Request, RequestFile, Role, Stage, Want};
pub use serve::{NotAccepted, enter, serve, serve_lines};

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// Every format that a reader may list: programs, data files, data files with the legacy layout.
pub const FORMATS: [&str; 3] = ["pte", "ptd", "ptd-legacy"];

/// The reader supports programs with constants inside the FlatBuffer, as written before constant segments.
pub const CAPABILITY_CONSTANT_BUFFER: &str = "constant-buffer";

/// The reader loads a program together with its data files.
pub const CAPABILITY_PAIRS: &str = "pairs";

/// The reader reads bundled programs (role `bundled`): the program and the test cases around it.
pub const CAPABILITY_BUNDLED: &str = "bundled";

/// Every accept with `want` `value` contains the canonical JSON of the file.
pub const CAPABILITY_VALUE: &str = "value";

/// Every accept with `want` `loaded` contains what the reader's own API returns for the loaded files.
///
/// A data file of such a request has a member `layouts`: the indices of its entries that have a tensor layout.
pub const CAPABILITY_LOADED: &str = "loaded";

/// The reader is built for 32-bit hosts and must reject files that only 64-bit hosts can load.
pub const CAPABILITY_BITS_32: &str = "32-bit";

/// The adapter crashes or sleeps if a file begins with [`SELFTEST_MARKER`], for the adapter selftest. [`serve`] implements it.
pub const CAPABILITY_SELFTEST: &str = "selftest";

/// Every capability that this version of the runner uses; it reports and ignores others.
pub const CAPABILITIES: [&str; 7] = [
    CAPABILITY_CONSTANT_BUFFER,
    CAPABILITY_PAIRS,
    CAPABILITY_BUNDLED,
    CAPABILITY_VALUE,
    CAPABILITY_LOADED,
    CAPABILITY_BITS_32,
    CAPABILITY_SELFTEST,
];

/// The prefix of a stderr line that marks the start of a stage.
pub const STAGE_MARKER: &str = "torchproof-stage:";

/// The start of a file that makes an adapter with [`CAPABILITY_SELFTEST`] crash or sleep: `crash` or `sleep` and a line feed follow.
pub const SELFTEST_MARKER: &str = "torchproof-selftest: ";
