//! **The names of external tensors**, whose data is in a data file.

use torchproof::pte::{Method, Pte};

use crate::ModelFile;
use crate::needs::external_key;

const NAMED: usize = 3;

pub(super) fn names(file: &ModelFile<'_>) -> Vec<String> {
    let Ok(program) = Pte::open_file_bytes(file.file_bytes()) else { return Vec::new() };
    let tensors = program.methods().flatten().flat_map(Method::tensors).flatten();
    let mut names = Vec::new();
    for name in tensors.filter_map(|(_, tensor)| external_key(tensor)) {
        let name = String::from_utf8_lossy(name).into_owned();
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() == NAMED {
            break;
        }
    }
    names
}
