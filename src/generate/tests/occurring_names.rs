//! Compares the fields and enum values that occur in generated files with the schemas.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;

use crate::flatbuffer::Fault;
use crate::flatbuffer::schema::{self, TableType, TableView};
use crate::flatbuffer::walk::{Flow, Path, VisitedTable, Visitor, walk};
use crate::ptd::legacy_schema::LegacyFlatTensor;
use crate::ptd::schema::FlatTensor;
use crate::ptd::{Layout, Ptd};
use crate::pte::Pte;
use crate::pte::schema::Program;
use crate::{FileKind, Limits};

/// Names in the form `Table.field` and `Enum.VALUE`.
#[derive(Debug, Default)]
pub(super) struct OccurringNames {
    names: BTreeSet<String>,
    known: BTreeSet<String>,
    tables: BTreeSet<&'static str>,
}

impl OccurringNames {
    /// Returns the number of tables in the file.
    pub(super) fn add(&mut self, bytes: &[u8]) -> u32 {
        if FileKind::of_head(bytes) == FileKind::Pte {
            return self.walk::<Program<'_>>(Pte::open(bytes).unwrap().region());
        }
        let file = Ptd::open(bytes).unwrap();
        match file.layout() {
            Layout::Current(_) => self.walk::<FlatTensor<'_>>(file.region()),
            Layout::Legacy(_) => self.walk::<LegacyFlatTensor<'_>>(file.region()),
        }
    }

    pub(super) fn absent(&self) -> impl Iterator<Item = &String> {
        self.known.difference(&self.names)
    }

    fn walk<'a, T: TableView<'a>>(&mut self, region: &'a [u8]) -> u32 {
        self.know(T::TYPE);
        let (tally, _) = walk::<T>(region, Limits::DEFAULT, &mut Names(self));
        tally.tables
    }

    /// Adds the names of `ty` and of all types that it contains, directly or indirectly.
    fn know(&mut self, ty: &'static TableType) {
        if !self.tables.insert(ty.name) {
            return;
        }
        for field in ty.fields {
            self.known.insert(format!("{}.{}", ty.name, field.name));
            match field.kind {
                schema::Kind::Enum(of) => {
                    self.known.extend(of.values.iter().map(|(name, _)| format!("{}.{name}", of.name)));
                }
                schema::Kind::Tag(union) => {
                    self.known.extend(union.members.iter().map(|member| format!("{}.{}", union.name, member.name)));
                    union.members.iter().for_each(|member| self.know(member));
                }
                schema::Kind::Table(ty) | schema::Kind::Tables(ty) => self.know(ty),
                _ => {}
            }
        }
    }
}

struct Names<'n>(&'n mut OccurringNames);

impl<'a> Visitor<'a> for Names<'_> {
    fn fault(&mut self, _: &Fault, _: &Path<'_>) -> Flow {
        Ok(())
    }

    fn enter(&mut self, ty: &'static TableType, visited: &VisitedTable<'_, 'a>, _: &Path<'_>) -> Flow {
        let table = visited.table();
        for field in ty.fields {
            let at = table.field(field.slot);
            if at.is_some() {
                self.0.names.insert(format!("{}.{}", ty.name, field.name));
            }
            // An absent enum or union tag has the value 0.
            let byte = at.and_then(|at| table.buffer().get(at)).copied().unwrap_or(0);
            let (of, name) = match field.kind {
                schema::Kind::Enum(values) => (values.name, values.name_of(byte.cast_signed())),
                schema::Kind::Tag(union) => (union.name, union.member(byte).map(|member| member.name)),
                _ => continue,
            };
            self.0.names.extend(name.map(|name| format!("{of}.{name}")));
        }
        Ok(())
    }
}
