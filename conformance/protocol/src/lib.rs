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
//! * **Stages.** Read each file as far as `stage`, one of the stages of the hello. An accept names exactly that stage. A reject
//!   names the stage that noticed the defect, or `open` if the reader could not open the file. An adapter that cannot tell stages
//!   apart has no `stages` in its hello and no `stage` in its rejects.
//! * **Errors.** A file has `size` bytes. If it is missing, unreadable or shorter, answer `error` with a message: the reader is not
//!   to blame. Reject only what was read whole. A file that is longer is no error.
//! * **Deliveries.** Get the bytes as `delivery` says: one of the [deliveries](Delivery) of the hello. For `file-at-offset`, each
//!   file is the `size` bytes at `offset` of what is at `path`.
//! * **Capabilities.** The [constants](CAPABILITIES) of this crate list them. A request that needs one the hello lacks is answered
//!   with `unsupported` or `reject`.
//! * **Crashes.** Let a crash of the reader end the process. Print `torchproof-stage: NAME` to stderr ([`enter`]) at the start
//!   of each stage; the runner reports the last one. Everything else on stderr is free.
//! * **Output.** Print nothing to stdout but replies.
//! * **Compatibility.** Both sides ignore unknown members and capabilities. The runner refuses a hello with an unknown format or
//!   stage, since it would skip cases for a typing error.
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

/// Every format that a reader may name: programs, data files, data files in the legacy layout.
pub const FORMATS: [&str; 3] = ["pte", "ptd", "ptd-legacy"];

/// The reader reads programs whose constants are inside the FlatBuffer, as before constant segments.
pub const CAPABILITY_CONSTANT_BUFFER: &str = "constant-buffer";

/// The reader reads a program together with the data files that it is loaded with.
pub const CAPABILITY_PAIRS: &str = "pairs";

/// The reader reads bundled programs (role `bundled`): the program and the test cases around it.
pub const CAPABILITY_BUNDLED: &str = "bundled";

/// Every accept carries the canonical JSON of the file where `want` is `value`.
pub const CAPABILITY_VALUE: &str = "value";

/// Every accept carries what the reader's own interface returns for the loaded files, where `want` is `loaded`.
///
/// A data file of such a request has a member `layouts`: the indices of its entries that have a tensor layout.
pub const CAPABILITY_LOADED: &str = "loaded";

/// The reader is built for 32-bit hosts and has to reject what only these cannot hold.
pub const CAPABILITY_BITS_32: &str = "32-bit";

/// The adapter crashes or sleeps where a file begins with [`SELFTEST_MARKER`], which `torchproof selftest` uses. [`serve`] does it.
pub const CAPABILITY_SELFTEST: &str = "selftest";

/// Every capability that this version of the runner uses; it notes and ignores others.
pub const CAPABILITIES: [&str; 7] = [
    CAPABILITY_CONSTANT_BUFFER,
    CAPABILITY_PAIRS,
    CAPABILITY_BUNDLED,
    CAPABILITY_VALUE,
    CAPABILITY_LOADED,
    CAPABILITY_BITS_32,
    CAPABILITY_SELFTEST,
];

/// The start of a stderr line that names the stage being entered.
pub const STAGE_MARKER: &str = "torchproof-stage:";

/// The start of a file that makes an adapter with [`CAPABILITY_SELFTEST`] crash or sleep: `crash` or `sleep` and a line feed follow.
pub const SELFTEST_MARKER: &str = "torchproof-selftest: ";
