//! The section about tensors: their types, sizes and storage.

use std::collections::BTreeMap;

use torchproof::flatbuffer::{Fault, Vector};
use torchproof::ptd::Ptd;
use torchproof::ptd::legacy_schema::LegacyFlatTensor;
use torchproof::pte::Method;
use torchproof::pte::schema::{AllocationDetails, Tensor, TensorDataLocation};
use torchproof::{ScalarType, layout};

use super::report::Report;
use crate::fields::words::{list, name, place, scalar_type, value};
use crate::page::size::Size;

pub(super) fn bytes(
    scalar_type: Result<ScalarType, Fault>,
    sizes: Result<Option<Vector<'_, i32>>, Fault>,
) -> Option<u64> {
    layout::nbytes(scalar_type.ok()?, sizes.ok()??).ok()
}

pub(super) fn size(bytes: Option<u64>) -> String {
    bytes.map_or("?".to_owned(), |bytes| Size(bytes).to_string())
}

pub(super) fn describe(method: Method<'_>, report: &mut Report) {
    let mut sums = BTreeMap::<_, (usize, u64)>::new();
    let mut rows = report.rows(&[">value", "storage", "type", "sizes", ">bytes", "place"]);
    for (index, tensor) in method.tensors().flatten() {
        let bytes = bytes(tensor.scalar_type(), tensor.sizes());
        let (storage, place) = storage(tensor).unwrap_or(("?", String::new()));
        let (count, sum) = sums.entry(storage).or_default();
        *count += 1;
        *sum = sum.saturating_add(bytes.unwrap_or(0));
        rows.add(|| {
            let (ty, sizes) = (scalar_type(tensor.scalar_type()), list(tensor.sizes()));
            [index.to_string(), storage.to_owned(), ty, sizes, size(bytes), place]
        });
    }
    if rows.total > 0 {
        let sum = |(storage, (count, sum))| format!("{count} {storage}, {}", Size(sum));
        let sums: Vec<String> = sums.into_iter().map(sum).collect();
        report.line(format_args!("Tensors: {}", sums.join("; ")));
        report.table(&rows);
    }
}

fn storage(tensor: Tensor<'_>) -> Result<(&'static str, String), Fault> {
    let extra = tensor.extra_tensor_info()?;
    if let Some(extra) = extra
        && extra.location()? == TensorDataLocation::EXTERNAL
    {
        return Ok(("external", name(extra.fully_qualified_name())));
    }
    let index = tensor.data_buffer_idx()?;
    Ok(match (index, tensor.allocation_info()?) {
        (0, None) => ("given at run time", String::new()),
        (0, Some(planned)) => ("planned", memory(planned)),
        (_, None) => ("constant", format!("constant {index}")),
        (_, Some(planned)) => {
            let list = extra.map_or("0".to_owned(), |extra| value(extra.mutable_data_segments_idx()));
            ("mutable", format!("{}, from entry {index} of mutable data {list}", memory(planned)))
        }
    })
}

fn memory(planned: AllocationDetails<'_>) -> String {
    let low = planned.memory_offset_low().map(u64::from);
    let offset = low.and_then(|low| Ok(u64::from(planned.memory_offset_high()?) << 32 | low));
    format!("buffer {} at {}", value(planned.memory_id()), place(offset))
}

pub(super) fn of_legacy_data(file: &Ptd<'_>, root: LegacyFlatTensor<'_>, report: &mut Report) {
    let mut rows = report.rows(&["name", "type", "sizes", ">bytes", ">segment", ">offset"]);
    let mut sum = 0_u64;
    for tensor in file.entries().flatten().filter(|entry| entry.list() == "tensors") {
        let bytes = tensor.nbytes().ok().flatten();
        sum = sum.saturating_add(bytes.unwrap_or(0));
        rows.add(|| {
            let (ty, sizes) = (scalar_type(tensor.scalar_type().map(Option::unwrap_or_default)), list(tensor.sizes()));
            [name(tensor.key()), ty, sizes, size(bytes), value(tensor.segment_index()), place(tensor.offset())]
        });
    }
    report.heading(match rows.total {
        0 => "Tensors: none".to_owned(),
        total => format!("Tensors: {total}, together {}", Size(sum)),
    });
    report.line(format_args!("Declared alignment of offsets: {} (tensor_alignment)", value(root.tensor_alignment())));
    report.table(&rows);
}
