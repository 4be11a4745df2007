//! Tests that loops over the parts of a file take linear time.
#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

use std::format;
use std::vec;
use std::vec::Vec;

use crate::flatbuffer::OPENED;
use crate::generate::{Config, GeneratedKind, generate};
use crate::ptd::Ptd;
use crate::pte::builder::{PlanBuilder, TensorBuilder, program};
use crate::pte::{ProgramData, Pte, pack};
use crate::write::NamedDataStore;
use crate::{DataEntry, Error, ScalarType};

fn read(entries: impl Iterator<Item = Result<DataEntry<'static>, Error>>) -> usize {
    entries.map(Result::unwrap).map(|entry| entry.key().unwrap().as_bytes().len() + entry.bytes().unwrap().len()).sum()
}

fn tensors_of_data(kind: GeneratedKind, count: u32) {
    let config = Config { blobs: 0..=0, metadata: 0..=0, data_tensors: count..=count, ..Config::default() };
    let bytes = generate(kind, &config, 1).unwrap().remove(0).bytes.leak();
    let file = Ptd::open(bytes).unwrap();
    let tensors = file.entries().filter(|entry| {
        let entry = entry.unwrap();
        assert_eq!(entry.tensor_bytes().unwrap().unwrap().len() as u64, entry.nbytes().unwrap().unwrap());
        entry.scalar_type().unwrap().is_some() && entry.sizes().unwrap().is_some()
    });
    OPENED.set(0);
    read(tensors);
    assert_eq!(file.entries().count(), count as usize);
}

fn parts_of_a_program(count: u32) {
    let count = count as usize;
    let names: Vec<_> = (0..count).map(|index| format!("name {index}")).collect();
    let (mut plan, mut store) = (PlanBuilder::new("forward"), NamedDataStore::new());
    for (index, name) in (1..).zip(&names) {
        let value = plan.push_value(TensorBuilder::contiguous(ScalarType::BYTE, &[4]).constant(index));
        let operator = plan.push_operator("aten::relu", name);
        plan.push_kernel_call(operator, &[value, value]);
        store.add(name, b"blob", 1, None).unwrap();
    }
    let mut data = ProgramData::default();
    (data.constants, data.named_data) = (vec![&b"data"[..]; count], Some(store));
    let values: Vec<i32> = (0..).take(count).collect();
    let root = program([plan.with_io(&[], &values)]);
    let file = pack(&root, data, &Default::default()).unwrap().to_bytes().unwrap();
    let file = Pte::open(file.leak()).unwrap();
    OPENED.set(0);
    read(file.named_data());
    for method in file.methods().map(Result::unwrap) {
        let tensors = method.tensors().map(|tensor| file.tensor_bytes(tensor.unwrap().1).unwrap().unwrap());
        assert_eq!(tensors.map(|bytes| assert_eq!(bytes, b"data")).count(), count);
        assert_eq!(method.inputs().count(), 0);
        assert_eq!(method.outputs().filter(|value| value.unwrap().val().is_ok()).count(), count);
        assert_eq!(method.operators().filter(|operator| operator.unwrap().overload().is_ok()).count(), count);
        assert_eq!(method.instructions().filter(|call| call.unwrap().instr_args().is_ok()).count(), count);
        assert_eq!(method.delegates().count(), 0);
    }
}

#[test]
fn reading_all_parts_of_a_file_is_linear() {
    let reads: [(&str, &dyn Fn(u32)); 3] = [
        ("data file", &|count| tensors_of_data(GeneratedKind::Ptd, count)),
        ("legacy data file", &|count| tensors_of_data(GeneratedKind::PtdLegacy, count)),
        ("program", &parts_of_a_program),
    ];
    for (name, read) in reads {
        // Work is measured in opened tables. For every 100 additional parts, their number must grow by the same amount.
        let work = [100, 200, 300].map(|count| {
            read(count);
            OPENED.get()
        });
        assert_eq!(work[2] - work[1], work[1] - work[0], "{name}: {work:?}");
        assert!(work[0] < 100 * 20, "{name}: {work:?}");
    }
}
