//! Aliasing: shared objects, cycles, and files that expand through sharing.

use alloc::vec::Vec;

use super::attacks;
use super::base::{Base, BasePart, join};
use super::duplicates::string;
use crate::FileKind::Pte;
use crate::annotate::PartKind;
use crate::rules::flatbuffer;

attacks! {
    /// Point an offset field to the object of the same field in another table, so that both tables share it.
    unknown "aliasing/object" => |forge| {
        let base = forge.base;
        let (place, target) = forge.any(base.all(PartKind::Offset), |place, _| {
            let (owner, field) = (place.entry.owner?.name, place.entry.field?.name);
            let others = base.column(place.frame.kind, owner, field, PartKind::Offset);
            let next = others.partition_point(|at| base.place(*at).is_some_and(|other| other.at() <= place.at()));
            let other = base.place(*others.get(next)?)?;
            Some((*place, target_of(base, &other)?))
        })?;
        forge.point(&place.entry.path, place.at(), target)
    };
    /// Point a vector element to the next element's table, so that the vector contains that table twice.
    unknown "aliasing/element" => |forge| {
        let base = forge.base;
        let (place, target) = forge.any(base.all(PartKind::Item), |place, _| {
            let (list, _) = place.entry.path.strip_suffix(']')?.rsplit_once('[')?;
            let next = alloc::format!("{list}[{}]", place.entry.index? + 1);
            let other = base.find(&next, PartKind::Item)?;
            Some((*place, target_of(base, &other)?))
        })?;
        forge.point(&place.entry.path, place.at(), target)
    };
    /// Point both string fields of a method's container metadata to the same string.
    preserves "aliasing/string" => |forge| {
        let base = forge.base;
        let fields = ["encoded_inp_str", "encoded_out_str"];
        let (path, at, target) = forge.tables(Pte, "ContainerMetadata", |place, _| {
            let found = fields.map(|field| base.find(&join(&place.entry.path, field), PartKind::Offset));
            let [Some(one), Some(other)] = found else { return None };
            let target = |place: &BasePart<'_>| target_of(base, place).unwrap_or(0);
            // Offsets point only forward, so the shared target must be after both offset fields.
            let (at, to) = if target(&one) > other.at() { (other, target(&one)) } else { (one, target(&other)) };
            (to > at.at()).then_some((at.entry.path.clone(), at.at(), to))
        })?;
        forge.point(&path, at, target)
    };
    /// Make two fields of a table occupy the same bytes.
    unknown "aliasing/fields" => |forge| {
        let base = forge.base;
        let (path, at, value) = forge.any(base.all(PartKind::Table), |place, random| {
            let table = base.table(place)?;
            let present: Vec<_> = place.entry.owner?.fields.iter().filter(|field| table.field(field.slot).is_some()).collect();
            let (one, other) = (*random.pick(&present)?, *random.pick(&present)?);
            let entry = |slot: u16| place.frame.start + table.vtable() + 4 + 2 * usize::from(slot);
            let same = one.slot != other.slot && one.kind.width() == other.kind.width();
            let value = base.number(entry(other.slot), 2);
            same.then(|| (join(&place.entry.path, one.name), entry(one.slot), value))
        })?;
        forge.number(&path, at, 2, value)
    };
    /// Point a vector element back to the root table with an offset that wraps around at 32 bits.
    breaks "aliasing/cycle": flatbuffer::FB_UOFFSET_VALID => |forge| {
        let base = forge.base;
        forge.set_any(base.all(PartKind::Item), |place, _| {
            (base.number(place.frame.start, 4) + (1 << 32)).checked_sub(place.local() as u64)
        })
    };
    /// Give a method a long list of operators that share one table.
    preserves "aliasing/operators" => |forge| {
        let base = forge.base;
        let place = forge.tables(Pte, "ExecutionPlan", |place, _| {
            (place.frame.whole && base.has(place, "operators")).then_some(*place)
        })?;
        let least = base.count(&join(&place.entry.path, "operators"))?;
        let count = usize::try_from(least).ok()? + 64 + forge.random.index(1000);
        let name = string(b"torchproof::shared");
        let overload = string(b"out");
        let table = shared_table(&[name, overload]);
        forge.attach(&place, "operators", &many(count, &table))
    };
    /// Add call stacks with shared frames to a chain, so that a few kilobytes expand to gigabytes.
    unknown "aliasing/call-stacks" => |forge| {
        let place = forge.tables(Pte, "Chain", |place, _| {
            (place.frame.whole && super::forge::reach(place).is_some()).then_some(*place)
        })?;
        let width = 256 + forge.random.index(256);
        let frame = shared_table(&[string(&alloc::vec![b'x'; 4096])]);
        let list = shared_table(&[many(width, &frame)]);
        forge.attach(&place, "stacktrace", &many(width, &list))
    };
}

fn target_of(base: &Base, place: &BasePart<'_>) -> Option<usize> {
    place.at().checked_add(usize::try_from(base.number(place.at(), 4)).ok()?)
}

/// Returns `count` offsets to the table at `at` in `object`, followed by `object`. The vtable comes before the table.
fn many(count: usize, (object, at): &(Vec<u8>, usize)) -> Vec<u8> {
    let mut bytes = u32::try_from(count).unwrap_or(0).to_le_bytes().to_vec();
    let start = 4 + 4 * count;
    for index in 0..count {
        let distance = start + at - (4 + 4 * index);
        bytes.extend_from_slice(&u32::try_from(distance).unwrap_or(0).to_le_bytes());
    }
    bytes.extend_from_slice(object);
    bytes
}

/// Returns a vtable, a table of offsets to `objects` and the objects, in this order, and the table's position.
fn shared_table(objects: &[Vec<u8>]) -> (Vec<u8>, usize) {
    let word = |value: usize| u16::try_from(value).unwrap_or(0).to_le_bytes();
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&word(4 + 2 * objects.len()));
    bytes.extend_from_slice(&word(4 + 4 * objects.len()));
    for index in 0..objects.len() {
        bytes.extend_from_slice(&word(4 + 4 * index));
    }
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let at = bytes.len();
    bytes.extend_from_slice(&u32::try_from(at).unwrap_or(0).to_le_bytes());
    let mut place = 4 * objects.len();
    for (index, object) in objects.iter().enumerate() {
        let distance = place - 4 * index;
        bytes.extend_from_slice(&u32::try_from(distance).unwrap_or(0).to_le_bytes());
        place += object.len().next_multiple_of(4);
    }
    for object in objects {
        bytes.extend_from_slice(object);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    (bytes, at)
}
