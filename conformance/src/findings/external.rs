//! **The names of external tensors**, whose data is in a data file.

use torchproof::flatbuffer::Vector;
use torchproof::pte::Pte;
use torchproof::pte::schema::{EValue, KernelTypesValue, TensorDataLocation};

use crate::disk::input::Input;

/// The number of names that a message contains.
const NAMED: usize = 3;

/// Returns the first names of a program's external tensors, each name once.
pub(super) fn names(input: &Input) -> Vec<String> {
    let Ok(program) = Pte::open_image(input.image()) else { return Vec::new() };
    let plans = program.program().execution_plan().ok().flatten().into_iter().flat_map(Vector::iter);
    let values = plans.filter_map(|plan| plan.ok()?.values().ok()?).flat_map(Vector::iter);
    let mut names = Vec::new();
    for name in values.filter_map(|value| name_of(value.ok()?)) {
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() == NAMED {
            break;
        }
    }
    names
}

fn name_of(value: EValue<'_>) -> Option<String> {
    let Ok(Some(KernelTypesValue::Tensor(tensor))) = value.val() else { return None };
    let extra = tensor.extra_tensor_info().ok()??;
    let name = extra.fully_qualified_name().ok()??;
    (extra.location() == Ok(TensorDataLocation::EXTERNAL))
        .then(|| String::from_utf8_lossy(name.as_bytes()).into_owned())
}
