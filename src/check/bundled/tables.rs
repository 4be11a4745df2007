//! Checks a bundled program's tables one by one during the verification pass.

use crate::bundled::schema::ValueUnion;
use crate::bundled::schema::brief::{BundledMethodTestCase, BundledMethodTestSuite, BundledProgram, Tensor, Value};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path, VisitedTable};
use crate::rules::{RuleKey, bundled as rules, flatbuffer};

use super::super::finding::Reporter;
use super::super::layout::{self, StoredLayout};
use super::super::structure::Tables;

pub(in crate::check) const PROGRAM: &str = "program";

/// The alignment that the schema requires for the inner program. Bundled tensors need less.
const PROGRAM_ALIGNMENT: usize = 32;

/// The checks of a bundled program that need only one table at a time. Later checks compare the test cases with the
/// program.
pub(super) struct BundledTables;

impl<'a> Tables<'a> for BundledTables {
    fn alignment_rule(align: usize) -> RuleKey {
        if align == PROGRAM_ALIGNMENT { rules::BP_PROGRAM_ALIGNED.key() } else { flatbuffer::FB_FORCE_ALIGN.key() }
    }

    fn table(&mut self, id: u8, table: &VisitedTable<'_, 'a>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
        let table = table.table();
        match id {
            Tensor::ID => tensor(Tensor::from_table(table), path, reporter),
            Value::ID => value(Value::from_table(table), path, reporter),
            BundledMethodTestCase::ID => {
                let case = BundledMethodTestCase::from_table(table);
                reporter.require(&rules::BP_SUITES, "inputs", &case.inputs(), table, path)?;
                reporter.require(&rules::BP_SUITES, "expected_outputs", &case.expected_outputs(), table, path)
            }
            BundledMethodTestSuite::ID => {
                let suite = BundledMethodTestSuite::from_table(table);
                reporter.require(&rules::BP_SUITES, "method_name", &suite.method_name(), table, path)?;
                reporter.require(&rules::BP_SUITES, "test_cases", &suite.test_cases(), table, path)
            }
            BundledProgram::ID => {
                let root = BundledProgram::from_table(table);
                reporter.require(&rules::BP_SUITES, "method_test_suites", &root.method_test_suites(), table, path)?;
                reporter.require(&rules::BP_PROGRAM, PROGRAM, &root.program(), table, path)
            }
            _ => Ok(()),
        }
    }
}

fn value(value: Value<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    let Ok(ty) = value.val_type() else { return Ok(()) };
    let known = match ty {
        // The verification pass reports a union that has a value but no type.
        ValueUnion(0) => value.table().field(1).is_some(),
        ty => ty.name().is_some(),
    };
    if known {
        return Ok(());
    }
    let message = format_args!("value type is {}, expected Tensor, Int, Bool or Double", ty.0);
    reporter.report(&rules::BP_VALUE_TYPE, &path.field("val_type"), value.place("val_type"), message)
}

fn tensor(tensor: Tensor<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    let (Ok(scalar_type), Ok(sizes), Ok(dim_order)) = (tensor.scalar_type(), tensor.sizes(), tensor.dim_order()) else {
        return Ok(());
    };
    let found = StoredLayout {
        table: tensor.table(),
        scalar_type,
        scalar_slot: 0,
        sizes: sizes.into(),
        dim_order: dim_order.into(),
    };
    let wanted = layout::check(&layout::BUNDLED, &found, path, reporter)?.bytes;
    match (tensor.data(), wanted) {
        (Ok(None), _) => reporter.absent(&rules::BP_TENSOR_DATA, "data", tensor.table(), path),
        (Ok(Some(data)), Some(wanted)) if (data.len() as u64) < wanted => {
            let message =
                format_args!("data has {} bytes, expected {wanted} for the scalar type and sizes", data.len());
            reporter.report(&rules::BP_TENSOR_DATA, &path.field("data"), data.count_span(), message)
        }
        _ => Ok(()),
    }
}
