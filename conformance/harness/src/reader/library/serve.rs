//! **A library's host**: forks a child for each batch of `read` requests. The child writes the replies.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::stdio::{dup2_stdin, dup2_stdout};
use serde_json::{Value, json};

use super::ChildDeath;
use super::abi::Library;
use super::child::{self, Child, Read};
use crate::reader::delivery::BY_POINTER;
use crate::reader::launcher::COMPLAINT;
use crate::reader::process::MAX_STDOUT;
use crate::reader::process_tree;
use crate::text::json::from_json;
use torchproof_protocol::{CAPABILITY_SELFTEST, Hello, NotAccepted, Request, serve_lines};

/// Runs the host of a library until it receives `bye`. A child performs up to `batch` reads. The error is for stderr: the
/// library cannot be loaded, its `hello` is invalid, or the runner closed the pipe.
pub fn host(path: &Path, batch: u32) -> Result<(), String> {
    let about = |error: String| format!("{COMPLAINT} {}: {error}", path.display());
    let (requests, answers) = take_stdio().map_err(|error| about(format!("cannot take stdin and stdout: {error}")))?;
    child::reset_signal_handlers();
    process_tree::adopt().map_err(|error| about(format!("cannot adopt orphans: {error}")))?;
    let library = Library::load(path).map_err(about)?;
    let hello = library.hello().and_then(|text| parse_hello(&text)).map_err(about)?;
    serve(&library, &hello, batch, requests, &answers).map_err(|error| about(error.to_string()))
}

/// Moves stdin and stdout to descriptors that are closed on exec. The library's output on stdout then goes to stderr,
/// and its stdin is empty.
fn take_stdio() -> io::Result<(File, File)> {
    let requests = fcntl_dupfd_cloexec(io::stdin(), 3)?;
    let answers = fcntl_dupfd_cloexec(io::stdout(), 3)?;
    dup2_stdin(rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)?;
    dup2_stdout(io::stderr())?;
    Ok((requests.into(), answers.into()))
}

/// Parses the library's `hello`, and adds the `selftest` capability. If the `hello` lists no deliveries, also adds every
/// delivery in memory.
fn parse_hello(text: &str) -> Result<Hello, String> {
    let invalid = |error: serde_json::Error| {
        let quoted: String = text.chars().take(80).collect();
        format!("invalid `hello` ({error}): {quoted}")
    };
    let mut hello: Value = from_json(text.as_bytes()).map_err(invalid)?;
    if let Some(members) = hello.as_object_mut() {
        members.entry("deliveries").or_insert_with(|| json!(BY_POINTER));
    }
    let mut hello: Hello = serde_json::from_value(hello).map_err(invalid)?;
    if !hello.has(CAPABILITY_SELFTEST) {
        hello.capabilities.push(CAPABILITY_SELFTEST.to_owned());
    }
    Ok(hello)
}

fn serve(library: &Library, hello: &Hello, batch: u32, requests: File, mut answers: &File) -> io::Result<()> {
    // Processes that the library starts while it is loaded must survive every read, because later cases can need them.
    let helpers = process_tree::children();
    // The child replies in a file: if it had access to the runner's pipe, it could kill the host and still send a
    // reply. It also reads requests from a file, because a file cannot block the host as a pipe can.
    let (request_file, reply_file) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let work = || {
        let mut line = vec![0; usize::try_from(request_file.metadata()?.len()).map_err(io::Error::other)?];
        request_file.read_exact_at(&mut line, 0)?;
        serve_lines(&*line, &reply_file, hello, |request| library.read(hello, request))
    };
    let mut waiting: Option<Child> = None;
    for line in BufReader::new(requests).lines() {
        let line = line?;
        let line = line.as_bytes();
        let seq = match serde_json::from_slice(line) {
            Ok(Request::Bye) => break,
            Ok(Request::Read(request)) => request.seq,
            _ => {
                serve_lines(line, answers, hello, |_| Ok(None))?;
                continue;
            }
        };
        request_file.set_len(0)?;
        request_file.write_all_at(line, 0)?;
        let read = match waiting.take() {
            Some(child) => child.resume().and_then(|()| child.wait(&helpers)),
            None => Child::fork(batch, work).and_then(|child| child.wait(&helpers)),
        };
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                let message = format!("cannot fork: {error}");
                serve_lines(line, answers, hello, |_| Err(NotAccepted::Error(message.clone())))?;
                continue;
            }
        };
        // A library can write any amount, so limit it. The runner reports more than `MAX_STDOUT` bytes as an error.
        let len = reply_file.metadata()?.len().min(MAX_STDOUT as u64 + 1);
        let mut answer = vec![0; usize::try_from(len).unwrap_or_default()];
        reply_file.read_exact_at(&mut answer, 0)?;
        let replied = answer.ends_with(b"\n") || answer.len() > MAX_STDOUT;
        let died = match read {
            Read::Waits(child) if replied => {
                waiting = Some(child);
                0
            }
            // The library stopped its own process.
            Read::Waits(child) => child.end(&helpers)?,
            Read::Ended(status) => status,
        };
        if died != 0 || !replied {
            answer = serde_json::to_vec(&ChildDeath { seq, died })?;
            answer.push(b'\n');
        }
        answers.write_all(&answer)?;
        reply_file.set_len(0)?;
        (&reply_file).rewind()?;
    }
    waiting.map_or(Ok(()), |child| child.end(&helpers).map(drop))
}
