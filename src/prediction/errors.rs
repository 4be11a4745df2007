//! The runtime's error codes, with their causes.
//!
//! `errors.tsv` is the source: what each code means, what can cause it, how to tell the causes apart, and what to do.

use alloc::vec::Vec;
use std::sync::LazyLock;

use serde::Serialize;

use super::context;
use super::keys::INLINE_CONSTANTS;
use super::{EffectTable, LoadedFile, Requirements, RuntimeEffect};
use crate::pte::schema::Tensor;
use crate::{FileKind, Stage};

/// An error code of ExecuTorch's `runtime/core/error.h`.
///
/// ```
/// use torchproof::prediction::RuntimeError;
///
/// let error = RuntimeError::find("OperatorMissing").unwrap();
/// assert_eq!((error.code, error.name), (0x14, "OperatorMissing"));
/// assert_eq!(RuntimeError::find("0x14"), Some(error));
/// ```
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuntimeError {
    /// The number.
    pub code: u8,
    /// The name, such as `OperatorMissing`.
    pub name: &'static str,
    /// What the code means.
    pub meaning: &'static str,
    /// What can cause it, the most likely first.
    #[serde(skip)]
    pub causes: Vec<ErrorCause>,
}

/// A cause of an error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorCause {
    /// The stage at which the error comes up.
    pub stage: Stage,
    /// The cause.
    pub description: &'static str,
    /// How to recognize the cause.
    pub sign: &'static str,
    /// What to do about it.
    pub cure: &'static str,
    /// What a file must have for this cause to apply, as `errors.tsv` names it.
    #[serde(skip)]
    needs: &'static str,
}

static ERRORS: LazyLock<Vec<RuntimeError>> =
    LazyLock::new(|| parse(include_str!("errors.tsv")).expect("a test reads the built-in table"));

fn parse(text: &'static str) -> Option<Vec<RuntimeError>> {
    let mut errors: Vec<RuntimeError> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["", stage, needs, description, sign, cure] => {
                let stage = Stage::ALL.into_iter().find(|known| known.name() == stage)?;
                errors.last_mut()?.causes.push(ErrorCause { stage, description, sign, cure, needs });
            }
            [code, name, meaning] => {
                let code = u8::from_str_radix(code.strip_prefix("0x")?, 16).ok()?;
                errors.push(RuntimeError { code, name, meaning, causes: Vec::new() });
            }
            _ => return None,
        }
    }
    Some(errors)
}

/// Returns the name of an error code.
pub(super) fn error_name(code: u8) -> &'static str {
    RuntimeError::all().iter().find(|error| error.code == code).map_or("unknown error", |error| error.name)
}

impl RuntimeError {
    /// Returns all known error codes in ascending order.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &ERRORS
    }

    /// Returns the error that a text names: `0x14`, `20` (decimal) or `OperatorMissing`, ignoring case.
    #[must_use]
    pub fn find(text: &str) -> Option<&'static Self> {
        let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let code = match hexadecimal {
            Some(digits) => u8::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let name = text.rsplit("::").next().unwrap_or(text);
        Self::all().iter().find(|error| Some(error.code) == code || error.name.eq_ignore_ascii_case(name))
    }

    /// Returns the ids of the rules that, if a file breaks them, make a known release return this error.
    #[must_use]
    pub fn rules(&self) -> Vec<&'static str> {
        let effects = EffectTable::get().columns.iter().flat_map(|column| &column.effects);
        let returns = |effect: &RuntimeEffect| matches!(effect, RuntimeEffect::Refuses(_, code) if *code == self.code);
        let ids =
            effects.filter(|(_, effect)| returns(effect)).filter_map(|((subject, _), _)| crate::rules::get(subject));
        let mut ids: Vec<_> = ids.map(|rule| rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Returns the causes that apply to a file.
    pub fn causes_of(&self, file: &LoadedFile<'_>) -> impl Iterator<Item = &ErrorCause> {
        let facts = FileFacts::of(file);
        self.causes.iter().filter(move |cause| facts.have(cause.needs))
    }
}

/// The name prefixes of the operators that come with the runtime.
const OWN: [&str; 3] = ["aten::", "executorch_prim::", "dim_order_ops::"];

/// Facts about a file that decide which causes apply to it.
struct FileFacts {
    needed: Requirements,
    is_program: bool,
    has_inputs: bool,
    has_planned: bool,
    has_state: bool,
    has_external_state: bool,
    has_custom: bool,
    has_data: bool,
    has_inline_constants: bool,
    is_unbound: bool,
    is_damaged: bool,
    kind: FileKind,
}

