//! The properties of a file on which a prediction depends.

use torchproof::check::Report;
use torchproof::corpus::Role;
use torchproof::flatbuffer::Vector;
use torchproof::pte::Pte;
use torchproof::pte::schema::EValue;
use torchproof::rules::{self, Strength};
use torchproof::{FileKind, Image};

use super::context::{self, index_after, tensor_of, uses_constants};

/// A key of a file: either a broken rule together with the field that breaks the rule, or another property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileKey {
    /// The id of the rule, or one of the property constants below, such as `LEGACY_LAYOUT`.
    pub subject: &'static str,
    /// The path of the field, without indices. If a loader makes a different check of the field in some context, the context
    /// follows the path in parentheses. For example, a loader reports the shape of an input earlier than other shapes.
    pub field: String,
}

/// The property of bundled programs. The loader of programs refuses the file; an application passes the program inside the file.
const BUNDLED: &str = "(bundled program)";

/// The property of programs with a tensor whose sizes overflow when multiplied in order, but have a 0 later.
const OVERFLOW_BEFORE_0: &str = "(sizes overflow before a 0)";

/// The property of programs whose constants are inside the FlatBuffer. Builds without support for `constant_buffer` refuse such
/// programs.
const INLINE_CONSTANTS: &str = "(constants in the FlatBuffer)";

/// The property of programs with external tensors that are loaded without a data file.
const WITHOUT_DATA: &str = "(external tensors without data file)";

/// The field of a key with the property [`WITHOUT_DATA`] if the first external tensor is mutable.
const MUTABLE: &str = "mutable tensor";

/// The property of programs with XNNPACK constants whose data is in no file that the loader receives.
const XNNPACK_WITHOUT_DATA: &str = "(XNNPACK constants without data file)";

/// The subjects that a loader reads before all others of the same stage: the list of named data, the memory on devices, and the presence of
/// each value.
const FIRST: [&str; 3] = ["nd-segments-present", "plan-ncb-host", "val-nonnull"];

/// The property of data files in the legacy layout.
const LEGACY_LAYOUT: &str = "(legacy layout)";

/// The prefix that marks a field path as a path in a data file.
pub const DATA_FILE: &str = "data file: ";

/// The end of a wildcard that stands for fields with any context.
pub const ANY_CONTEXT: &str = " (in any context)";

impl FileKey {
    fn property(subject: &'static str) -> Self {
        Self { subject, field: String::new() }
    }

    /// Returns the wildcard fields. The first one stands for every field with the same context, and the second one stands for every field.
    /// A line of the table with a wildcard applies only to keys for which no earlier line does.
    #[must_use]
    pub fn wildcards(&self) -> [String; 2] {
        let prefix = if self.field.starts_with(DATA_FILE) { DATA_FILE } else { "" };
        let context = self.field.find(" (").and_then(|start| self.field.get(start..)).unwrap_or_default();
        [format!("{prefix}*{context}"), format!("{prefix}*{ANY_CONTEXT}")]
    }

    /// Returns whether the key is a broken must-rule. If a loader does not check such a key, the behaviour of the
    /// loader is undefined.
    #[must_use]
    pub fn is_must(&self) -> bool {
        rules::get(self.subject).map_or(self.subject == LEGACY_LAYOUT, |rule| rule.strength == Strength::Must)
    }
}

