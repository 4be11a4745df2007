//! The properties of a file on which a prediction depends.

use torchproof::FileKind;
use torchproof::bundled::Bundled;
use torchproof::check::Report;
use torchproof::corpus::Role;
use torchproof::flatbuffer::Vector;
use torchproof::ptd::FlatTensorHeader;
use torchproof::pte::schema::{EValue, KernelTypesValue};
use torchproof::pte::{ExtendedHeader, Pte};
use torchproof::rules::{self, Strength};

/// A property of the file: a broken rule with the field that breaks the rule, or another property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileKey {
    /// The id of the rule, or one of the property constants below, such as `LEGACY_LAYOUT`.
    pub subject: &'static str,
    /// The path of the field, without indices. Parentheses after the path contain the context of the field, if the loader makes
    /// a different check in this context. For example, a loader reports the shape of an input earlier than other shapes.
    pub field: String,
}

/// The property of programs whose constants are inside the FlatBuffer. Builds without support for `constant_buffer` refuse such
/// programs.
const INLINE_CONSTANTS: &str = "(constants in the FlatBuffer)";

/// The property of programs with external tensors that are loaded without a data file.
const WITHOUT_DATA: &str = "(external tensors without data file)";

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

    /// Returns the wildcard field, which stands for all fields of the same file that have no line of their own in the table.
    #[must_use]
    pub fn any_field(&self) -> String {
        let of = |prefix: &&&str| self.field.starts_with(**prefix);
        [DATA_FILE, BUNDLED_PROGRAM].iter().find(of).map_or_else(|| "*".to_owned(), |prefix| format!("{prefix}*"))
    }

    /// Returns whether the loader's behaviour is undefined unless the loader checks this key.
    #[must_use]
    pub fn is_must(&self) -> bool {
        rules::get(self.subject).map_or(self.subject == LEGACY_LAYOUT, |rule| rule.strength == Strength::Must)
    }
}

/// Returns the keys of a file in the order of the findings. `bytes` is the file; for a large file, its beginning is enough.
///
/// `role` is the role in which the loader receives the file. The checker cannot derive the role of a file with a wrong identifier.
#[must_use]
pub fn keys(bytes: &[u8], role: Role, report: &Report) -> Vec<FileKey> {
    let mut all = Vec::new();
    let inner = if role == Role::Bundled {
        Bundled::open(bytes).ok().and_then(|file| file.program_bytes().ok()).unwrap_or_default()
    } else {
        bytes
    };
    let program = Pte::open(inner).ok();
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
        let key = FileKey { subject: finding.rule.id, field };
        if !all.contains(&key) {
            all.push(key);
        }
    }
    if report.unresolved > 0 && report.rejected_companion.is_none() {
        all.push(FileKey::property(WITHOUT_DATA));
    }
    if report.kind == FileKind::PtdLegacy {
        all.push(FileKey::property(LEGACY_LAYOUT));
    }
    if program.is_some_and(|program| has_inline_constants(&program)) {
        all.push(FileKey::property(INLINE_CONSTANTS));
    }
    all
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
        // `Pte::open` fails for a program with a wrong header, so this branch does not use `program`.
        Some(("header", _)) => match ExtendedHeader::find(bytes) {
            Ok(Some(header)) if header.segment_base_offset == 0 => Some("no segments"),
            _ => None,
        },
        // Loaders read an empty constant segment only for tensors that use constants.
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

/// Returns `input` or `output` if the value at `path` is one, otherwise `None`. A loader reports the defects of inputs,
/// outputs and named tensors before other defects.
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

/// Splits `execution_plan[3].values` into 3 and `.values` for the prefix `execution_plan[`.
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
}
