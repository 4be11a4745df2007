//! **The names of external tensors**, whose data is in a data file.

use torchproof::pte::schema::{Tensor, TensorDataLocation};
use torchproof::pte::{Method, Pte};

use crate::ModelFile;

const NAMED: usize = 3;

pub(super) fn names(file: &ModelFile<'_>) -> Vec<String> {
    let Ok(program) = Pte::open_file_bytes(file.file_bytes()) else { return Vec::new() };
    let tensors = program.methods().flatten().flat_map(Method::tensors).flatten();
    let mut names = Vec::new();
    for name in tensors.filter_map(|(_, tensor)| name_of(tensor)) {
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() == NAMED {
            break;
        }
    }
    names
}

fn name_of(tensor: Tensor<'_>) -> Option<String> {
    let extra = tensor.extra_tensor_info().ok()??;
    let name = extra.fully_qualified_name().ok()??;
    (extra.location() == Ok(TensorDataLocation::EXTERNAL))
        .then(|| String::from_utf8_lossy(name.as_bytes()).into_owned())
}
