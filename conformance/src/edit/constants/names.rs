//! The keys that constants have in a data file.

use std::collections::{BTreeMap, BTreeSet};

use torchproof::flatbuffer::tree::{TableTree, Value};

use super::tensors::{is_external, key_of, plan_of, tensors};
use crate::edit::references::tables;

/// Keys of constants without a name of their own begin with this, and no tensor keeps such a name.
const INVENTED: &[u8] = b"torchproof.constant.";

/// Whether a key was made up for a constant without a name.
pub(super) fn is_invented(key: &[u8]) -> bool {
    key.starts_with(INVENTED)
}

/// The keys that constants get.
pub(super) struct Names {
    /// Those that are something else.
    taken: BTreeSet<Vec<u8>>,
    /// Those that were given, by what was asked for.
    given: BTreeMap<Vec<u8>, Given>,
}

/// What one name was given for.
#[derive(Default)]
struct Given {
    /// The key of each tensor's bytes.
    keys: BTreeMap<Identity, Vec<u8>>,
    /// The number that the next key gets behind it.
    next: u64,
}

/// What two tensors under one key have in common: constant, length, and layout.
type Identity = (u32, u64, [Option<Vec<u8>>; 3]);

/// A constant's key.
pub(super) enum Name {
    /// It has an entry.
    Known(Vec<u8>),
    New(Vec<u8>),
}

impl Name {
    pub(super) fn bytes(&self) -> &[u8] {
        let (Name::Known(bytes) | Name::New(bytes)) = self;
        bytes
    }
}

impl Names {
    pub(super) fn of(root: &TableTree) -> Self {
        let named = tables(root, "named_data").iter().filter_map(|entry| entry.get("key")?.as_bytes());
        let paths = tensors(root);
        let external = paths.iter().filter_map(|path| key_of(root.at(path).filter(|tensor| is_external(tensor))?));
        Self { taken: named.chain(external).map(<[u8]>::to_vec).collect(), given: BTreeMap::new() }
    }

    /// The key of a tensor of constant `index` with `len` bytes.
    pub(super) fn name(&mut self, tensor: &TableTree, index: u32, len: u64) -> Name {
        let own = key_of(tensor).filter(|name| !name.is_empty());
        let invented = || [INVENTED, index.to_string().as_bytes()].concat();
        let first = own.map_or_else(invented, <[u8]>::to_vec);
        let bytes = |field: &str| tensor.get(field).and_then(Value::as_bytes).map(<[u8]>::to_vec);
        let scalar_type = tensor.get("scalar_type").and_then(Value::as_int).map(|value| value.to_le_bytes().to_vec());
        let identity = (index, len, [scalar_type, bytes("sizes"), bytes("dim_order")]);
        let given = self.given.entry(first.clone()).or_default();
        if let Some(known) = given.keys.get(&identity) {
            return Name::Known(known.clone());
        }
        let mut name = first.clone();
        loop {
            if given.next > 0 {
                name = [&first[..], format!(".{}", given.next).as_bytes()].concat();
            }
            given.next += 1;
            if self.taken.insert(name.clone()) {
                given.keys.insert(identity, name.clone());
                return Name::New(name);
            }
        }
    }
}

/// The names of the tensors that are not in data files, with where their methods are.
pub(super) fn inside_names(root: &TableTree) -> BTreeSet<(String, Vec<u8>)> {
    let named = tensors(root).into_iter().filter_map(|path| {
        let key = key_of(root.at(&path).filter(|tensor| !is_external(tensor))?)?;
        Some((plan_of(&path).to_owned(), key.to_vec()))
    });
    named.collect()
}
