//! A program's backends, and the public headers of their blobs.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use torchproof::Span;
use torchproof::check::ReadAt;
use torchproof::prediction::BuildProfile;
use torchproof::pte::schema::{BackendDelegate, DataLocation};
use torchproof::pte::{Method, Pte};
use torchproof_text::escape::plain_line;

use super::budget::ItemBudget;
use crate::ModelFile;
use crate::fields::vector::items;
use crate::fields::words::lossy;

/// How programs use a backend.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BackendNeeds {
    /// The number of delegates in all programs.
    pub delegates: u64,
    /// The size of the delegates' blobs in bytes. A blob counts once for each delegate that uses it.
    pub bytes: u64,
    /// What the blobs' headers say, if their format is public.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub blobs: BTreeSet<String>,
    /// The compile specs with a short text as their value, such as `compute_units=all`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub settings: BTreeSet<String>,
    /// The newest released wheel with a profile, if the backend is missing from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent_from: Option<String>,
}

pub const XNNPACK: &str = "XnnpackBackend";
const ETHOS_U: &str = "EthosUBackend";
const VULKAN: &str = "VulkanBackend";

/// The longest compile spec that can be a short text, in bytes.
const SHORT: usize = 32;

pub(super) fn add(
    backends: &mut BTreeMap<String, BackendNeeds>,
    program: &Pte<'_>,
    method: Method<'_>,
    file: &ModelFile<'_>,
    wheel: Option<&BuildProfile>,
    budget: &mut ItemBudget,
) {
    for delegate in method.delegates().flatten() {
        if budget.visit(delegate.id().ok().flatten().map_or(0, |id| id.as_bytes().len())).is_none() {
            break;
        }
        let id = lossy(delegate.id());
        if !backends.contains_key(&id) {
            if !budget.admits(id.len()) {
                continue;
            }
            let absent_from = wheel.filter(|wheel| !wheel.backends.contains(&id));
            let absent_from = absent_from.map(|wheel| wheel.runtime.to_string());
            backends.insert(id.clone(), BackendNeeds { absent_from, ..BackendNeeds::default() });
        }
        let Some(backend) = backends.get_mut(&id) else { continue };
        backend.delegates += 1;
        for spec in items(delegate.compile_specs()).flatten() {
            let value = spec.value().ok().flatten().map_or(&[][..], |value| value.as_bytes());
            let value = std::str::from_utf8(value).ok().filter(|text| text.len() <= SHORT);
            let value = value.filter(|text| !text.is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
            let key = spec.key().ok().flatten().map_or(0, |key| key.as_bytes().len());
            if let Some(value) = value.filter(|_| budget.admits(key.saturating_add(SHORT))) {
                backend.settings.insert(format!("{}={value}", plain_line(&lossy(spec.key()), SHORT)));
            }
        }
        let Some(blob) = blob(program, delegate) else { continue };
        backend.bytes = backend.bytes.saturating_add(blob.len);
        if budget.admits(2 * SHORT) {
            backend.blobs.extend(header(&id, blob, file));
        }
    }
}

pub(crate) fn blob(program: &Pte<'_>, delegate: BackendDelegate<'_>) -> Option<Span> {
    let place = delegate.processed().ok()??;
    let index = place.index().ok()?;
    match place.location().ok()? {
        DataLocation::SEGMENT => program.segment(index).ok(),
        DataLocation::INLINE => {
            let blobs = program.program().backend_delegate_data().ok()??;
            Some(blobs.get(usize::try_from(index).ok()?)?.ok()?.data().ok()??.span())
        }
        _ => None,
    }
}

/// Returns what a blob's header says.
pub(crate) fn header(id: &str, blob: Span, file: &ModelFile<'_>) -> Option<String> {
    let blob = Blob { place: blob, file };
    let magic = blob.read::<4>(4)?;
    match id {
        // Both backends have the same header: the magic, the length of the header, and the offset of the FlatBuffer.
        XNNPACK | VULKAN if matches!(&magic, b"XH00" | b"VH00") => {
            let graph = u64::from(u32::from_le_bytes(blob.read(10)?));
            let graph = blob.read::<4>(graph.checked_add(4)?)?;
            Some(format!("header {}, graph {}", magic.escape_ascii(), graph.escape_ascii()))
        }
        XNNPACK | VULKAN => Some(format!("graph {} without a header", magic.escape_ascii())),
        ETHOS_U => vela(&blob),
        _ => None,
    }
}

/// Returns a Vela stream's block sizes. A block has a 16-byte name, its size, and data in multiples of 16 bytes.
fn vela(blob: &Blob<'_>) -> Option<String> {
    let mut at = 0;
    let mut shown = Vec::new();
    for _ in 0..16 {
        let name = blob.read::<16>(at)?;
        let size = u64::from(u32::from_le_bytes(blob.read(at + 16)?));
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        match name {
            b"vela_end_stream" => break,
            b"scratch_size" => shown.push(format!("scratch {}", u32::from_le_bytes(blob.read(at + 32)?))),
            b"cmd_data" | b"weight_data" | b"scratch_data" => {
                let name = String::from_utf8_lossy(name);
                shown.push(format!("{} {size}", name.trim_end_matches("_data")));
            }
            _ => {}
        }
        at = at.checked_add(32 + size.next_multiple_of(16))?;
    }
    (!shown.is_empty()).then(|| format!("Vela stream with bytes of {}", shown.join(", ")))
}

struct Blob<'a> {
    place: Span,
    file: &'a ModelFile<'a>,
}

impl Blob<'_> {
    fn read<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        at.checked_add(N as u64).filter(|end| *end <= self.place.len)?;
        self.file.read_at(self.place.offset.checked_add(at)?, &mut bytes).ok()?;
        Some(bytes)
    }
}
