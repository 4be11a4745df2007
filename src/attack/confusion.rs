//! Confusion: wrong union tags, enums and layouts.

use super::attacks;
use super::base::{Base, BasePart};
use super::forge::Forge;
use crate::FileKind::{self, Bpte, Ptd, PtdLegacy, Pte};
use crate::annotate::PartKind;
use crate::random::Random;
use crate::rules::{
    bundled, delegates, flat_tensor, flatbuffer, instructions, legacy_flat_tensor as legacy, program, ptd_header,
    tensors, values,
};

attacks! {
    /// Set a value's type to an unknown type.
    breaks "confusion/value-type": values::VAL_TYPE_KNOWN => |forge| {
        tag(forge, (Pte, "EValue", "val_type"), "val", |random, _| random.within(12..=255))
    };
    /// Set an instruction's type to an unknown type.
    breaks "confusion/instruction-type": instructions::INS_TYPE_KNOWN => |forge| {
        tag(forge, (Pte, "Instruction", "instr_args_type"), "instr_args", |random, _| random.within(6..=255))
    };
    /// Set the type of a test case's value to an unknown type.
    breaks "confusion/bundled-type": bundled::BP_VALUE_TYPE => |forge| {
        tag(forge, (Bpte, "Value", "val_type"), "val", |random, _| random.within(5..=255))
    };
    /// Set the type of a value or an instruction to NONE, but keep the content.
    breaks "confusion/no-type": flatbuffer::FB_UNION_CONSISTENT => |forge| {
        let start = forge.random.index(UNIONS.len());
        let mut round = UNIONS[start..].iter().chain(&UNIONS[..start]);
        round.find_map(|(kind, owner, tagged, value)| tag(forge, (*kind, owner, tagged), value, |_, _| 0))
    };
    /// Set the type of a value or an instruction to a different known type.
    unknown "confusion/another-type" => |forge| {
        let (kind, owner, tagged, value) = *forge.random.pick(&UNIONS)?;
        let most = match owner {
            "EValue" => 11,
            "Instruction" => 5,
            _ => 4,
        };
        tag(forge, (kind, owner, tagged), value, |random, was| {
            let now = 1 + random.below(most);
            if now == was { 1 + was % most } else { now }
        })
    };
    /// Set a tensor's scalar type to an invalid value.
    breaks "confusion/scalar-type": tensors::T_SCALAR_TYPE => |forge| {
        forge.assign_any(Pte, "Tensor", "scalar_type", |_, random| Some(scalar_type(random)))
    };
    /// Set the scalar type of a tensor layout to an invalid value.
    breaks "confusion/layout-scalar-type": flat_tensor::FT_LAYOUT_SCALAR => |forge| {
        forge.assign_any(Ptd, "TensorLayout", "scalar_type", |_, random| Some(scalar_type(random)))
    };
    /// Set the scalar type of a tensor in a legacy data file to an invalid value.
    breaks "confusion/older-scalar-type": legacy::PTDB_LAYOUT_SCALAR => |forge| {
        forge.assign_any(PtdLegacy, "TensorMetadata", "scalar_type", |_, random| Some(scalar_type(random)))
    };
    /// Set the scalar type of a bundled tensor to an invalid value.
    breaks "confusion/bundled-scalar-type": bundled::BP_TENSOR_DATA => |forge| {
        forge.assign_any(Bpte, "Tensor", "scalar_type", |_, random| Some(scalar_type(random)))
    };
    /// Set a tensor's `shape_dynamism` to a negative value.
    breaks "confusion/dynamism": tensors::T_DYNAMISM => |forge| {
        forge.assign_any(Pte, "Tensor", "shape_dynamism", |_, random| Some(random.within(128..=255)))
    };
    /// Make a static tensor dynamic, so that readers take its sizes for upper bounds.
    preserves "confusion/dynamic" => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "Tensor", "shape_dynamism", |place, random| {
            (base.scalar(place, "shape_dynamism") == Some(0)).then(|| 1 + random.below(2))
        })
    };
    /// Set a tensor's layout to a value other than strided.
    preserves "confusion/layout" => |forge| {
        forge.assign_any(Pte, "Tensor", "layout", |_, random| Some(random.within(1..=255)))
    };
    /// Set a tensor's data location to an invalid value.
    breaks "confusion/location": tensors::T_LOCATION_ENUM => |forge| {
        forge.assign_any(Pte, "ExtraTensorInfo", "location", |_, random| Some(random.within(2..=255)))
    };
    /// Declare an unnamed tensor as external.
    breaks "confusion/external": tensors::T_EXTERNAL => |forge| {
        let base = forge.base;
        let named = |place: &BasePart<'_>| base.has(place, "fully_qualified_name");
        let own = forge.assign_any(Pte, "ExtraTensorInfo", "location", |place, _| (!named(place)).then_some(1));
        own.or_else(|| {
            let place = forge.tables(Pte, "Tensor", |place, _| {
                let bare = !base.has(place, "extra_tensor_info") && super::forge::reach(place).is_some();
                bare.then_some(*place)
            })?;
            forge.attach(&place, "extra_tensor_info", &EXTERNAL)
        })
    };
    /// Set a tensor's device type or device index to a negative value.
    breaks "confusion/device": tensors::T_DEVICE => |forge| device(forge, "ExtraTensorInfo");
    /// Set a planned buffer's device type or device index to a negative value.
    breaks "confusion/buffer-device": program::PLAN_NCB_DEVICE => |forge| device(forge, "NonConstBufferDevice");
    /// Set the location of a delegate's blob to an invalid value.
    breaks "confusion/delegate-location": delegates::DEL_LOCATION => |forge| {
        forge.assign_any(Pte, "BackendDelegateDataReference", "location", |_, random| Some(random.within(2..=255)))
    };
    /// Replace a data file's identifier with that of a program.
    unknown "confusion/data-as-program" => |forge| identifier(forge, &[Ptd, PtdLegacy], b"ET12");
    /// Replace a program's identifier with that of a data file, which requires a different header.
    breaks "confusion/program-as-data": ptd_header::FH_REQUIRED => |forge| {
        let digits = forge.base.bytes().get(10..12)?.iter().all(u8::is_ascii_digit);
        let header = forge.base.bytes().get(8..10)? == b"FH" && digits;
        (!header).then(|| identifier(forge, &[Pte], b"FT01"))?
    };
    /// Replace a program's identifier with that of a bundled program.
    unknown "confusion/program-as-bundle" => |forge| identifier(forge, &[Pte], b"BP08");
    /// Swap slots 1 and 3 of a data file's root table; the current and the legacy layout differ in these slots.
    unknown "confusion/generation" => |forge| {
        let (kind, root) = match forge.base.data_frame()?.kind {
            Ptd => (Ptd, "FlatTensor"),
            _ => (PtdLegacy, "LegacyFlatTensor"),
        };
        let base = forge.base;
        let place = forge.tables(kind, root, |place, _| Some(*place))?;
        let vtable = place.frame.start + base.table(&place)?.vtable();
        let (one, three) = (base.number(vtable + 6, 2), base.number(vtable + 10, 2));
        if base.number(vtable, 2) < 12 {
            return None;
        }
        forge.number("", vtable + 6, 2, three)?;
        forge.number("", vtable + 10, 2, one)
    };
}

