//! Duplicates: names, inputs, devices and constants that occur twice.

use alloc::vec::Vec;

use super::attacks;
use super::base::{Base, BasePart, join, range};
use super::forge::Forge;
use crate::FileKind::{self, Ptd, PtdLegacy, Pte};
use crate::annotate::PartKind;
use crate::flatbuffer::schema::TableView;
use crate::pte::schema::{ExtraTensorInfo, Tensor, TensorDataLocation};
use crate::rules::{companions, constants, flat_tensor, legacy_flat_tensor as legacy, named_data, program};

attacks! {
    /// Copy the key of a program's named blob to another blob with different bytes.
    breaks "duplicates/program-key": named_data::ND_KEY_UNIQUE => |forge| key(forge, Pte, "NamedData");
    /// Copy the key of a data file's entry to another entry with different bytes.
    breaks "duplicates/data-key": flat_tensor::FT_KEY_UNIQUE => |forge| {
        key(forge, Ptd, "NamedData").or_else(|| key(forge, PtdLegacy, "LegacyNamedData"))
    };
    /// Copy the name of a tensor in a legacy data file to another tensor.
    breaks "duplicates/older-name": legacy::PTDB_FQN_UNIQUE => |forge| {
        name(forge, PtdLegacy, "TensorMetadata", "fully_qualified_name", |_, _, _| true)
    };
    /// Copy a method's name to another method, so that a lookup never finds one of them.
    preserves "duplicates/method-name" => |forge| name(forge, Pte, "ExecutionPlan", "name", |_, _, _| true);
    /// Copy an external tensor's name to another external tensor with a different scalar type or shape.
    breaks "duplicates/external-name": companions::X_EXTERNAL_SAME_FQN => |forge| {
        let base = forge.base;
        let all: Vec<(BasePart<'_>, Tensor<'_>)> = base
            .column(Pte, "Tensor", "", PartKind::Table)
            .iter()
            .filter_map(|at| external(base, &base.place(*at)?))
            .collect();
        let (first, described) = *forge.random.pick(&all)?;
        let (other, _) = *all.iter().find(|(_, other)| differ(described, *other))?;
        let key = base.find(&join(&first.entry.path, "fully_qualified_name"), PartKind::Elements)?;
        let bytes = string(base.bytes().get(range(key.entry.span))?);
        forge.attach(&other, "fully_qualified_name", &bytes)
    };
    /// List the same value as two inputs of a method.
    preserves "duplicates/input" => |forge| {
        let base = forge.base;
        let (place, value) = forge.parts((Pte, "ExecutionPlan", "inputs"), PartKind::Elements, |place, _| {
            // Skip bundled programs, because the new input can have another type than the value that a test case passes.
            (place.frame.whole && place.len() >= 8).then(|| (*place, base.number(place.at(), 4)))
        })?;
        forge.set_element(&place, 1, value)
    };
    /// Give a planned buffer a second device.
    breaks "duplicates/buffer-device": program::PLAN_NCB_DEVICE => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "NonConstBufferDevice", "buffer_idx", |place, _| {
            let (list, index) = place.entry.path.strip_suffix(']')?.rsplit_once('[')?;
            let other = if index == "0" { 1 } else { 0 };
            let other = base.find(&alloc::format!("{list}[{other}]"), PartKind::Table)?;
            base.scalar(&other, "buffer_idx")
        })
    };
    /// Add constant buffers to a program that has a constant segment.
    breaks "duplicates/constants": constants::CONST_ONE_HOME => |forge| {
        let base = forge.base;
        let place = forge.tables(Pte, "Program", |place, _| {
            let offsets = base.count(&place.frame.path("constant_segment.offsets"))?;
            (offsets > 1 && place.frame.whole).then_some(*place)
        })?;
        forge.attach(&place, "constant_buffer", &BUFFERS)
    };
}

/// A vector of one table without fields: count, offset, vtable, table.
const BUFFERS: [u8; 16] = [1, 0, 0, 0, 8, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0];

pub(super) fn string(bytes: &[u8]) -> Vec<u8> {
    let mut string = u32::try_from(bytes.len()).unwrap_or(0).to_le_bytes().to_vec();
    string.extend_from_slice(bytes);
    string.push(0);
    string
}

/// Copies the key of a named blob to another blob with different bytes.
fn key(forge: &mut Forge<'_>, kind: FileKind, owner: &'static str) -> Option<()> {
    name(forge, kind, owner, "key", |base, one, other| blob(base, one) != blob(base, other))
}

fn blob<'b>(base: &'b Base, table: &BasePart<'_>) -> Option<&'b [u8]> {
    let path = alloc::format!("segments[{}]", base.scalar(table, "segment_index")?);
    let segment = base.find(&table.frame.path(&path), PartKind::Segment)?;
    base.bytes().get(range(segment.entry.span))
}

/// Copies `field` to another table of the same type outside bundled programs, if `fits` accepts the pair.
fn name(
    forge: &mut Forge<'_>,
    kind: FileKind,
    owner: &'static str,
    field: &'static str,
    fits: fn(&Base, &BasePart<'_>, &BasePart<'_>) -> bool,
) -> Option<()> {
    let base = forge.base;
    let (other, key) = forge.tables(kind, owner, |place, random| {
        let names = base.column(kind, owner, field, PartKind::Elements);
        let chosen = base.place(*names.get(random.index(names.len()))?)?;
        let own = join(&place.entry.path, field);
        let (table, _) = chosen.entry.path.rsplit_once('.')?;
        let other = base.find(table, PartKind::Table)?;
        let has = base.has(place, field) && place.frame.whole && chosen.entry.path != own && fits(base, place, &other);
        has.then_some((*place, chosen))
    })?;
    let bytes = string(base.bytes().get(range(key.entry.span))?);
    forge.attach(&other, field, &bytes)
}

/// Returns the extra information and the tensor, unless it is unnamed, not external or in a bundled program.
fn external<'b>(base: &'b Base, place: &BasePart<'_>) -> Option<(BasePart<'b>, Tensor<'b>)> {
    let extra = base.find(&join(&place.entry.path, "extra_tensor_info"), PartKind::Table)?;
    let read = ExtraTensorInfo::from_table(base.table(&extra)?);
    let named = base.has(&extra, "fully_qualified_name") && place.frame.whole;
    let external = named && read.location() == Ok(TensorDataLocation::EXTERNAL);
    external.then_some((extra, Tensor::from_table(base.table(place)?)))
}

fn differ(one: Tensor<'_>, other: Tensor<'_>) -> bool {
    let sizes = |tensor: Tensor<'_>| tensor.sizes().ok().flatten().map(|sizes| sizes.as_bytes().to_vec());
    one.scalar_type() != other.scalar_type() || sizes(one) != sizes(other)
}
