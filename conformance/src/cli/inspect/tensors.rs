//! Tensors: what they are, how large, and where their bytes come from.

use torchproof::flatbuffer::{Fault, Vector};
use torchproof::ptd::older_schema::OlderFlatTensor;
use torchproof::pte::schema::{EValue, ExecutionPlan, KernelTypesValue, Tensor, TensorDataLocation};
use torchproof::{ScalarType, layout};
use torchproof_cli::text::size::Size;

use super::report::Report;
use super::text::{list, name, table, value};
use super::vector::items;

/// Where a tensor's bytes come from, by its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    /// A constant of the program.
    Constant,
    /// A data file.
    External,
    /// Planned memory that a segment first fills.
    Mutable,
    /// Planned memory.
    Planned,
    /// The caller, or a kernel.
    Given,
}

impl Home {
    const ALL: [Home; 5] = [Home::Constant, Home::External, Home::Mutable, Home::Planned, Home::Given];

    fn of(tensor: Tensor<'_>) -> Result<Self, Fault> {
        if let Some(extra) = tensor.extra_tensor_info()?
            && extra.location()? == TensorDataLocation::EXTERNAL
        {
            return Ok(Home::External);
        }
        Ok(match (tensor.data_buffer_idx()?, tensor.allocation_info()?) {
            (0, None) => Home::Given,
            (0, Some(_)) => Home::Planned,
            (_, None) => Home::Constant,
            (_, Some(_)) => Home::Mutable,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Home::Constant => "constant",
            Home::External => "external",
            Home::Mutable => "mutable",
            Home::Planned => "planned",
            Home::Given => "given at run time",
        }
    }
}

/// A tensor's type, as `FLOAT`; a number where the schema has no name for it.
pub(super) fn scalar_type(field: Result<ScalarType, Fault>) -> String {
    value(field.map(|ty| ty.name().map_or_else(|| ty.0.to_string(), str::to_owned)))
}

/// A tensor's sizes, as `[1, 8]`.
pub(super) fn sizes(field: Result<Option<Vector<'_, i32>>, Fault>) -> String {
    match field {
        Ok(Some(sizes)) => list(sizes.iter()),
        Ok(None) => "absent".to_owned(),
        Err(_) => "?".to_owned(),
    }
}

/// The bytes of a dense tensor; `None` where they cannot be counted.
pub(super) fn bytes(
    scalar_type: Result<ScalarType, Fault>,
    sizes: Result<Option<Vector<'_, i32>>, Fault>,
) -> Option<u64> {
    layout::nbytes(scalar_type.ok()?, sizes.ok()??).ok()
}

/// A size, or `?`.
pub(super) fn size(bytes: Option<u64>) -> String {
    bytes.map_or("?".to_owned(), |bytes| Size(bytes).to_string())
}

/// The tensors of one method: how many of each home, then each.
pub(super) fn describe(plan: ExecutionPlan<'_>, report: &mut Report) {
    let mut sums = [(0_usize, 0_u64); Home::ALL.len()];
    let mut rows = table(&[">value", "home", "type", "sizes", ">bytes", "place"]);
    let mut total = 0;
    for (index, tensor) in tensors(plan) {
        total += 1;
        let bytes = bytes(tensor.scalar_type(), tensor.sizes());
        let home = Home::of(tensor).ok();
        if let Some(sum) = home.and_then(|home| sums.get_mut(home as usize)) {
            sum.0 += 1;
            sum.1 = sum.1.saturating_add(bytes.unwrap_or(0));
        }
        if total <= report.rows() {
            rows.add_row([
                index.to_string(),
                home.map_or("?", Home::name).to_owned(),
                scalar_type(tensor.scalar_type()),
                sizes(tensor.sizes()),
                size(bytes),
                home.map_or_else(String::new, |home| place(tensor, home)),
            ]);
        }
    }
    if total == 0 {
        return;
    }
    let sums = Home::ALL.iter().zip(sums).filter(|(_, (count, _))| *count > 0);
    let sums: Vec<String> =
        sums.map(|(home, (count, bytes))| format!("{count} {}, {}", home.name(), Size(bytes))).collect();
    report.line(format_args!("Tensors: {}", sums.join("; ")));
    report.table(&rows, total);
}

fn tensors(plan: ExecutionPlan<'_>) -> impl Iterator<Item = (usize, Tensor<'_>)> {
    items(plan.values()).enumerate().filter_map(|(index, value)| match value.and_then(EValue::val) {
        Ok(Some(KernelTypesValue::Tensor(tensor))) => Some((index, tensor)),
        _ => None,
    })
}

fn place(tensor: Tensor<'_>, home: Home) -> String {
    let index = value(tensor.data_buffer_idx());
    let planned = || match tensor.allocation_info() {
        Ok(Some(place)) => {
            let low = place.memory_offset_low().map(u64::from);
            let offset = low.and_then(|low| Ok(u64::from(place.memory_offset_high()?) << 32 | low));
            format!("buffer {} at {}", value(place.memory_id()), value(offset.map(|offset| format!("{offset:#x}"))))
        }
        _ => "?".to_owned(),
    };
    let extra = || tensor.extra_tensor_info().ok().flatten();
    match home {
        Home::Constant => format!("constant {index}"),
        Home::Planned => planned(),
        Home::Mutable => {
            let list = extra().map_or("0".to_owned(), |extra| value(extra.mutable_data_segments_idx()));
            format!("{}, from entry {index} of mutable data {list}", planned())
        }
        Home::External => extra().map_or("?".to_owned(), |extra| name(extra.fully_qualified_name())),
        Home::Given => String::new(),
    }
}

/// The tensors of a data file of the older layout.
pub(super) fn of_older_data(root: OlderFlatTensor<'_>, report: &mut Report) {
    let mut rows = table(&["name", "type", "sizes", ">bytes", ">segment", ">offset"]);
    let mut total = 0;
    let mut sum = 0_u64;
    for tensor in items(root.tensors()) {
        total += 1;
        let Ok(tensor) = tensor else { continue };
        let bytes = bytes(tensor.scalar_type(), tensor.sizes());
        sum = sum.saturating_add(bytes.unwrap_or(0));
        if total <= report.rows() {
            rows.add_row([
                name(tensor.fully_qualified_name()),
                scalar_type(tensor.scalar_type()),
                sizes(tensor.sizes()),
                size(bytes),
                value(tensor.segment_index()),
                value(tensor.offset().map(|offset| format!("{offset:#x}"))),
            ]);
        }
    }
    report.heading(match total {
        0 => "Tensors: none".to_owned(),
        _ => format!("Tensors: {total}, together {}", Size(sum)),
    });
    report.line(format_args!(
        "Offsets are said to be multiples of {} (tensor_alignment)",
        value(root.tensor_alignment())
    ));
    report.table(&rows, total);
}