/// Returns the keys of a file. For a large file, the beginning of the image is enough.
///
/// The keys are in the order in which a loader reads the fields. With few exceptions, this is the order of the findings.
///
/// The flag `has_data` states whether the loader also receives data files. The parameter `role` gives the role in which the
/// loader receives the file. The checker cannot derive the role if the file has a wrong identifier.
#[must_use]
pub fn keys(image: Image<'_>, role: Role, report: &Report, has_data: bool) -> Vec<FileKey> {
    // A loader first reads 64 bytes.
    if image.len() < 64 {
        let field = if role == Role::Data { DATA_FILE } else { "" };
        return vec![FileKey { subject: "fb-file-min-64", field: field.to_owned() }];
    }
    if role == Role::Bundled {
        return vec![FileKey::property(BUNDLED)];
    }
    let program = Pte::open(image.bytes()).ok().filter(|_| role == Role::Program);
    // The checker does not resolve the tensors of a rejected program, even if there are data files.
    let unresolved = report.unresolved > 0 && !has_data;
    let external = program.filter(|_| unresolved).and_then(|program| first_external(&program));
    let mut all = Vec::new();
    let mut before_data = None;
    for finding in &report.findings {
        let in_data = role == Role::Data || finding.companion.is_some();
        let context = match (role, finding.companion) {
            (_, Some(_)) => None,
            (Role::Data, None) => context::of_data_file(finding, image.bytes()),
            (_, None) => context::of_program(finding, image, program.as_ref()),
        };
        if external.is_some_and(|external| external.is_before(&finding.path)) {
            before_data.get_or_insert(all.len());
        }
        let field = in_field(if in_data { DATA_FILE } else { "" }, &finding.path, context);
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
    if report.unresolved_keys > 0 && !has_data {
        all.push(FileKey::property(XNNPACK_WITHOUT_DATA));
    }
    if report.kind == FileKind::PtdLegacy {
        all.push(FileKey::property(LEGACY_LAYOUT));
    }
    if let Some(program) = &program {
        all.extend(overflows_before_0(program));
        all.extend(
            inline_constants(program).map(|field| FileKey { subject: INLINE_CONSTANTS, field: field.to_owned() }),
        );
    }
    all.sort_by_key(|key| !FIRST.contains(&key.subject));
    all
}

/// Returns a path without indices, with its context in parentheses.
fn in_field(prefix: &str, path: &str, context: Option<&str>) -> String {
    let context = context.map(|context| format!(" ({context})"));
    format!("{prefix}{}{}", without_indices(path), context.unwrap_or_default())
}

/// Returns the keys of the first tensors whose sizes overflow before a 0. The number of tensors is limited, because the search for the
/// context of a tensor reads whole lists.
fn overflows_before_0<'a>(program: &Pte<'a>) -> impl Iterator<Item = FileKey> + use<'a> {
    let plans = program.program().execution_plan().ok().flatten().into_iter().flat_map(Vector::iter).flatten();
    let tensors = plans.flat_map(|plan| {
        let values = plan.values().ok().flatten().into_iter().flat_map(Vector::iter).enumerate();
        values.filter_map(move |(index, value)| Some((plan, index, tensor_of(value.ok()?)?)))
    });
    let overflows = tensors.filter(|(.., tensor)| {
        let multiply = |product: i64, size: i32| product.checked_mul(size.into());
        let sizes = tensor.sizes().ok().flatten();
        sizes.is_some_and(|sizes| sizes.iter().try_fold(1, multiply).is_none() && sizes.iter().any(|size| size == 0))
    });
    overflows.take(16).map(|(plan, index, tensor)| {
        let field = in_field("", "execution_plan.values.val.sizes", context::use_of(plan, index, Some(tensor)));
        FileKey { subject: OVERFLOW_BEFORE_0, field }
    })
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
    let is_mutable = |value: EValue<'_>| {
        let tensor = tensor_of(value)?;
        let external = context::is_external(tensor.extra_tensor_info().ok()??);
        external.then(|| matches!(tensor.allocation_info(), Ok(Some(_))))
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

/// Returns the field of the key [`INLINE_CONSTANTS`], or `None` if no constant is in the FlatBuffer. A constant segment with a single
/// offset has no constants, so a tensor with a constant uses the list `constant_buffer`.
fn inline_constants(program: &Pte<'_>) -> Option<&'static str> {
    let offsets = match program.program().constant_segment() {
        Ok(Some(segment)) => segment.offsets().ok()?.map_or(0, Vector::len),
        found => found.ok().map(|_| 0)?,
    };
    match offsets {
        0 => Some(""),
        1 => uses_constants(program).then_some("constant_segment with one offset"),
        _ => None,
    }
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