impl FileFacts {
    fn of(file: &LoadedFile<'_>) -> Self {
        let program = file.program();
        let methods = || program.iter().flat_map(|program| program.methods().flatten());
        let tensors = || methods().flat_map(|method| method.tensors().flatten());
        let is_external =
            |tensor: Tensor<'_>| tensor.extra_tensor_info().ok().flatten().is_some_and(context::is_external);
        let planned = |tensor: &Tensor<'_>| matches!(tensor.allocation_info(), Ok(Some(_)));
        let needed = file.requirements();
        Self {
            is_program: program.is_some(),
            has_inputs: methods().any(|method| method.inputs().next().is_some()),
            has_planned: tensors().any(|(_, tensor)| planned(&tensor)),
            has_state: tensors().any(|(_, tensor)| planned(&tensor) && tensor.data_buffer_idx().is_ok_and(|at| at > 0)),
            has_external_state: tensors().any(|(_, tensor)| planned(&tensor) && is_external(tensor)),
            has_custom: needed.operators.iter().any(|name| !OWN.iter().any(|own| name.starts_with(own))),
            has_data: file.report.unresolved > 0 || file.report.unresolved_keys > 0 || !file.data.is_empty(),
            has_inline_constants: file.keys().iter().any(|key| key.subject == INLINE_CONSTANTS),
            is_unbound: file.report.findings.iter().any(|finding| finding.rule.id == "t-dynamic-unbound"),
            is_damaged: file.report.must > 0,
            kind: file.report.kind,
            needed,
        }
    }

    fn have(&self, needed: &str) -> bool {
        match needed {
            "operators" => !self.needed.operators.is_empty(),
            "delegates" => !self.needed.backends.is_empty(),
            "xnnpack" => self.needed.backends.contains("XnnpackBackend"),
            "device" => !self.needed.devices.is_empty(),
            "inputs" => self.has_inputs,
            "planned" => self.has_planned,
            "state" => self.has_state,
            "data" => self.has_data || matches!(self.kind, FileKind::Ptd | FileKind::PtdLegacy),
            "external-state" => self.has_external_state,
            "custom" => self.has_custom,
            "damaged" => self.is_damaged,
            "inline" => self.has_inline_constants,
            "unbound" => self.is_unbound,
            "bundled" => self.kind == FileKind::Bpte,
            "other" => !self.is_program,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_number_is_decimal_unless_it_begins_with_0x() {
        for (text, code) in [("0x14", 0x14), ("20", 0x14), ("0x20", 0x20), ("32", 0x20), ("error::notfound", 0x20)] {
            assert_eq!(RuntimeError::find(text).map(|error| error.code), Some(code), "{text}");
        }
        for text in ["", "0x", "0x99", "256", "Ok", "-1"] {
            assert_eq!(RuntimeError::find(text), None, "{text}");
        }
    }

    #[test]
    fn every_code_of_the_table_of_effects_has_a_name_and_a_cause() {
        let effects = EffectTable::get().columns.iter().flat_map(|column| column.effects.values());
        let returned = effects.filter_map(|effect| match effect {
            RuntimeEffect::Refuses(_, code) => Some(*code),
            _ => None,
        });
        let known: BTreeSet<u8> = RuntimeError::all().iter().map(|error| error.code).collect();
        assert!(returned.collect::<BTreeSet<u8>>().is_subset(&known));
        for error in RuntimeError::all() {
            assert!(!error.causes.is_empty() && error.causes.iter().all(|cause| !cause.cure.is_empty()), "{error:?}");
        }
    }

    #[test]
    fn a_file_has_only_the_causes_that_it_needs() {
        let causes = |case: &str, code| {
            let bytes = crate::corpus::find(case).unwrap().build().bytes;
            let report = crate::check(&bytes);
            let file_bytes = crate::FileBytes::whole(&bytes);
            let file = LoadedFile { file_bytes, role: crate::Role::Program, report: &report, data: &[] };
            RuntimeError::find(code).unwrap().causes_of(&file).map(|cause| cause.needs).collect::<Vec<_>>()
        };
        assert_eq!(causes("pte/valid/constants", "0x24"), [""; 0]);
        assert_eq!(causes("pte/valid/external-mutable", "0x24"), ["data", "external-state", "data"]);
        assert!(causes("pte/delegates/xnnpack-graph-next-version", "0x30").contains(&"xnnpack"));
        assert!(!causes("pte/valid/constants", "0x14").contains(&"delegates"));
    }
}
