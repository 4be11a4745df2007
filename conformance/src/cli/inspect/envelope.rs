//! The header fields with their meanings, and the verification of the FlatBuffer.

use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::verify;
use torchproof::{FileBytes, Limits, ptd, pte};
use torchproof_harness::text::counted;

use super::report::Report;
use crate::page::size::Size;

/// The name, the value, and the meaning of the value.
type Field = (&'static str, String, String);

pub(super) fn pte_header(file_bytes: FileBytes<'_>, report: &mut Report) {
    let header = match pte::ExtendedHeader::find(file_bytes.bytes()) {
        Ok(Some(header)) => header,
        Ok(None) => {
            report.heading("Header: none");
            report.line("The whole file is the FlatBuffer; no segments follow.");
            return;
        }
        _ => return report.heading("Header: unknown"),
    };
    let (base, size) = (header.segment_base_offset, header.program_size);
    let about = format!("size of the FlatBuffer with this header; it ends at {size:#x}");
    let program_size = ("program_size", Size(size).to_string(), about);
    let data = header.segment_data_size.map(|size| segment_data_size(base, size));
    let fields = [program_size, segment_base_offset(base)].into_iter().chain(data);
    table(&format!("Header eh00, {} bytes", header.length), fields, report);
}

pub(super) fn ptd_header(file_bytes: FileBytes<'_>, report: &mut Report) {
    let Ok(header) = ptd::FlatTensorHeader::find(file_bytes.bytes()) else {
        return report.heading("Header: unknown");
    };
    let (offset, base) = (header.flatbuffer_offset, header.segment_base_offset);
    let rest = format!("size of the FlatBuffer after the header; it {}", ends(header.flatbuffer_end()));
    let fields = [
        ("flatbuffer_offset", Size(offset).to_string(), "size of the header with its padding".to_owned()),
        ("flatbuffer_size", Size(header.flatbuffer_size).to_string(), rest),
        segment_base_offset(base),
        segment_data_size(base, header.segment_data_size),
    ];
    table(&format!("Header FH01, {} bytes", header.length), fields, report);
}

fn table(heading: &str, fields: impl IntoIterator<Item = Field>, report: &mut Report) {
    report.heading(heading);
    let mut rows = report.rows(&["field", ">value", "meaning"]);
    for (name, value, meaning) in fields {
        rows.add(|| [name.to_owned(), value, meaning]);
    }
    report.table(&rows);
}

fn segment_base_offset(base: u64) -> Field {
    let meaning = if base == 0 { "there are no segments".to_owned() } else { format!("segments begin at {base:#x}") };
    ("segment_base_offset", base.to_string(), meaning)
}

fn segment_data_size(base: u64, size: u64) -> Field {
    let meaning = format!("size of the segment data; it {}", ends(base.checked_add(size)));
    ("segment_data_size", Size(size).to_string(), meaning)
}

fn ends(end: Option<u64>) -> String {
    end.map_or("would end past 2^64".to_owned(), |end| format!("ends at {end:#x}"))
}

/// Returns whether the FlatBuffer is within the verifier's limits.
pub(super) fn flatbuffer<'a, T: TableView<'a>>(root: T, region: &'a [u8], report: &mut Report) -> bool {
    let len = region.len() as u64;
    let limits = Limits::DEFAULT.apparent_size((1 << 20) + 16 * len);
    report.heading(format_args!("FlatBuffer, {}", Size(len)));
    let stats = verify::<T>(region, limits, |fault, path| {
        let (rule, offset) = (torchproof::rules::of_fault(fault.code).id, fault.span.offset);
        report.problem(format_args!("{path}: breaks {rule}: {} (at offset {offset:#x})", fault.sentence()));
    });
    let root = format!("Root table: {} at {:#x}", T::TYPE.name, root.table().position());
    match stats {
        Err(limit) => {
            report.line(root);
            report.give_up(format_args!("{limit}: the content of the FlatBuffer is not shown"));
            false
        }
        Ok(stats) => {
            let (tables, size) = (counted(stats.tables, "table"), Size(stats.apparent_size));
            report.line(format_args!("{root}; {tables}, {size} of tables, vectors and strings"));
            true
        }
    }
}
