//! The file properties that a prediction depends on.

use crate::Role;
use crate::check::{Finding, Report};
use crate::flatbuffer::Vector;
use crate::layout::nbytes;
use crate::pte::Pte;
use crate::pte::schema::{ExecutionPlan, Tensor};
use crate::rules::{self, Strength};
use crate::{FileBytes, FileKind};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use super::Requirements;
use super::context::{self, index_after, is_constant};

/// A file's key: a broken rule with the field that breaks it, or another property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileKey {
    /// The rule's id, or one of the property constants below, such as `LEGACY_LAYOUT`.
    pub subject: &'static str,
    /// The field's path, without indices. If a loader checks the field differently in some context, the context follows
    /// in parentheses. For example, a loader reports an input's shape earlier than other shapes.
    pub field: String,
}

/// The property of bundled programs. A loader refuses the whole file, so an application passes only the program inside.
const BUNDLED: &str = "(bundled program)";

/// The property of programs with a tensor whose sizes overflow when multiplied in order, but include a 0 later on.
const OVERFLOW_BEFORE_0: &str = "(sizes overflow before a 0)";

/// The property of programs whose constants are inside the FlatBuffer. Builds without support for `constant_buffer` refuse such
/// programs.
pub(super) const INLINE_CONSTANTS: &str = "(constants in the FlatBuffer)";

/// The property of programs with a constant in an empty constant segment, which some releases take for absent.
const EMPTY_SEGMENT: &str = "(constants in an empty segment)";

/// The property of programs with external tensors that are loaded without a data file.
const WITHOUT_DATA: &str = "(external tensors without data file)";

/// The field of a key with the property [`WITHOUT_DATA`] if the first external tensor is mutable.
const MUTABLE: &str = "mutable tensor";

/// The property of programs with XNNPACK constants whose data is in no file that the loader receives.
pub(super) const XNNPACK_WITHOUT_DATA: &str = "(XNNPACK constants without data file)";

/// The property of methods with a delegate whose backend the build lacks.
pub(super) const MISSING_BACKEND: &str = "(backend not in the build)";

/// The property of methods with an operator that the build lacks.
pub(super) const MISSING_OPERATOR: &str = "(operator not in the build)";

/// The property of methods that need more memory than one of the build's pools has.
pub(super) const SMALL_POOL: &str = "(pool too small)";

/// The property of programs that copy a tensor's initial value into an empty planned buffer.
const EMPTY_BUFFER: &str = "(initial value in an empty buffer)";

/// The property of data files in the legacy layout, and of programs loaded with one.
const LEGACY_LAYOUT: &str = "(legacy layout)";

/// The prefix that marks a field path as a path in a data file.
pub const DATA_FILE: &str = "data file: ";

/// The suffix of a wildcard that stands for fields with any context.
pub const ANY_CONTEXT: &str = " (in any context)";

impl FileKey {
    fn property(subject: &'static str) -> Self {
        Self { subject, field: String::new() }
    }

    /// Returns the wildcard fields: the first stands for every field with the same context, and the second stands for
    /// every field. A table line with a wildcard applies only to keys that no earlier line covers.
    #[must_use]
    pub fn wildcards(&self) -> [String; 2] {
        let prefix = if self.field.starts_with(DATA_FILE) { DATA_FILE } else { "" };
        let context = self.field.find(" (").and_then(|start| self.field.get(start..)).unwrap_or_default();
        [format!("{prefix}*{context}"), format!("{prefix}*{ANY_CONTEXT}")]
    }

    /// Returns whether the key is a broken must-rule. If a loader does not check the rule, the loader's behavior is undefined.
    #[must_use]
    pub fn is_must(&self) -> bool {
        rules::get(self.subject).map_or(self.subject == LEGACY_LAYOUT, |rule| rule.strength == Strength::Must)
    }
}

/// A file as a loader gets it.
#[derive(Clone, Copy, Debug)]
pub struct LoadedFile<'a> {
    /// The bytes. For a large file, the beginning is enough.
    pub file_bytes: FileBytes<'a>,
    /// The role in which the loader gets the file, which the checker cannot tell if the identifier is wrong.
    pub role: Role,
    /// The checker's report.
    pub report: &'a Report,
    /// The kinds of the data files that the loader also gets.
    pub data: &'a [FileKind],
}

impl<'a> LoadedFile<'a> {
    /// Returns the file's keys for a loader that prepares every method, in the order in which the loader reads the fields.
    #[must_use]
    pub fn keys(&self) -> Vec<FileKey> {
        in_order(self.placed_keys(None))
    }

