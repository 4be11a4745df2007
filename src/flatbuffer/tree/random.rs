//! Random trees for property tests, with arbitrary values among those that the types' descriptions allow.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "only for tests, and the schemas are small")]

use std::vec;
use std::vec::Vec;

use proptest::prelude::*;
use proptest::sample::select;

use super::{Field, FieldValue, Kind, Repr, Scalar, TableTree, TableType};
use crate::flatbuffer::schema::{EnumType, UnionType};

type Fields = Vec<(&'static str, FieldValue)>;

fn scalars(scalar: Scalar) -> BoxedStrategy<FieldValue> {
    let bytes = prop::collection::vec(any::<u8>(), 0..40);
    bytes
        .prop_map(move |mut bytes| {
            bytes.truncate(bytes.len() / scalar.width() * scalar.width());
            FieldValue(Repr::Scalars(scalar, bytes))
        })
        .boxed()
}

fn scalar(scalar: Scalar) -> BoxedStrategy<FieldValue> {
    let bits = prop_oneof![Just(0), any::<u64>()];
    bits.prop_map(move |bits| {
        let mut bytes = bits.to_le_bytes();
        bytes[scalar.width()..].fill(0);
        FieldValue(Repr::Scalar(scalar, bytes))
    })
    .boxed()
}

fn enumeration(ty: &'static EnumType) -> BoxedStrategy<FieldValue> {
    prop_oneof![select(ty.values).prop_map(|(_, value)| FieldValue::from(value)), scalar(Scalar::I8)].boxed()
}

/// Generates a tag and a value such that the union passes verification.
fn union(tag: &'static str, value: &'static str, ty: &'static UnionType) -> BoxedStrategy<Fields> {
    let members = ty.members.len() as u8;
    let known = (1..=members).prop_flat_map(move |number| {
        tree(ty.member(number).unwrap())
            .prop_map(move |tree| vec![(tag, FieldValue::from(number)), (value, FieldValue::from(tree))])
    });
    let bare = ty.members.iter().position(|member| member.fields.is_empty()).map_or(0, |index| index as u8 + 1);
    prop_oneof![
        8 => known,
        1 => (members + 1..=255).prop_map(move |number| vec![(tag, FieldValue::from(number)), (value, FieldValue::opaque())]),
        1 => Just(vec![(tag, FieldValue::from(0u8))]),
        1 => Just(vec![(tag, FieldValue::from(bare))]),
    ]
    .boxed()
}

fn field(ty: &'static TableType, field: &'static Field) -> Option<BoxedStrategy<Fields>> {
    let one = match field.kind {
        Kind::Scalar(number) => scalar(number),
        Kind::Enum(ty) => enumeration(ty),
        Kind::Tag(union_type) => {
            let value = ty.fields.iter().find(|other| other.slot == field.slot + 1)?;
            return Some(union(field.name, value.name, union_type));
        }
        Kind::Union(_) => return None,
        Kind::String => {
            prop::collection::vec(any::<u8>(), 0..12).prop_map(|bytes| FieldValue(Repr::String(bytes))).boxed()
        }
        Kind::Scalars(number, _) => scalars(number),
        Kind::Table(ty) => tree(ty).prop_map(FieldValue::from).boxed(),
        Kind::Tables(ty) => prop::collection::vec(tree(ty), 0..4).prop_map(FieldValue::from).boxed(),
    };
    Some(one.prop_map(|value| vec![(field.name, value)]).boxed())
}

pub(crate) fn tree(ty: &'static TableType) -> BoxedStrategy<TableTree> {
    let fields: Vec<_> = ty.fields.iter().filter_map(|of| field(ty, of)).map(prop::option::of).collect();
    fields
        .prop_map(move |fields| {
            let mut tree = TableTree::new(ty);
            for (name, value) in fields.into_iter().flatten().flatten() {
                tree.set(name, value).unwrap();
            }
            tree
        })
        .boxed()
}
