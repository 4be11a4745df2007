//! The properties of a file on which a prediction depends.

use torchproof::FileKind;
use torchproof::bundled::Bundled;
use torchproof::check::Report;
use torchproof::corpus::Role;
use torchproof::flatbuffer::Vector;
use torchproof::ptd::FlatTensorHeader;
use torchproof::pte::schema::{EValue, KernelTypesValue, TensorDataLocation};
use torchproof::pte::{ExtendedHeader, Pte};
use torchproof::rules::{self, Strength};

/// A key of a file: either a broken rule together with the field that breaks the rule, or another property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileKey {
    /// The id of the rule, or one of the property constants below, such as `LEGACY_LAYOUT`.
    pub subject: &'static str,
    /// The path of the field, without indices. If a loader makes a different check of the field in some context, the context
    /// follows the path in parentheses. For example, a loader reports the shape of an input earlier than other shapes.
    pub field: String,
}

/// The property of programs whose constants are inside the FlatBuffer. Builds without support for `constant_buffer` refuse such
/// programs.
const INLINE_CONSTANTS: &str = "(constants in the FlatBuffer)";

/// The property of programs with external tensors that are loaded without a data file.
const WITHOUT_DATA: &str = "(external tensors without data file)";

/// The field of a key with the property [`WITHOUT_DATA`] if the first external tensor is mutable.
const MUTABLE: &str = "mutable tensor";

/// The property of data files in the legacy layout.
const LEGACY_LAYOUT: &str = "(legacy layout)";

/// The prefix that marks a field path as a path in a data file.
pub(super) const DATA_FILE: &str = "data file: ";

/// The prefix that marks a field path as a path in a bundled program, outside the inner program.
pub(super) const BUNDLED_PROGRAM: &str = "bundled program: ";

impl FileKey {
    fn property(subject: &'static str) -> Self {
        Self { subject, field: String::new() }
    }

    /// Returns the wildcard field. The wildcard stands for every field of the file that has no line of its own in the table.
    #[must_use]
    pub fn any_field(&self) -> String {
        let of = |prefix: &&&str| self.field.starts_with(**prefix);
        [DATA_FILE, BUNDLED_PROGRAM].iter().find(of).map_or_else(|| "*".to_owned(), |prefix| format!("{prefix}*"))
    }

    /// Returns whether the key is a broken must-rule. If a loader does not check such a key, the behaviour of the
    /// loader is undefined.
    #[must_use]
    pub fn is_must(&self) -> bool {
        rules::get(self.subject).map_or(self.subject == LEGACY_LAYOUT, |rule| rule.strength == Strength::Must)
    }
}

/// Returns the keys of a file. The slice `bytes` contains the file; for a large file, the beginning is enough.
///
/// The keys are in the order of the findings, which is the order in which a loader reads the fields.
///
/// The flag `has_data` states whether the loader also receives data files. The parameter `role` gives the role in which the
/// loader receives the file. The checker cannot derive the role if the file has a wrong identifier.
#[must_use]
pub fn keys(bytes: &[u8], role: Role, report: &Report, has_data: bool) -> Vec<FileKey> {
    let mut all = Vec::new();
    let inner = if role == Role::Bundled {
        Bundled::open(bytes).ok().and_then(|file| file.program_bytes().ok()).unwrap_or_default()
    } else {
        bytes
    };
    let program = Pte::open(inner).ok();
    // The checker does not resolve the tensors of a rejected program, even if there are data files.
    let unresolved = report.unresolved > 0 && !has_data;
    let external = program.filter(|_| unresolved).and_then(|program| first_external(&program));
    let mut before_data = None;
    for finding in &report.findings {
        let role = if finding.companion.is_some() { Role::Data } else { role };
        let field = match role {
            Role::Data => {
                let context = if finding.companion.is_none() { data_file_context(&finding.path, bytes) } else { "" };
                format!("{DATA_FILE}{}{context}", without_indices(&finding.path))
            }
            Role::Bundled => match finding.path.strip_prefix("program.") {
                Some(path) => field_of(path, inner, program.as_ref()),
                None => format!("{BUNDLED_PROGRAM}{}", without_indices(&finding.path)),
            },
            Role::Program => field_of(&finding.path, inner, program.as_ref()),
        };
        if external.is_some_and(|external| external.is_before(&finding.path)) {
            before_data.get_or_insert(all.len());
        }
        let key = FileKey { subject: finding.rule.id, field };
        if !all.contains(&key) {
            all.push(key);
        }
    }
    if unresolved {
        let field = if external.is_some_and(External::is_mutable) { MUTABLE } else { "" };
        let key = FileKey { subject: WITHOUT_DATA, field: field.to_owned() };
        all.insert(before_data.unwrap_or(all.len()), key);
    }
    if report.kind == FileKind::PtdLegacy {
        all.push(FileKey::property(LEGACY_LAYOUT));
    }
    if program.is_some_and(|program| has_inline_constants(&program)) {
        all.push(FileKey::property(INLINE_CONSTANTS));
    }
    all
}

/// The first external tensor whose data a loader needs.
///
/// A loader first loads the data of all external constants of a method, and then reads the method's values. The data of a mutable
/// tensor is loaded together with the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct External {
    plan: usize,
    /// The index of a mutable tensor; `None` for constants.
    mutable: Option<usize>,
}

impl External {
    const fn is_mutable(self) -> bool {
        self.mutable.is_some()
    }