    /// Returns what the program needs from a build.
    #[must_use]
    pub fn requirements(&self) -> Requirements {
        Requirements::of_program(self.program().iter().flat_map(|program| program.methods().flatten()))
    }

    pub(super) fn program(&self) -> Option<Pte<'a>> {
        Pte::open_file_bytes(self.file_bytes).ok().filter(|_| self.role == Role::Program)
    }

    /// Returns the keys and their places. If `only` names a method, the loader prepares only that method.
    pub(super) fn placed_keys(&self, only: Option<usize>) -> Vec<(LoadPlace, FileKey)> {
        let Self { file_bytes, role, report, data } = *self;
        // A loader first reads 64 bytes.
        if file_bytes.len() < 64 {
            let field = if role == Role::Data { DATA_FILE } else { "" };
            return vec![(LoadPlace::LAST, FileKey { subject: "fb-file-min-64", field: field.to_owned() })];
        }
        if role == Role::Bundled {
            return vec![(LoadPlace::LAST, FileKey::property(BUNDLED))];
        }
        let program = self.program();
        let tensors = || program.iter().flat_map(move |program| tensors(program, only));
        let constant = tensors().find(|(.., tensor)| is_constant(*tensor)).map(|(place, ..)| place);
        let mut all = Vec::new();
        for finding in &report.findings {
            let method = index_after(&finding.path, "execution_plan[").map(|(method, _)| method);
            if only.is_some() && method.is_some() && finding.companion.is_none() && method != only {
                continue;
            }
            let in_data = role == Role::Data || finding.companion.is_some();
            let context = match (role, finding.companion) {
                (_, Some(_)) => None,
                (Role::Data, None) => context::of_data_file(finding, file_bytes.bytes()),
                (_, None) => context::of_program(finding, file_bytes, program.as_ref(), constant.is_some()),
            };
            let field = in_field(if in_data { DATA_FILE } else { "" }, &finding.path, context);
            all.push((LoadPlace::of(finding, constant), FileKey { subject: finding.rule.id, field }));
        }
        // The checker does not resolve a rejected program's tensors, even if there are data files.
        if report.unresolved > 0 && data.is_empty() {
            let external = first_external(tensors());
            let unknown = Some((LoadPlace::LAST, "")).filter(|_| only.is_none());
            let key = |field: &str| FileKey { subject: WITHOUT_DATA, field: field.to_owned() };
            all.extend(external.or(unknown).map(|(place, field)| (place, key(field))));
        }
        if report.unresolved_keys > 0 && data.is_empty() {
            all.push((LoadPlace(0, Part::Delegates, 0), FileKey::property(XNNPACK_WITHOUT_DATA)));
        }
        if report.kind == FileKind::PtdLegacy || data.contains(&FileKind::PtdLegacy) {
            all.push((LoadPlace::LAST, FileKey::property(LEGACY_LAYOUT)));
        }
        if let Some(program) = &program {
            all.extend(overflows_before_0(tensors()));
            all.extend(inline_constants(program, constant, tensors()));
            let place = constant.filter(|_| has_empty_segment(program) == Some(true));
            all.extend(place.map(|place| (place, FileKey::property(EMPTY_SEGMENT))));
            let is_empty = |plan, tensor| has_empty_buffer(plan, tensor, !data.is_empty()) == Some(true);
            let empty = tensors().find(|(_, plan, tensor)| is_empty(*plan, *tensor));
            all.extend(empty.map(|(place, ..)| (place, FileKey::property(EMPTY_BUFFER))));
        }
        all
    }
}

