//! **The host of a library**: reads requests, writes answers, and forks a child for each read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process;
use std::thread;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::Pid;
use rustix::stdio::{dup2_stdin, dup2_stdout};
use serde::Serialize;
use serde_json::{Value, json};

use super::abi::{Answered, Call, Library};
use super::child::{self, ChildEnd};
use super::memory::Placed;
use super::{Ended, NoAnswer};
use crate::reader::delivery::BY_POINTER;
use crate::reader::launcher::COMPLAINT;
use crate::reader::process_tree;
use torchproof_protocol::{Answer, CAPABILITY_SELFTEST, Hello, ReadRequest, Reply, Request, SELFTEST_MARKER, Want};

/// Hosts the library at `path` until `bye`; `Err` holds the message for stderr.
///
/// # Errors
/// The library cannot be loaded, its hello is invalid, or the runner has closed the pipe.
pub fn host(path: &Path) -> Result<(), String> {
    let about = |error: String| format!("{COMPLAINT} {}: {error}", path.display());
    let (requests, answers) = take_stdio().map_err(|error| about(format!("cannot take stdin and stdout: {error}")))?;
    child::as_other_programs();
    process_tree::adopt().map_err(|error| about(format!("cannot adopt orphans: {error}")))?;
    let library = Library::load(path).map_err(about)?;
    let mut hello = library.hello().and_then(|text| parse_hello(&text)).map_err(about)?;
    amend(&mut hello);
    // What does not name itself properly is for the runner to refuse, in the words that it has for a worker.
    let known = serde_json::from_value(hello.clone()).unwrap_or_default();
    let helpers = process_tree::children();
    let mut host = Host { library, hello, known, answers, helpers };
    for line in BufReader::new(requests).lines() {
        let line = line.map_err(|error| about(error.to_string()))?;
        if !host.answer(&line).map_err(|error| about(error.to_string()))? {
            break;
        }
    }
    Ok(())
}

/// Descriptors that no child inherits across an exec; what the library prints to stdout goes to stderr, and it reads nothing.
fn take_stdio() -> io::Result<(File, File)> {
    let requests = fcntl_dupfd_cloexec(io::stdin(), 3)?;
    let answers = fcntl_dupfd_cloexec(io::stdout(), 3)?;
    dup2_stdin(rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)?;
    dup2_stdout(io::stderr())?;
    Ok((requests.into(), answers.into()))
}

fn parse_hello(text: &str) -> Result<Value, String> {
    let hello: Value = serde_json::from_str(text).map_err(|error| {
        let quoted: String = text.chars().take(80).collect();
        format!("its hello is not JSON ({error}): {quoted}")
    })?;
    if hello.is_object() { Ok(hello) } else { Err(format!("its hello is not a JSON object: {hello}")) }
}

/// Adds what the host does for every library: the orders of a selftest, and files in memory where nothing else is named.
fn amend(hello: &mut Value) {
    if hello.get("deliveries").is_none() {
        hello["deliveries"] = json!(BY_POINTER);
    }
    match hello.get_mut("capabilities") {
        Some(Value::Array(named)) if named.iter().all(|name| name != CAPABILITY_SELFTEST) => {
            named.push(json!(CAPABILITY_SELFTEST));
        }
        None => hello["capabilities"] = json!([CAPABILITY_SELFTEST]),
        Some(_) => {}
    }
}

/// A loaded library and its connection to the runner.
struct Host {
    library: Library,
    /// What it says of itself, with members that nobody knows.
    hello: Value,
    /// The same, as far as it is known.
    known: Hello,
    answers: File,
    /// What the library started when it was loaded, which each case may need.
    helpers: Vec<Pid>,
}

impl Host {
    /// Answers a request; returns whether to read another.
    fn answer(&mut self, line: &str) -> io::Result<bool> {
        match serde_json::from_str(line) {
            Err(error) => self.say(&json!({"error": error.to_string()}))?,
            Ok(Request::Hello { .. }) => self.say(&self.hello)?,
            Ok(Request::Bye) => return Ok(false),
            Ok(Request::Read(request)) => self.read(&request)?,
        }
        Ok(true)
    }