    /// Returns whether a loader reads the data of the external tensor before the field at `path`.
    ///
    /// A loader reads the values of a method in their order, then the delegates, then the chains. The loader reads the constant
    /// segment when it reaches the first tensor whose data is in this segment.
    fn is_before(self, path: &str) -> bool {
        let Some((plan, rest)) = index_after(path, "execution_plan[") else {
            return !self.is_mutable() && path.starts_with("constant_segment.offsets");
        };
        match index_after(rest, ".values[") {
            Some((value, _)) => (plan, Some(value)) > (self.plan, self.mutable),
            None => {
                plan > self.plan
                    || plan == self.plan && [".delegates", ".chains"].iter().any(|list| rest.starts_with(list))
            }
        }
    }
}

/// Returns the first external tensor of a program.
fn first_external(program: &Pte<'_>) -> Option<External> {
    let is_mutable = |value: EValue<'_>| match value.val() {
        Ok(Some(KernelTypesValue::Tensor(tensor))) => {
            let extra = tensor.extra_tensor_info().ok()??;
            let external = extra.location() == Ok(TensorDataLocation::EXTERNAL);
            external.then(|| matches!(tensor.allocation_info(), Ok(Some(_))))
        }
        _ => None,
    };
    let plans = program.program().execution_plan().ok()??;
    let externals = plans.iter().enumerate().flat_map(|(plan, found)| {
        let values = found.ok().and_then(|found| found.values().ok()?);
        values.into_iter().flat_map(Vector::iter).enumerate().filter_map(move |(value, found)| {
            let mutable = is_mutable(found.ok()?)?.then_some(value);
            Some(External { plan, mutable })
        })
    });
    externals.min()
}

/// Returns whether the program has no constant segment with offsets.
fn has_inline_constants(program: &Pte<'_>) -> bool {
    match program.program().constant_segment() {
        Ok(None) => true,
        Ok(Some(segment)) => segment.offsets().is_ok_and(|offsets| offsets.is_none_or(Vector::is_empty)),
        Err(_) => false,
    }
}

/// Returns the path without indices, with the context of the field in parentheses.
fn field_of(path: &str, bytes: &[u8], program: Option<&Pte<'_>>) -> String {
    let mut field = without_indices(path);
    let context = match path.split_once('.') {
        // This branch does not use `program`, because `Pte::open` fails for a program with a wrong header.
        Some(("header", _)) => match ExtendedHeader::find(bytes) {
            Ok(Some(header)) if header.segment_base_offset == 0 => Some("no segments"),
            _ => None,
        },
        // If the constant segment is empty, a loader reads the segment only for tensors that use constants.
        Some(("constant_segment", _)) => program.filter(|program| uses_constants(program)).map(|_| "constants in use"),
        _ => value_context(path, program),
    };
    if let Some(context) = context {
        field += &format!(" ({context})");
    }
    field
}

/// Returns the context of a field in a data file's header. The sum of the segment base and the segment size can wrap. A wrapped sum
/// passes the loader's comparison with the size of the file, so the loader fails later.
fn data_file_context(path: &str, bytes: &[u8]) -> &'static str {
    let wraps = |header: FlatTensorHeader| header.segment_base_offset.checked_add(header.segment_data_size).is_none();
    match FlatTensorHeader::find(bytes) {
        Ok(header) if path.starts_with("header.") && wraps(header) => " (the sum wraps)",
        _ => "",
    }
}

/// Returns whether a method has a tensor whose data is a constant.
fn uses_constants(program: &Pte<'_>) -> bool {
    let plans = program.program().execution_plan().ok().flatten();
    let values = plans.into_iter().flat_map(Vector::iter).filter_map(|plan| plan.ok()?.values().ok()?);
    values.flat_map(Vector::iter).any(|value| match value.and_then(EValue::val) {
        Ok(Some(KernelTypesValue::Tensor(tensor))) => {
            tensor.data_buffer_idx().is_ok_and(|index| index > 0) && matches!(tensor.allocation_info(), Ok(None))
        }
        _ => false,
    })
}

/// Returns `input` or `output` if the value at `path` is an input or an output of its method, otherwise `None`. A
/// loader reports the defects of inputs, outputs and named tensors before other defects.
fn value_context(path: &str, program: Option<&Pte<'_>>) -> Option<&'static str> {
    let (plan, rest) = index_after(path, "execution_plan[")?;
    let (value, _) = index_after(rest, ".values[")?;
    let plan = program?.program().execution_plan().ok()??.get(plan)?.ok()?;
    let uses = |list: Option<Vector<'_, i32>>| {
        list.is_some_and(|list| list.iter().any(|index| usize::try_from(index) == Ok(value)))
    };
    if uses(plan.inputs().ok()?) {
        Some("input")
    } else if uses(plan.outputs().ok()?) {
        Some("output")
    } else {
        None
    }
}

/// For the prefix `execution_plan[`, splits `execution_plan[3].values` into the index 3 and the rest `.values`.
fn index_after<'p>(path: &'p str, prefix: &str) -> Option<(usize, &'p str)> {
    let (index, rest) = path.strip_prefix(prefix)?.split_once(']')?;
    Some((index.parse().ok()?, rest))
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
    fn orders_external_tensors_and_other_fields_as_a_loader_does() {
        let constants = External { plan: 1, mutable: None };
        let mutable = External { plan: 1, mutable: Some(2) };
        assert!(constants < mutable && mutable < External { plan: 2, mutable: None });
        for (path, after_constants, after_mutable) in [
            ("execution_plan[0].chains[0]", false, false),
            ("execution_plan[1].inputs", false, false),
            ("execution_plan[1].values[0].val", true, false),
            ("execution_plan[1].values[3].val", true, true),
            ("execution_plan[1].delegates[0]", true, true),
            ("execution_plan[2].inputs", true, true),
            ("constant_segment.offsets[1]", true, false),
            ("segments[0].offset", false, false),
        ] {
            let found = [constants, mutable].map(|external| external.is_before(path));
            assert_eq!(found, [after_constants, after_mutable], "{path}");
        }
    }
}
