//! **once:CMD**: runs the command for each case, with the files as its last arguments.
//!
//! The extension of a file gives its role: `.pte`, `.ptd` or `.bpte`. Exit code 0 means accept, 1 means reject and 2
//! means unsupported, unless the user gives other [codes](super::ExitCodes). Any other code, any signal and any
//! uncaught exception count as terminations. A JSON object on stdout is the canonical JSON of the file; all other
//! output there is ignored. After a rejection, the last line of stderr is the message.

use std::ffi::OsString;
use std::io;
use std::thread;
use std::time::Instant;

use serde_json::Value;

use super::crash::symbols::Naming;
use super::exit_codes::ExitVerdict;
use super::process::{Event, MAX_STDOUT, Process};
use super::program::{cannot_start, find_program};
use super::{Reader, Request, Settings, check_all_complete, classify};
use crate::reader::outcome::{Cause, Outcome};
use crate::text::json::from_json;
use torchproof_protocol::{CAPABILITY_BUNDLED, FORMATS, Hello};

#[derive(Debug)]
pub(super) struct Once {
    pub(super) argv: Vec<String>,
    pub(super) name: String,
    pub(super) settings: Settings,
    /// `true` if the last read exceeded its time limit on the first try, but not on the second.
    pub(super) slow: bool,
}

impl Once {
    fn run(&self, request: &Request<'_>, naming: Naming) -> Outcome {
        // Also limit processor time, in case the reader survives the runner. A reader can have several threads, so the
        // limit covers all processors together.
        let processors = thread::available_parallelism().map_or(1, |count| count.get() as u64);
        let cpu_s = Some((request.time.as_secs() + 2).saturating_mul(processors));
        let words = self.argv.iter().map(OsString::from);
        let files = request.files.iter().map(|file| file.path.clone().into_os_string());
        let launcher = self.settings.launcher.naming(naming);
        let command = launcher.command(words.chain(files), request.memory_mb, cpu_s);
        let mut process = match command.and_then(|command| Process::spawn(command, false)) {
            Ok(process) => process,
            Err(error) => return Outcome::AdapterError { message: format!("cannot start the launcher: {error}") },
        };
        let event = process.end(Instant::now() + request.time);
        let status = process.kill();
        let stderr = process.stderr();
        match (event, status) {
            (Event::Flooded, _) => Outcome::AdapterError {
                message: format!("found more than {} MiB on stdout; expected at most one JSON value", MAX_STDOUT >> 20),
            },
            (Event::Exited, Some(status)) => {
                if let Some(message) = classify::not_started(status, &stderr) {
                    let is_script = classify::script_not_found(&stderr).is_some();
                    let withheld = if is_script { self.settings.launcher.withheld() } else { String::new() };
                    return Outcome::AdapterError { message: message + &withheld };
                }
                let verdict = status.code().and_then(|code| self.settings.launcher.exit_codes().verdict(code));
                let answer = verdict.map(|verdict| answer(verdict, process.stdout(), &stderr, request));
                answer.unwrap_or_else(|| classify::ended(status, &stderr))
            }
            _ => classify::died(&stderr, Cause::WallTime(request.time)),
        }
    }
}

fn answer(verdict: ExitVerdict, stdout: &[u8], stderr: &str, request: &Request<'_>) -> Outcome {
    let accepts = verdict == ExitVerdict::Accept;
    // Some runtimes exit with code 1 or 2 after an uncaught exception.
    if let Some(crash) = if accepts { classify::sanitized(stderr) } else { classify::uncaught(stderr) } {
        return crash;
    }
    let text = classify::without_stage_markers(stderr);
    let message = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
    match verdict {
        ExitVerdict::Accept => {
            let value = from_json::<Value>(stdout).ok().filter(Value::is_object);
            Outcome::Accept { stage: request.stage, value }
        }
        ExitVerdict::Reject => Outcome::Reject { stage: classify::last_stage(stderr), message },
        ExitVerdict::Unsupported => Outcome::Unsupported { message },
    }
}

fn can_be_run(program: &str) -> bool {
    // If `PATH` is not set, the system searches default folders that are unknown here. On Windows, the start fails with
    // its own error. In both cases, assume that the program exists.
    cfg!(not(unix)) || find_program(program).is_some() || std::env::var_os("PATH").is_none()
}

impl Reader for Once {
    /// Returns a fixed `hello`, because a command has no handshake and runs on every case.
    fn hello(&mut self) -> Result<Hello, String> {
        if let Some(program) = self.argv.first().filter(|program| !can_be_run(program)) {
            let is_there = program.contains('/') && std::path::Path::new(program).is_file();
            let kind = if is_there { io::ErrorKind::PermissionDenied } else { io::ErrorKind::NotFound };
            return Err(cannot_start(program, &kind.into()));
        }
        Ok(Hello::new(&self.name, "", "").with_formats(FORMATS).with_capabilities([CAPABILITY_BUNDLED]))
    }

    fn read(&mut self, request: &Request<'_>) -> Outcome {
        // A command is not told the sizes of its files, so check them here.
        self.slow = false;
        if let Err(outcome) = check_all_complete(request.files) {
            return outcome;
        }
        let (outcome, slow) = self.settings.reruns.read(&self.name, request.size_and_time(), |time, naming| {
            let begin = Instant::now();
            (self.run(&Request { time, ..*request }, naming), begin.elapsed())
        });
        self.slow = slow;
        outcome
    }

    fn was_slow(&self) -> bool {
        self.slow
    }
}