    fn read(&self, request: &ReadRequest) -> io::Result<()> {
        let seq = request.seq;
        if let Some(message) = self.known.refusal(request) {
            return self.say(&reply(seq, Answer::Unsupported, message));
        }
        let ended = match child::run(|| self.work(request), request.ms.map(Duration::from_millis), &self.helpers) {
            Ok(ChildEnd::Said(line)) => return self.send(&line),
            Ok(ChildEnd::SaidMore) => {
                Ended::Broke("more than an answer: the library wrote into what is not its own".to_owned())
            }
            Ok(ChildEnd::Died(status)) => Ended::Died(status),
            Ok(ChildEnd::TimedOut) => Ended::TimedOut,
            Ok(ChildEnd::Flooded) => Ended::Broke("an answer of more than 16 MiB".to_owned()),
            Err(error) => Ended::Broke(format!("cannot fork: {error}")),
        };
        self.say(&NoAnswer { seq, ended })
    }

    /// The child's work: the line to answer with.
    fn work(&self, request: &ReadRequest) -> Vec<u8> {
        let line = match self.put(request) {
            Ok(reply) => serde_json::to_vec(&reply),
            Err(why) => serde_json::to_vec(&NoAnswer { seq: request.seq, ended: Ended::Broke(why) }),
        };
        line.unwrap_or_default()
    }

    fn put(&self, request: &ReadRequest) -> Result<Reply, String> {
        let ReadRequest { seq, files, stage, want, delivery, .. } = request;
        let delivery = delivery.unwrap_or_else(|| self.known.usual_delivery());
        let mut placed = Vec::new();
        for file in files {
            match Placed::new(file, delivery) {
                Ok(place) => placed.push(place),
                // The library was not asked, and nothing is known of it.
                Err(error) => {
                    let message = format!("cannot deliver a file by {delivery}: {error}");
                    return Ok(reply(*seq, Answer::Error, message));
                }
            }
        }
        if let Some(first) = files.first() {
            obey_selftest(Path::new(&first.path), first.offset.unwrap_or(0));
        }
        let asks = *want != Want::Verdict;
        let call = Call { files: &placed, stage: *stage, want: *want };
        let Answered { outcome, stage, message, value } = self.library.read(&call)?;
        let value = match value.filter(|_| asks) {
            None => None,
            Some(text) => {
                Some(serde_json::from_str(&text).map_err(|error| format!("its value is not JSON ({error})"))?)
            }
        };
        let mut reply = Reply::new(*seq, outcome);
        (reply.stage, reply.message, reply.value) = (stage, message, value);
        Ok(reply)
    }

    fn say(&self, line: &impl Serialize) -> io::Result<()> {
        self.send(&serde_json::to_vec(line)?)
    }

    fn send(&self, line: &[u8]) -> io::Result<()> {
        (&self.answers).write_all(&[line, b"\n"].concat())
    }
}

/// An answer with a message alone.
fn reply(seq: u64, outcome: Answer, message: String) -> Reply {
    let mut reply = Reply::new(seq, outcome);
    reply.message = Some(message);
    reply
}

/// Dies or sleeps where the first file says so, as a crash or a loop in the library would.
fn obey_selftest(path: &Path, offset: u64) {
    use std::os::unix::fs::FileExt;
    let mut head = [0; SELFTEST_MARKER.len() + 6];
    if File::open(path).and_then(|file| file.read_exact_at(&mut head, offset)).is_err() {
        return;
    }
    match head.strip_prefix(SELFTEST_MARKER.as_bytes()) {
        Some(b"crash\n") => process::abort(),
        Some(b"sleep\n") => loop {
            thread::park();
        },
        _ => {}
    }
}
