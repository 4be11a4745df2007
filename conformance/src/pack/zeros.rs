//! Zeros that are written: a file's JSON does not tell them, and its size does.

use torchproof::flatbuffer::schema::{Field, Kind, Scalar, TableType};
use torchproof::flatbuffer::tree::{TableTree, Value};

/// A number, by the type of its table.
type Number = (&'static TableType, &'static Field);

/// The same tree, with zeros written so that `size` is at most `wanted`; `None` where that cannot be.
///
/// Tables with the same fields share a vtable, so a zero that is written can make a file smaller. The fields are tried one by
/// one and then in pairs, each in all tables of its type, and what saves most is taken, for as long as anything is saved.
pub(super) fn written(root: &TableTree, wanted: u64, size: impl Fn(&TableTree) -> Option<u64>) -> Option<TableTree> {
    let mut best = (size(root)?, root.clone());
    let mut numbers = Vec::new();
    if best.0 > wanted {
        absent(root, &mut numbers);
    }
    while best.0 > wanted {
        let with = |written: &[Number]| {
            let mut tree = best.1.clone();
            written.iter().for_each(|number| fill(&mut tree, *number));
            Some((size(&tree)?, tree))
        };
        let least = |all: &mut dyn Iterator<Item = (u64, TableTree)>| {
            all.min_by_key(|(size, _)| *size).filter(|(size, _)| *size < best.0)
        };
        // Padding can hide what one saves until there are two.
        let (with, numbers) = (&with, &numbers);
        let pair = |first: usize| numbers[first + 1..].iter().map(move |second| [numbers[first], *second]);
        best = least(&mut numbers.iter().filter_map(|number| with(&[*number])))
            .or_else(|| least(&mut (0..numbers.len()).flat_map(pair).filter_map(|pair| with(&pair))))?;
    }
    Some(best.1)
}

/// The numbers that some table leaves out.
fn absent(table: &TableTree, found: &mut Vec<Number>) {
    for field in table.ty().fields {
        if matches!(field.kind, Kind::Scalar(_) | Kind::Enum(_)) && table.get(field.name).is_none() {
            let known = |(ty, other): &Number| ty.name == table.ty().name && other.slot == field.slot;
            if !found.iter().any(known) {
                found.push((table.ty(), field));
            }
        }
    }
    for (_, value) in table.fields() {
        let below = value.as_table().into_iter().chain(value.as_tables().unwrap_or_default());
        below.for_each(|table| absent(table, found));
    }
}

/// Writes the zero in every table that leaves it out.
fn fill(table: &mut TableTree, number: Number) {
    let (ty, field) = number;
    if table.ty().name == ty.name && table.get(field.name).is_none() {
        let zero = if matches!(field.kind, Kind::Scalar(Scalar::F64)) { Value::from(0.0) } else { Value::from(0_u8) };
        let set = table.set(field.name, zero);
        debug_assert_eq!(set, Ok(()));
    }
    for field in table.ty().fields {
        table.table_mut(field.name).into_iter().for_each(|below| fill(below, number));
        table.tables_mut(field.name).into_iter().flatten().for_each(|below| fill(below, number));
    }
}
