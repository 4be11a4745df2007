//! **builtin:NAME**: readers inside this program; each case runs in its own thread.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Once, mpsc};
use std::thread;

use torchproof::Stage;

use super::{Reader, ReaderInput, Request, check_all_complete, flatbuffers, reference};
use crate::reader::outcome::{Cause, Outcome, Termination};
use crate::reader::protocol::wire_stage;
use torchproof_protocol::{
    CAPABILITY_CONSTANT_BUFFER, CAPABILITY_SELFTEST, Delivery, FORMATS, Hello, Want, obey_selftest,
};

/// The built-in readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    /// The checker of the `torchproof` crate.
    Reference(reference::Checker),
    /// The verifier of the `flatbuffers` crate with code that flatc generated.
    Flatbuffers,
    /// Accepts every file; fails exactly the cases that a reader must reject.
    AcceptAll,
    /// Rejects every file; shows that rejecting alone earns no passes.
    RejectAll,
}

impl Builtin {
    pub(super) const ALL: [Builtin; 4] =
        [Builtin::Reference(reference::Checker::DEFAULT), Builtin::Flatbuffers, Builtin::AcceptAll, Builtin::RejectAll];

    /// Returns the reader with this name.
    ///
    /// Settings of the checker follow the name: `reference,without=RULE`, `reference,strict`, `reference,32-bit`.
    pub(super) fn named(name: &str) -> Option<Builtin> {
        match name.split_once(',') {
            Some(("reference", settings)) => reference::Checker::parse(settings).map(Builtin::Reference),
            _ => Builtin::ALL.into_iter().find(|builtin| builtin.name() == name),
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Builtin::Reference(_) => "reference",
            Builtin::Flatbuffers => "flatbuffers",
            Builtin::AcceptAll => "accept-all",
            Builtin::RejectAll => "reject-all",
        }
    }

    fn work(self, files: &[ReaderInput], stage: Stage, want: Want, delivery: Delivery) -> Outcome {
        if let Some(first) = files.first() {
            obey_selftest(&first.path, first.offset);
        }
        match self {
            Builtin::Reference(checker) => checker.read(files, stage, want, delivery),
            Builtin::Flatbuffers => flatbuffers::read(files, delivery),
            Builtin::AcceptAll => Outcome::Accept { stage, value: None },
            Builtin::RejectAll => Outcome::Reject { stage: None, message: "rejects everything".to_owned() },
        }
    }
}

impl Reader for Builtin {
    fn hello(&mut self) -> Result<Hello, String> {
        let (stages, capabilities) = match self {
            Builtin::Reference(checker) => (Stage::ALL.to_vec(), checker.capabilities()),
            Builtin::Flatbuffers => (vec![Stage::Structure], vec![CAPABILITY_CONSTANT_BUFFER, CAPABILITY_SELFTEST]),
            Builtin::AcceptAll | Builtin::RejectAll => (Vec::new(), vec![CAPABILITY_SELFTEST]),
        };
        let name = match self {
            Builtin::Reference(checker) => checker.name(),
            _ => self.name().to_owned(),
        };
        let deliveries = match self {
            // These readers do not open the files.
            Builtin::AcceptAll | Builtin::RejectAll => Delivery::ALL.to_vec(),
            Builtin::Reference(_) | Builtin::Flatbuffers => vec![Delivery::File, Delivery::Buffer, Delivery::Unaligned],
        };
        Ok(Hello::new(name, env!("CARGO_PKG_VERSION"), "rust")
            .with_formats(FORMATS)
            .with_stages(stages.into_iter().map(wire_stage))
            .with_capabilities(capabilities)
            .with_deliveries(deliveries))
    }

    fn read(&mut self, request: &Request<'_>) -> Outcome {
        if let Err(outcome) = check_all_complete(request.files) {
            return outcome;
        }
        let (builtin, files, stage, want) = (*self, request.files.to_vec(), request.stage, request.want);
        let delivery = request.delivery.unwrap_or(Delivery::File);
        guarded(request.time, move || builtin.work(&files, stage, want, delivery))
    }
}

/// The thread name that marks panics of built-in readers.
const THREAD: &str = "builtin reader";
/// The stack size, equal to that of a program's main thread.
const STACK: usize = 8 << 20;

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `work` in a thread with a time limit and catches its panics.
///
/// A thread cannot be killed, so a hanging one stays until the program ends.
fn guarded(time: std::time::Duration, work: impl FnOnce() -> Outcome + Send + 'static) -> Outcome {
    capture_panic_messages();
    let (send, receive) = mpsc::sync_channel(1);
    let guarded = move || {
        let outcome = panic::catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|_| Outcome::Died(Termination { stderr: PANIC.take(), ..Termination::of(Cause::Panic) }));
        // After the time limit the receiver is gone.
        let _ = send.send(outcome);
    };
    let started = thread::Builder::new().name(THREAD.to_owned()).stack_size(STACK).spawn(guarded);
    match started {
        Ok(_) => receive.recv_timeout(time).unwrap_or_else(|_| Outcome::Died(Termination::of(Cause::WallTime(time)))),
        Err(error) => Outcome::AdapterError { message: format!("cannot start a thread: {error}") },
    }
}

/// Stores the message of a builtin's panic for its outcome instead of printing it.
fn capture_panic_messages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let default_hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() == Some(THREAD) {
                PANIC.set(info.to_string());
            } else {
                default_hook(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn reports_a_panic_as_a_crash_with_its_message() {
        let outcome = guarded(Duration::from_secs(5), || panic!("at\nthe disco"));
        let stderr = outcome.panic().map(|termination| &termination.stderr);
        assert!(stderr.is_some_and(|stderr| stderr.ends_with("\nat\nthe disco")), "{outcome:?}");
    }

    #[test]
    fn stops_a_hanging_reader_at_the_time_limit() {
        let work = || {
            thread::sleep(Duration::from_secs(60));
            Outcome::Unsupported { message: String::new() }
        };
        let outcome = guarded(Duration::from_millis(20), work);
        assert_eq!(outcome, Outcome::Died(Termination::of(Cause::WallTime(Duration::from_millis(20)))));
    }
}
