//! Runs the adapter of a runtime on samples.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use torchproof::Role;
use torchproof::Stage;
use torchproof::prediction::{FileKey, RuntimeEffect};
use torchproof::rules;
use torchproof_harness::reader::outcome::Outcome;
use torchproof_harness::reader::{Reader, ReaderInput, Request};
use torchproof_protocol::{CAPABILITY_LOADED, Hello, Want};

use super::samples::Sample;
use crate::built;

pub(super) struct Runtime {
    pub(super) hello: Hello,
    reader: Box<dyn Reader>,
    folder: PathBuf,
    /// `true` if the adapter hides operators or backends. Only then does their absence say something about the file.
    pub(super) hides: bool,
}

impl Runtime {
    pub(super) fn open(address: &str, name: &str) -> Self {
        let mut reader = built::open(address);
        let hello = reader.hello().unwrap();
        Self { hello, reader, folder: testkit::scratch(name), hides: false }
    }

    /// A crash or a hang is `Undefined`. Returns `None` if the outcome says nothing, for example because the adapter
    /// skips the sample.
    pub(super) fn observe(&mut self, sample: &Sample) -> Option<RuntimeEffect> {
        let role = sample.files[0].0;
        let supported = role != Role::Data || self.hello.formats.iter().any(|format| format == "ptd");
        // A stub backend accepts every blob, so the outcome says nothing about rules for the content of blobs.
        let of_blob = |key: &FileKey| rules::get(key.subject).is_some_and(|rule| is_of_xnnpack(rule.id));
        let supported = supported && (self.hello.has("xnnpack") || !sample.keys.iter().any(of_blob));
        if !supported || !sample.is_checked {
            return None;
        }
        let inputs = sample.files.iter().enumerate().map(|(index, (role, bytes))| {
            let path = self.folder.join(format!("file-{index}.{}", role.extension()));
            let _ = fs::remove_file(&path);
            fs::write(&path, bytes).unwrap();
            ReaderInput::at(*role, path).unwrap()
        });
        let inputs: Vec<ReaderInput> = inputs.collect();
        // Only a request for the loaded form names the entries that have a layout. Otherwise, the adapter requests the
        // layouts of all entries, which an application would not do.
        let returns_values = self.hello.has(CAPABILITY_LOADED);
        let want = if role == Role::Data && returns_values { Want::Loaded } else { Want::Verdict };
        let time = Duration::from_secs(20);
        let request = Request { files: &inputs, stage: Stage::Data, want, time, memory_mb: None, delivery: None };
        match self.reader.read(&request) {
            Outcome::Accept { .. } => Some(RuntimeEffect::Loads),
            Outcome::Died(_) => Some(RuntimeEffect::Undefined),
            Outcome::Reject { stage: Some(stage), message } => {
                refusal(stage, &message).filter(|effect| self.hides || !lacks_operator(*effect))
            }
            // An application cannot load a program without its data file, so this `unsupported` counts as a refusal.
            Outcome::Unsupported { message } if message.contains("external tensors") => {
                refusal(Stage::Method, &message)
            }
            Outcome::Unsupported { message } if self.hides => refusal(Stage::Method, &message),
            Outcome::AdapterError { message } if message.starts_with("the runtime ended") => {
                Some(RuntimeEffect::Undefined)
            }
            _ => None,
        }
    }
}

/// Only a backend reads the content of XNNPACK blobs.
fn is_of_xnnpack(rule: &str) -> bool {
    rule.starts_with("del-xnn-") || rule == "x-xnn-key-found"
}

/// Reads the code in a message such as `Program::load: 0x23, …`.
fn refusal(stage: Stage, message: &str) -> Option<RuntimeEffect> {
    let code = message.rsplit_once(": 0x").and_then(|(_, code)| u8::from_str_radix(code.get(..2)?, 16).ok());
    code.map(|code| RuntimeEffect::Refuses(stage, code))
}

/// The portable kernels of a release do not include every operator, so this says nothing about the file.
fn lacks_operator(effect: RuntimeEffect) -> bool {
    matches!(effect, RuntimeEffect::Refuses(_, 0x14))
}
