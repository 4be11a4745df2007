//! **What is in files**: how often each table, field and named value of the schemas occurs, and how large things are.
//!
//! Many files add up to one [`Census`], which says how much of the formats they exercise between them.
//!
//! ```
//! use torchproof::census::Census;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut census = Census::default();
//! census.add(&std::fs::read("corpus/real/linear.pte")?);
//! assert_eq!(census.tables["Program"].tables, 1);
//! assert_eq!(census.tables["Program"].fields["execution_plan"], 1);
//! assert_eq!(census.tables["Program"].fields["named_data"], 0);
//! assert!(census.values["ScalarType"]["FLOAT"] > 0);
//! # Ok(()) }
//! ```

use alloc::collections::BTreeMap;

use crate::Limits;
use crate::bundled::{Bundled, schema::BundledProgram};
use crate::check::Kind;
use crate::flatbuffer::schema::{self, TableType, TableView};
use crate::flatbuffer::walk::{Flow, Path, Visited, Visitor, walk};
use crate::flatbuffer::{Fault, Str};
use crate::ptd::older_schema::OlderFlatTensor;
use crate::ptd::schema::FlatTensor;
use crate::ptd::{self, Ptd};
use crate::pte::Pte;
use crate::pte::schema::Program;

/// What is in some files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// How many files there are, by the name of their kind.
    pub files: BTreeMap<&'static str, u64>,
    /// Files that could not be opened, which are not in the rest.
    pub unread: u64,
    /// By the name of a table: also those that there are none of, for the kinds of files that there are.
    pub tables: BTreeMap<&'static str, Table>,
    /// By the name of an enum or a union, how often there is each value or member, those that there are none of too. A number
    /// without a name is `other`.
    pub values: BTreeMap<&'static str, BTreeMap<&'static str, u64>>,
    /// How large things are.
    pub sizes: BTreeMap<Quantity, Histogram>,
}

/// How often there is a table, and each of its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// How many tables there are.
    pub tables: u64,
    /// By the field's name, in how many of them it is.
    pub fields: BTreeMap<&'static str, u64>,
}

/// What a [`Histogram`] is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// The length of a file, in bytes.
    File,
    /// The tables of a file.
    Tables,
    /// The length of a string, in bytes.
    String,
}

impl Quantity {
    /// What it is, with its unit.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Quantity::File => "bytes of a file",
            Quantity::Tables => "tables of a file",
            Quantity::String => "bytes of a string",
        }
    }
}

/// How often there is each size, by powers of two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// By the number of bits that a size takes: 0 for 0, 1 for 1, 2 for 2 and 3, 3 for 4 to 7.
    pub by_bits: BTreeMap<u32, u64>,
    /// The largest.
    pub most: u64,
}

impl Histogram {
    fn add(&mut self, size: u64) {
        *self.by_bits.entry(u64::BITS - size.leading_zeros()).or_default() += 1;
        self.most = self.most.max(size);
    }
}

impl Census {
    /// Adds what is in a file. One that cannot be opened is counted as such.
    pub fn add(&mut self, bytes: &[u8]) {
        let kind = self.visit(bytes);
        match kind {
            Some(kind) => {
                *self.files.entry(kind.name()).or_default() += 1;
                self.size(Quantity::File, bytes.len() as u64);
            }
            None => self.unread += 1,
        }
    }

    fn visit(&mut self, bytes: &[u8]) -> Option<Kind> {
        match Kind::of_head(bytes) {
            Kind::Pte => {
                let file = Pte::open(bytes).ok()?;
                self.walk::<Program<'_>>(file.region());
                Some(Kind::Pte)
            }
            Kind::Ptd => {
                let file = Ptd::open(bytes).ok()?;
                Some(match file.layout() {
                    ptd::Layout::Current(_) => {
                        self.walk::<FlatTensor<'_>>(file.region());
                        Kind::Ptd
                    }
                    ptd::Layout::Older(_) => {
                        self.walk::<OlderFlatTensor<'_>>(file.region());
                        Kind::PtdLegacy
                    }
                })
            }
            Kind::Bpte => {
                Bundled::open(bytes).ok()?;
                self.walk::<BundledProgram<'_>>(bytes);
                Some(Kind::Bpte)
            }
            _ => None,
        }
    }