/// Sorts the keys by their places, and removes repeated ones.
pub(super) fn in_order(mut all: Vec<(LoadPlace, FileKey)>) -> Vec<FileKey> {
    all.sort_by_key(|(place, _)| *place);
    let mut keys = Vec::new();
    for (_, key) in all {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// The order in which a loader reads a program: by method, then by part, then by value index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LoadPlace(pub(super) usize, pub(super) Part, pub(super) usize);

/// A method's parts, in the order in which a loader reads them. It first looks for nulls among all values, and loads
/// the data for all external constants, but it loads a mutable tensor's data together with the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The parts outside the value list, such as the inputs. The constant list is the second part outside the methods.
    Others,
    Constants,
    DeviceMemory,
    Nulls,
    ExternalConstants,
    Values,
    Delegates,
    Chains,
    /// The operators. A loader reports that some are missing once it has read all chains.
    Operators,
}

impl LoadPlace {
    const LAST: Self = Self(usize::MAX, Part::Operators, usize::MAX);

    /// Returns the place where a loader comes across a finding. It reads the constant segment's offsets together with
    /// the first tensor whose data is in that segment; `constant` is this tensor's place.
    fn of(finding: &Finding, constant: Option<Self>) -> Self {
        let Some((plan, rest)) = index_after(&finding.path, "execution_plan[") else {
            return match finding.path.strip_prefix("constant_segment") {
                Some(field) if field.starts_with(".offsets") => constant.unwrap_or(Self(0, Part::Values, 0)),
                Some(_) => Self(0, Part::Constants, 0),
                None => Self(0, Part::Others, 0),
            };
        };
        let begins = |list: &str| rest.starts_with(list);
        match index_after(rest, ".values[") {
            Some((value, _)) if finding.rule.id == "val-nonnull" => Self(plan, Part::Nulls, value),
            Some((value, _)) => Self(plan, Part::Values, value),
            None if begins(".non_const_buffer_device") => Self(plan, Part::DeviceMemory, 0),
            None if begins(".delegates") => {
                Self(plan, Part::Delegates, index_after(rest, ".delegates[").map_or(0, |(index, _)| index))
            }
            None if begins(".chains") => Self(plan, Part::Chains, 0),
            None => Self(plan, Part::Others, 0),
        }
    }
}

/// Returns a path without indices, with its context in parentheses.
fn in_field(prefix: &str, path: &str, context: Option<&str>) -> String {
    let context = context.map(|context| format!(" ({context})"));
    format!("{prefix}{}{}", without_indices(path), context.unwrap_or_default())
}

/// A tensor, with its place and method.
type PlacedTensor<'a> = (LoadPlace, ExecutionPlan<'a>, Tensor<'a>);

/// Returns the keys of the first tensors whose sizes overflow before a 0. Their number is limited, because finding a
/// tensor's context requires reading whole lists.
fn overflows_before_0<'a>(
    tensors: impl Iterator<Item = PlacedTensor<'a>>,
) -> impl Iterator<Item = (LoadPlace, FileKey)> {
    let overflows = tensors.filter(|(.., tensor)| {
        let multiply = |product: i64, size: i32| product.checked_mul(size.into());
        let sizes = tensor.sizes().ok().flatten();
        sizes.is_some_and(|sizes| sizes.iter().try_fold(1, multiply).is_none() && sizes.iter().any(|size| size == 0))
    });
    overflows.take(16).map(|(place, plan, tensor)| {
        let field = in_field("", "execution_plan.values.val.sizes", context::use_of(plan, place.2, Some(tensor)));
        (place, FileKey { subject: OVERFLOW_BEFORE_0, field })
    })
}

/// Returns every method's tensors, or those of the method with index `only`.
fn tensors<'a>(program: &Pte<'a>, only: Option<usize>) -> impl Iterator<Item = PlacedTensor<'a>> + use<'a> {
    let methods = program.methods().enumerate().filter_map(|(at, method)| Some((at, method.ok()?)));
    methods.filter(move |(at, _)| only.is_none_or(|only| only == *at)).flat_map(|(at, method)| {
        let tensors = method.tensors().flatten();
        tensors.map(move |(index, tensor)| (LoadPlace(at, Part::Values, index), method.plan(), tensor))
    })
}

/// Returns the place and field for the [`WITHOUT_DATA`] key: those of the first external tensor whose data a loader
/// needs.
fn first_external<'a>(tensors: impl Iterator<Item = PlacedTensor<'a>>) -> Option<(LoadPlace, &'static str)> {
    let externals = tensors.filter_map(|(place, _, tensor)| {
        let is_external = context::is_external(tensor.extra_tensor_info().ok()??);
        let is_mutable = matches!(tensor.allocation_info(), Ok(Some(_)));
        let found = if is_mutable { (place, MUTABLE) } else { (LoadPlace(place.0, Part::ExternalConstants, 0), "") };
        is_external.then_some(found)
    });
    externals.min()
}