/// The table of an unnamed external tensor, followed by its vtable.
const EXTERNAL: [u8; 18] = [0xf8, 0xff, 0xff, 0xff, 1, 0, 0, 0, 10, 0, 8, 0, 0, 0, 0, 0, 4, 0];

const UNIONS: [(FileKind, &str, &str, &str); 3] = [
    (Pte, "EValue", "val_type", "val"),
    (Pte, "Instruction", "instr_args_type", "instr_args"),
    (Bpte, "Value", "val_type", "val"),
];

/// Replaces the tag of a union that has a value. `now` computes the new tag from the old one.
fn tag(
    forge: &mut Forge<'_>,
    (kind, owner, tagged): (FileKind, &'static str, &'static str),
    value: &str,
    now: impl Fn(&mut Random, u64) -> u64,
) -> Option<()> {
    let base = forge.base;
    let has_value = |base: &Base, place: &BasePart<'_>| {
        let (table, _) = place.entry.path.rsplit_once('.')?;
        Some(base.has(&base.find(table, PartKind::Table)?, value))
    };
    forge.set_any(base.column(kind, owner, tagged, PartKind::Scalar), |place, random| {
        has_value(base, place).filter(|has| *has)?;
        Some(now(random, base.number(place.at(), 1)))
    })
}

/// Returns an invalid scalar type, 30 to 255; from 128 on, the number is negative in the file.
fn scalar_type(random: &mut Random) -> u64 {
    random.within(30..=255)
}

fn device(forge: &mut Forge<'_>, owner: &'static str) -> Option<()> {
    let negative = forge.random.one_in(2);
    let base = forge.base;
    if negative {
        let number = forge.assign_any(Pte, owner, "device_index", |place, random| {
            (base.scalar(place, "device_type") == Some(1)).then(|| random.within(128..=255))
        });
        if number.is_some() {
            return number;
        }
    }
    forge.assign_any(Pte, owner, "device_type", |_, random| Some(random.within(128..=255)))
}

fn identifier(forge: &mut Forge<'_>, kinds: &[FileKind], magic: &[u8; 4]) -> Option<()> {
    let frame = forge.whole().filter(|frame| kinds.contains(&frame.kind))?;
    forge.put("identifier", frame.start + 4, magic)
}
