//! Where the bytes of a file are: parts that cover it, with their roles and users.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use torchproof::Span;

use super::columns::{Lists, Types, Words, index, item};

/// A part's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartRole {
    Header,
    Tables,
    Constant,
    State,
    NamedData,
    Delegate,
    TestData,
    Member,
    Padding,
    Unused,
    Unowned,
}

impl PartRole {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PartRole::Header => "header",
            PartRole::Tables => "tables",
            PartRole::Constant => "constant",
            PartRole::State => "state",
            PartRole::NamedData => "named-data",
            PartRole::Delegate => "delegate",
            PartRole::TestData => "test-data",
            PartRole::Member => "member",
            PartRole::Padding => "padding",
            PartRole::Unused => "unused",
            PartRole::Unowned => "unowned",
        }
    }

    /// Returns whether the part has weights or other content of the model.
    pub(super) const fn is_content(self) -> bool {
        use PartRole::{Constant, Delegate, Member, NamedData, State, TestData, Unused};
        matches!(self, Constant | State | NamedData | Delegate | TestData | Member | Unused)
    }
}

/// A part, while the file is being read.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) role: PartRole,
    pub(super) name: String,
    pub(super) index: i32,
    pub(super) tensor: i32,
    pub(super) methods: Vec<i32>,
    pub(super) backend: Option<String>,
    pub(super) span: Span,
    pub(super) uses: u32,
}

impl Part {
    pub(super) fn new(role: PartRole, span: Span) -> Self {
        let (name, backend) = (String::new(), None);
        Self { role, name, index: -1, tensor: -1, methods: Vec::new(), backend, span, uses: 0 }
    }
    pub(super) fn used_by(&mut self, method: i32) {
        self.uses = self.uses.saturating_add(1);
        if self.methods.last() != Some(&method) {
            self.methods.push(method);
        }
    }
}

/// A file's parts, while the file is being read. Parts with equal spans count as one part.
#[derive(Debug, Default)]
pub(super) struct PartList {
    pub(super) parts: Vec<Part>,
    by_span: HashMap<(u64, u64), usize>,
}

impl PartList {
    /// Returns the number of the part with this span, adding it if it is new.
    pub(super) fn add(&mut self, part: Part) -> usize {
        let key = (part.span.offset, part.span.len);
        *self.by_span.entry(key).or_insert_with(|| {
            self.parts.push(part);
            self.parts.len() - 1
        })
    }

    pub(super) fn find(&self, span: Span) -> Option<usize> {
        self.by_span.get(&(span.offset, span.len)).copied()
    }

    /// Sorts the parts and fills the gaps. Returns the parts, and the new number of each old part.
    ///
    /// `tables` are the regions of FlatBuffers. Other gaps are padding up to the last segment's end, `data_end`, then unowned.
    pub(super) fn cover(&mut self, tables: &[Span], data_end: u64, len: u64) -> (Vec<Part>, Vec<i32>) {
        let mut order: Vec<usize> = (0..self.parts.len()).collect();
        order.sort_by_key(|number| (self.parts[*number].span.offset, self.parts[*number].span.len));
        let mut numbers = vec![-1; self.parts.len()];
        let (mut all, mut at) = (Vec::new(), 0);
        let mut old: Vec<Option<Part>> = std::mem::take(&mut self.parts).into_iter().map(Some).collect();
        for number in order {
            let Some(part) = old[number].take() else { continue };
            fill(&mut all, at, part.span.offset.min(len), tables, PartRole::Padding);
            at = at.max(part.span.end());
            numbers[number] = index(all.len());
            all.push(part);
        }
        let end = tables.iter().map(|span| span.end()).max().unwrap_or(0).max(data_end).min(len);
        fill(&mut all, at, end, tables, PartRole::Padding);
        fill(&mut all, at.max(end), len, tables, PartRole::Unowned);
        (all, numbers)
    }
}

fn fill(all: &mut Vec<Part>, mut from: u64, to: u64, tables: &[Span], other: PartRole) {
    while from < to {
        let inside = tables.iter().find(|span| span.offset <= from && from < span.end());
        let (role, end) = match inside {
            Some(span) => (PartRole::Tables, span.end().min(to)),
            None => {
                let next = tables.iter().map(|span| span.offset).filter(|start| *start > from).min();
                (other, next.map_or(to, |next| next.min(to)))
            }
        };
        all.push(Part::new(role, Span::new(from, end - from)));
        from = end;
    }
}

/// A file's bytes.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BytesOutput {
    /// The file's size.
    pub total: u64,
    /// The number of elements in constants, state and tensors of named data. Each stored tensor counts once.
    pub parameters: u64,
    /// The size of the parts that nothing in the file uses.
    pub unused: u64,
    /// The parts in file order. If none overlap, they cover the file exactly once.
    pub parts: PartTable,
    /// The sizes by role, the largest first.
    pub by_role: Vec<ByteSum>,
    /// The sizes of constants, state and named data by element type, the largest first.
    pub by_dtype: Vec<ByteSum>,
    /// The sizes of delegates' blobs by backend, the largest first.
    pub by_backend: Vec<ByteSum>,
    /// The sizes of parts that only one method uses, by method; `shared` is the sum of the parts that several methods use.
    pub by_method: Vec<ByteSum>,
    /// The parts with equal bytes.
    pub equal: Vec<EqualParts>,
    /// `true` if some parts of equal sizes were not compared, because their bytes were not read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub equal_unknown: bool,
}