/// Returns the key [`INLINE_CONSTANTS`], or `None` if no constant is in the FlatBuffer. A constant segment with a
/// single offset is empty, so the first tensor with a constant, which is at `constant`, uses `constant_buffer`.
fn inline_constants<'a>(
    program: &Pte<'a>,
    constant: Option<LoadPlace>,
    mut tensors: impl Iterator<Item = PlacedTensor<'a>>,
) -> Option<(LoadPlace, FileKey)> {
    let offsets = match program.program().constant_segment() {
        Ok(Some(segment)) => segment.offsets().ok()?.map_or(0, Vector::len),
        found => found.ok().map(|_| 0)?,
    };
    let (place, field) = match offsets {
        0 => match tensors.find(|(.., tensor)| has_larger_buffer(*tensor, program) == Some(true)) {
            Some((place, ..)) => (place, "buffer larger than its tensor"),
            None => (LoadPlace(0, Part::Constants, 0), ""),
        },
        1 => (constant?, "constant_segment with one offset"),
        _ => return None,
    };
    Some((place, FileKey { subject: INLINE_CONSTANTS, field: field.to_owned() }))
}

/// Returns whether the constant segment has offsets for constants, but no bytes.
fn has_empty_segment(program: &Pte<'_>) -> Option<bool> {
    let constants = program.program().constant_segment().ok()??;
    let index = usize::try_from(constants.segment_index().ok()?).ok()?;
    let segment = program.program().segments().ok()??.get(index)?.ok()?;
    Some(constants.offsets().ok()??.len() > 1 && segment.size().ok()? == 0)
}

/// Returns whether a tensor's `constant_buffer` entry is larger than the tensor. Some releases refuse such an entry.
fn has_larger_buffer(tensor: Tensor<'_>, program: &Pte<'_>) -> Option<bool> {
    let index = Some(tensor).filter(|tensor| is_constant(*tensor))?.data_buffer_idx().ok()?;
    let buffer = program.program().constant_buffer().ok()??.get(usize::try_from(index).ok()?)?.ok()?;
    let size = nbytes(tensor.scalar_type().ok()?, tensor.sizes().ok()??).ok()?;
    Some(buffer.storage().ok()??.len() as u64 > size)
}

/// Returns whether a tensor's initial value is copied into an empty planned buffer, which has no memory.
fn has_empty_buffer(plan: ExecutionPlan<'_>, tensor: Tensor<'_>, has_data: bool) -> Option<bool> {
    let is_external = tensor.extra_tensor_info().ok()?.is_some_and(context::is_external);
    let has_value = if is_external { has_data } else { tensor.data_buffer_idx().ok()? > 0 };
    let buffer = tensor.allocation_info().ok()?.filter(|_| has_value)?.memory_id().ok()?;
    Some(plan.non_const_buffer_sizes().ok()??.get(usize::try_from(buffer).ok()?)? == 0)
}

fn without_indices(path: &str) -> String {
    let mut field = String::new();
    for (number, part) in path.split('[').enumerate() {
        field += if number == 0 { part } else { part.split_once(']').map_or(part, |(_, rest)| rest) };
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_indices_from_paths() {
        assert_eq!(without_indices("execution_plan[0].values[12].val.sizes[1]"), "execution_plan.values.val.sizes");
        assert_eq!(without_indices(""), "");
    }

    #[test]
    fn a_key_depends_on_the_data_files() {
        let program = crate::corpus::find("pte/valid/external-mutable").unwrap().build().bytes;
        let report = crate::check(&program);
        let subjects = |data: &[FileKind]| {
            let file_bytes = FileBytes::whole(&program);
            let file = LoadedFile { file_bytes, role: Role::Program, report: &report, data };
            file.keys().into_iter().map(|key| key.subject).collect::<Vec<_>>()
        };
        assert_eq!(subjects(&[]), [WITHOUT_DATA]);
        assert_eq!(subjects(&[FileKind::PtdLegacy]), [LEGACY_LAYOUT]);
        assert_eq!(subjects(&[FileKind::Ptd]), [""; 0]);
    }

    #[test]
    fn orders_findings_as_a_loader_does() {
        let bytes = crate::corpus::find("pte/instructions/kernel-args-absent").map(|case| case.build().bytes);
        let mut finding = crate::check(&bytes.unwrap()).findings.remove(0);
        let paths = [
            "named_data",
            "constant_segment.segment_index",
            "constant_segment.offsets[1]",
            "execution_plan[0].values[3].val",
            "execution_plan[0].delegates[0]",
            "execution_plan[0].chains[0]",
            "execution_plan[1].inputs",
            "execution_plan[1].non_const_buffer_device[0]",
            "execution_plan[1].values[0].val",
            "execution_plan[1].values[2].val",
        ];
        let places = paths.map(|path| {
            path.clone_into(&mut finding.path);
            LoadPlace::of(&finding, None)
        });
        assert!(places.is_sorted_by(|one, other| one < other), "{places:?}");
    }
}
