//! **builtin:flatbuffers**: the verifier of the `flatbuffers` crate, run on the FlatBuffer of a file.
//!
//! The code that locates the FlatBuffer does not use the `torchproof` crate, so that a bug there cannot affect this
//! reader.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use torchproof::Role;
use torchproof::Stage;

use super::ReaderInput;
use crate::reader::crash::CrashReport;
use crate::reader::outcome::{Cause, Outcome, Termination};
use torchproof_oracle::{OracleError, Schema, verify};
use torchproof_protocol::Delivery;

const LIMIT: u64 = 1 << 31;

/// Verifies each file's FlatBuffer. A panic in the verifier counts as a reader crash.
pub(super) fn read(files: &[ReaderInput], delivery: Delivery) -> Outcome {
    // Vectors are aligned, so one byte before the FlatBuffer makes its address odd.
    let before = usize::from(delivery == Delivery::Unaligned);
    let verified = files.iter().try_for_each(|ReaderInput { role, path, .. }| {
        let region = region(*role, path, before)?;
        verified(*role, &region[before..])
    });
    verified.err().unwrap_or(Outcome::Accept { stage: Stage::Structure, value: None })
}

fn rejected(message: impl Into<String>) -> Outcome {
    Outcome::Reject { stage: Some(Stage::Structure), message: message.into() }
}

fn unsupported() -> Outcome {
    Outcome::Unsupported {
        message: "found a bundled program, for which no code is generated; expected a .pte or .ptd file".to_owned(),
    }
}

fn verified(role: Role, region: &[u8]) -> Result<(), Outcome> {
    let verdict = match role {
        Role::Program => verify(region, Schema::Program),
        Role::Bundled => return Err(unsupported()),
        Role::Data => match verify(region, Schema::FlatTensor) {
            // Both layouts of data files have the same identifier, so only a field tells them apart.
            Err(OracleError::Invalid(_)) if has_slot(region, 3) => verify(region, Schema::LegacyFlatTensor),
            verdict => verdict,
        },
    };
    verdict.map_err(|error| match error {
        OracleError::Panicked(stderr) => {
            let report = CrashReport::of(&stderr).map(Box::new);
            Outcome::Died(Termination {
                stage: Some(Stage::Structure),
                stderr,
                report,
                ..Termination::of(Cause::Panic)
            })
        }
        invalid => rejected(invalid.to_string()),
    })
}

/// Reads the FlatBuffer of the file after `before` zero bytes. The header gives its size; a program without a header
/// consists only of the FlatBuffer.
fn region(role: Role, path: &Path, before: usize) -> Result<Vec<u8>, Outcome> {
    let unread = |error: io::Error| Outcome::Reject { stage: Some(Stage::Open), message: error.to_string() };
    let mut file = File::open(path).map_err(unread)?;
    let len = file.metadata().map_err(unread)?.len();
    let mut bytes = vec![0; before];
    file.by_ref().take(64).read_to_end(&mut bytes).map_err(unread)?;
    let head = &bytes[before..];
    let end = match (role, head.get(8..12)) {
        (Role::Program, Some(b"eh00")) => u64_at(head, 16),
        (Role::Program, _) => Some(len),
        (Role::Data, Some(b"FH01")) => {
            u64_at(head, 16).zip(u64_at(head, 24)).and_then(|(offset, size)| offset.checked_add(size))
        }
        (Role::Data, _) => return Err(rejected("found no `FH01` at offset 8")),
        (Role::Bundled, _) => return Err(unsupported()),
    };
    let end = end.ok_or_else(|| rejected("the header is truncated, or its offset plus size exceeds 64 bits"))?;
    if end > len || end >= LIMIT {
        return Err(rejected(format!("the FlatBuffer ends at offset {end}, expected at most {len}")));
    }
    file.take(end.saturating_sub(head.len() as u64)).read_to_end(&mut bytes).map_err(unread)?;
    bytes.truncate(usize::try_from(end).unwrap_or(usize::MAX).saturating_add(before));
    Ok(bytes)
}

fn has_slot(region: &[u8], slot: usize) -> bool {
    let entry = || {
        let table = i64::from(u32_at(region, 0)?);
        let back = u32_at(region, usize::try_from(table).ok()?)?.cast_signed();
        let vtable = usize::try_from(table - i64::from(back)).ok()?;
        let at = 4 + 2 * slot;
        let len = usize::from(u16_at(region, vtable)?);
        if len < at + 2 { None } else { u16_at(region, vtable + at) }
    };
    entry().is_some_and(|entry| entry != 0)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}