    fn walk<'a, T: TableView<'a>>(&mut self, region: &'a [u8]) {
        self.know(T::TYPE);
        let (_, tally, _) = walk::<T, _>(region, Limits::DEFAULT, Counting { census: self });
        self.size(Quantity::Tables, tally.tables.into());
    }

    fn size(&mut self, of: Quantity, size: u64) {
        self.sizes.entry(of).or_default().add(size);
    }

    /// Has every table, field and value that a table of this type can lead to in the census.
    fn know(&mut self, ty: &'static TableType) {
        if self.tables.contains_key(ty.name) {
            return;
        }
        let fields = ty.fields.iter().map(|field| (field.name, 0)).collect();
        self.tables.insert(ty.name, Table { tables: 0, fields });
        for field in ty.fields {
            match field.kind {
                schema::Kind::Enum(values) => {
                    self.values
                        .entry(values.name)
                        .or_insert_with(|| values.values.iter().map(|(name, _)| (*name, 0)).collect());
                }
                schema::Kind::Tag(union) => {
                    let members = || union.members.iter().map(|member| (member.name, 0)).collect();
                    self.values.entry(union.name).or_insert_with(members);
                    union.members.iter().for_each(|member| self.know(member));
                }
                schema::Kind::Table(ty) | schema::Kind::Tables(ty) => self.know(ty),
                _ => {}
            }
        }
    }
}

/// Counts what the structure pass visits.
struct Counting<'c> {
    census: &'c mut Census,
}

impl<'a> Visitor<'a> for Counting<'_> {
    fn fault(&mut self, _: &Fault, _: Path<'_>) -> Flow {
        Ok(())
    }

    fn enter<T: TableView<'a>>(&mut self, visited: &Visited<'_, 'a, T>, _: Path<'_>) -> Flow {
        let table = visited.table();
        let counted = self.census.tables.entry(T::TYPE.name).or_default();
        counted.tables += 1;
        for field in T::TYPE.fields {
            let at = table.field(field.slot);
            if at.is_some() {
                *counted.fields.entry(field.name).or_default() += 1;
            }
            // An absent number is 0.
            let byte = at.and_then(|at| table.buffer().get(at)).copied().unwrap_or(0);
            let (of, name) = match field.kind {
                schema::Kind::Enum(values) => (values.name, values.name_of(byte.cast_signed())),
                schema::Kind::Tag(union) => (union.name, union.member(byte).map(|member| member.name)),
                _ => continue,
            };
            *self.census.values.entry(of).or_default().entry(name.unwrap_or("other")).or_default() += 1;
        }
        Ok(())
    }

    fn string(&mut self, string: Str<'a>, _: Path<'_>) -> Flow {
        self.census.size(Quantity::String, string.as_bytes().len() as u64);
        Ok(())
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::generate::{self, Config, generate};

    #[test]
    fn sizes_go_by_powers_of_two() {
        let mut histogram = Histogram::default();
        [0, 1, 2, 3, 4, u64::MAX].into_iter().for_each(|size| histogram.add(size));
        assert_eq!(histogram.by_bits, [(0, 1), (1, 1), (2, 2), (3, 1), (64, 1)].into());
        assert_eq!(histogram.most, u64::MAX);
    }

    #[test]
    fn tables_fields_and_values_are_counted_in_every_kind_of_file() {
        let mut census = Census::default();
        for kind in [generate::Kind::Pair, generate::Kind::PtdLegacy] {
            for file in generate(kind, &Config { methods: 2.into(), ints: 3.into(), ..Config::default() }, 5).unwrap() {
                census.add(&file.bytes);
            }
        }
        census.add(b"no file of ours");
        assert_eq!(census.files, [("ptd", 1), ("ptd-legacy", 1), ("pte", 1)].into());
        assert_eq!(census.unread, 1);
        assert_eq!(census.tables["ExecutionPlan"].tables, 2);
        assert_eq!(census.tables["ExecutionPlan"].fields["name"], 2);
        assert_eq!(census.tables["Int"].tables, 6);
        assert_eq!(census.values["KernelTypes"]["Int"], 6);
        assert_eq!(census.values["TensorDataLocation"].len(), 2);
        assert_eq!(census.sizes[&Quantity::File].by_bits.values().sum::<u64>(), 3);
        let tables: u64 = census.tables.values().map(|table| table.tables).sum();
        assert!(tables >= census.sizes[&Quantity::Tables].most, "{tables}");
    }
}
