//! **`torchproof-model`'s questions for JavaScript**, as WebAssembly: each is one call, with JSON in and out.
//!
//! JavaScript calls `answer`, which calls four functions back: two pass the question and the answer, and two read the
//! files by range, so that files of any size stay outside. The glue of wasm-bindgen would be larger than this file, and
//! its generator takes minutes to compile on a clean machine.
#![cfg(target_arch = "wasm32")]
#![allow(unsafe_code, reason = "JavaScript fills buffers of this module")]

use serde::{Deserialize, Serialize};
use torchproof::Span;
use torchproof::check::{ReadAt, ReadError};
use torchproof::prediction::EffectTable;
use torchproof_model::check::CheckOptions;
use torchproof_model::diff::Compared;
use torchproof_model::inspect::Digests;
use torchproof_model::{ModelFile, brief, check, diff, inspect, needs};

#[link(wasm_import_module = "torchproof")]
unsafe extern "C" {
    /// Writes the question to `target`; its length is the argument of `answer`.
    fn question(target: *mut u8);
    /// Takes the answer.
    fn result(text: *const u8, len: usize);
    /// Fills `len` bytes at `target` from a file; returns 0 if it cannot.
    fn read(file: u32, offset: u64, target: *mut u8, len: usize) -> u32;
    /// Returns the first nonzero byte's offset, or one of the constants below.
    fn first_nonzero(file: u32, offset: u64, len: u64) -> u64;
}

const ALL_ZERO: u64 = u64::MAX;
const UNREADABLE: u64 = u64::MAX - 1;

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Ask {
    Check,
    Needs,
    Brief,
    Inspect,
    Diff,
}

/// A question about the first file; the others are its data files. For `diff`, the second file is the newer one.
#[derive(Deserialize)]
struct Question {
    ask: Ask,
    files: Vec<Named>,
    digest: bool,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    bytes: u64,
}

struct Source {
    index: u32,
    len: u64,
}

impl ReadAt for Source {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        // SAFETY: JavaScript writes exactly `buffer.len()` bytes at the pointer, and keeps no reference to them.
        let done = unsafe { read(self.index, offset, buffer.as_mut_ptr(), buffer.len()) };
        if done == 0 { Err(ReadError) } else { Ok(()) }
    }

    fn first_nonzero(&self, span: Span) -> Result<Option<u64>, ReadError> {
        // SAFETY: the function has no pointers.
        match unsafe { first_nonzero(self.index, span.offset, span.len) } {
            ALL_ZERO => Ok(None),
            UNREADABLE => Err(ReadError),
            offset => Ok(Some(offset)),
        }
    }
}

/// Answers the question of `len` bytes that the import `question` returns, and passes the JSON to the import `result`.
#[unsafe(no_mangle)]
pub extern "C" fn answer(len: usize) {
    let mut text = vec![0; len];
    // SAFETY: JavaScript writes exactly `len` bytes at the pointer, and keeps no reference to them.
    unsafe { question(text.as_mut_ptr()) };
    let answer =
        answered(&text).unwrap_or_else(|error| serde_json::json!({ "failed": error }).to_string().into_bytes());
    // SAFETY: JavaScript copies the bytes before it returns.
    unsafe { result(answer.as_ptr(), answer.len()) };
}

fn answered(text: &[u8]) -> Result<Vec<u8>, String> {
    let question: Question = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let sources: Vec<Source> =
        (0..).zip(&question.files).map(|(index, file)| Source { index, len: file.bytes }).collect();
    let files: Vec<ModelFile<'_>> =
        question.files.iter().zip(&sources).map(|(file, source)| open(file, source)).collect::<Result<_, _>>()?;
    let (file, others) = files.split_first().ok_or("found no file, expected at least one")?;
    let releases = EffectTable::get().releases();
    let digests = if question.digest { Digests::All } else { Digests::Few };
    match question.ask {
        Ask::Check => json(&check(file, others, &CheckOptions::default())),
        Ask::Needs => json(&needs(file, others)),
        Ask::Brief => json(&brief(file, others, &[], Digests::Few)),
        Ask::Inspect => json(&inspect(file, others, &releases, digests)),
        Ask::Diff => {
            let newer = others.first().ok_or("found one file, expected two")?;
            let [before, after] = [file, newer].map(|file| inspect(file, &[], &releases, digests));
            let [file, newer] =
                [(file, &before), (newer, &after)].map(|(file, output)| Compared { file, output, data: &[] });
            json(&diff(file, newer))
        }
    }
}

fn open<'a>(file: &Named, source: &'a Source) -> Result<ModelFile<'a>, String> {
    ModelFile::open(&file.name, source).map_err(|error| format!("{}: {error}", file.name))
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, String> {
    serde_json::to_vec(value).map_err(|error| error.to_string())
}