/// The parts of a file, one row each.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartTable {
    /// The role: `header`, `tables`, `constant`, `state`, `named-data`, `delegate`, `test-data`, `member`, `padding`, `unused` or
    /// `unowned`.
    pub role: Words,
    /// The key, the fully qualified name or another name; empty if the file has none.
    pub name: Vec<String>,
    /// The index in the list that the role names, or -1.
    pub index: Vec<i32>,
    /// The index into `tensor_types`, or -1.
    pub tensor: Vec<i32>,
    /// The indexes of the methods that use the part.
    pub methods: Lists,
    /// The backend of a delegate's blob.
    pub backend: Words,
    /// The offset in the file.
    pub offset: Vec<u64>,
    /// The size.
    pub bytes: Vec<u64>,
    /// The number of tensors or delegates that refer to the part.
    pub uses: Vec<u32>,
    /// The SHA-256 digest in hex, with `--digest`; empty for parts without content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub digest: Vec<String>,
}

/// A sum of sizes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByteSum {
    /// The role, type, backend or method.
    pub name: String,
    /// The number of parts.
    pub parts: u64,
    /// The size of the parts.
    pub bytes: u64,
}

/// Equal bytes that the file stores more than once.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EqualParts {
    /// The size of one copy.
    pub bytes: u64,
    /// The indexes of the parts.
    pub parts: Vec<i32>,
}

impl PartTable {
    #[must_use]
    pub fn rows(&self) -> usize {
        self.offset.len()
    }

    #[must_use]
    pub fn span(&self, row: usize) -> Span {
        Span::new(self.offset[row], self.bytes[row])
    }

    /// Returns the name, or text such as `constant 3`.
    #[must_use]
    pub fn label(&self, row: usize) -> String {
        let role = self.role.get(row).unwrap_or_default();
        match (self.name[row].as_str(), self.index[row]) {
            ("", -1) => role.to_owned(),
            ("", index) => format!("{role} {index}"),
            (name, _) => name.to_owned(),
        }
    }
}

impl BytesOutput {
    pub(super) fn of(parts: Vec<Part>, total: u64, types: &Types, methods: &[String]) -> Self {
        let mut output = Self { total, ..Self::default() };
        let [mut by_role, mut by_dtype, mut by_backend, mut by_method] = [const { Sums(BTreeMap::new()) }; 4];
        for part in parts {
            let (role, bytes) = (part.role, part.span.len);
            by_role.add(role.name(), bytes);
            if let Some(ty) = types.get(part.tensor).filter(|_| role != PartRole::Unused && role != PartRole::TestData)
            {
                by_dtype.add(&ty.dtype, bytes);
                output.parameters = output.parameters.saturating_add(ty.elements.unwrap_or(0));
            }
            if let Some(backend) = &part.backend {
                by_backend.add(backend, bytes);
            }
            match part.methods[..] {
                [] => {}
                [only] => by_method.add(name_of(methods, only), bytes),
                _ => by_method.add("shared", bytes),
            }
            output.unused = output.unused.saturating_add(if role == PartRole::Unused { bytes } else { 0 });
            let table = &mut output.parts;
            table.role.push(Some(role.name()));
            table.name.push(part.name);
            table.index.push(part.index);
            table.tensor.push(part.tensor);
            table.methods.push((!part.methods.is_empty()).then_some(part.methods));
            table.backend.push(part.backend.as_deref());
            table.offset.push(part.span.offset);
            table.bytes.push(bytes);
            table.uses.push(part.uses);
        }
        output.by_role = by_role.sorted();
        output.by_dtype = by_dtype.sorted();
        output.by_backend = by_backend.sorted();
        output.by_method = by_method.sorted();
        output
    }
}

fn name_of(methods: &[String], number: i32) -> &str {
    item(methods, number).map_or("?", String::as_str)
}

struct Sums(BTreeMap<String, (u64, u64)>);

impl Sums {
    fn add(&mut self, name: &str, bytes: u64) {
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), (0, 0));
        }
        if let Some((parts, sum)) = self.0.get_mut(name) {
            (*parts, *sum) = (*parts + 1, sum.saturating_add(bytes));
        }
    }

    fn sorted(self) -> Vec<ByteSum> {
        let mut sums: Vec<_> =
            self.0.into_iter().map(|(name, (parts, bytes))| ByteSum { name, parts, bytes }).collect();
        sums.sort_by_key(|sum| Reverse(sum.bytes));
        sums
    }
}
