//! The header's numbers, what they mean, and the FlatBuffer behind them.

use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::verify;
use torchproof::{Image, Limits, ptd, pte};
use torchproof_cli::text::size::Size;

use super::report::Report;
use super::text::{count, table};

/// The extended header of a program.
pub(super) fn pte_header(image: Image<'_>, report: &mut Report) {
    let header = match pte::ExtendedHeader::find(image.bytes()) {
        Ok(Some(header)) => header,
        Ok(None) => {
            report.heading("Header: none");
            report.line("The whole file is the FlatBuffer, and there is no data behind it.");
            return;
        }
        _ => return report.heading("Header: none that is known"),
    };
    report.heading(format_args!("Header eh00, {} bytes", header.length));
    let base = header.segment_base_offset;
    let end = header.program_size;
    let mut rows = table(&["field", ">value", "meaning"]);
    rows.add_row([
        "program_size".to_owned(),
        Size(end).to_string(),
        format!("the FlatBuffer, this header included; it ends at {end:#x}"),
    ]);
    rows.add_row(segment_base_offset(base));
    if let Some(size) = header.segment_data_size {
        rows.add_row(segment_data_size(base, size));
    }
    report.table(&rows, rows.row_count());
}

/// The header of a data file.
pub(super) fn ptd_header(image: Image<'_>, report: &mut Report) {
    let Ok(header) = ptd::FlatTensorHeader::find(image.bytes()) else {
        return report.heading("Header: none that is known");
    };
    report.heading(format_args!("Header FH01, {} bytes", header.length));
    let (offset, size) = (header.flatbuffer_offset, header.flatbuffer_size);
    let end = ends(header.flatbuffer_end());
    let mut rows = table(&["field", ">value", "meaning"]);
    rows.add_row([
        "flatbuffer_offset".to_owned(),
        Size(offset).to_string(),
        "the header's share of the FlatBuffer".to_owned(),
    ]);
    rows.add_row([
        "flatbuffer_size".to_owned(),
        Size(size).to_string(),
        format!("the rest of the FlatBuffer; it {end}"),
    ]);
    rows.add_row(segment_base_offset(header.segment_base_offset));
    rows.add_row(segment_data_size(header.segment_base_offset, header.segment_data_size));
    report.table(&rows, rows.row_count());
}

fn segment_base_offset(base: u64) -> [String; 3] {
    let meaning = if base == 0 { "there are no segments".to_owned() } else { format!("segments begin at {base:#x}") };
    ["segment_base_offset".to_owned(), base.to_string(), meaning]
}

fn segment_data_size(base: u64, size: u64) -> [String; 3] {
    let end = ends(base.checked_add(size));
    let meaning = format!("the data behind the FlatBuffer; it {end}");
    ["segment_data_size".to_owned(), Size(size).to_string(), meaning]
}

fn ends(end: Option<u64>) -> String {
    end.map_or("would end past 64 bits".to_owned(), |end| format!("ends at {end:#x}"))
}

/// Verifies the FlatBuffer, reports every fault, and returns whether it is small enough to be described further.
pub(super) fn flatbuffer<'a, T: TableView<'a>>(root: T, region: &'a [u8], report: &mut Report) -> bool {
    let len = region.len() as u64;
    let limits = Limits::DEFAULT.apparent_size((1 << 20) + 16 * len);
    report.heading(format_args!("FlatBuffer, {}", Size(len)));
    let verified = verify::<T>(region, limits, |fault, path| {
        let rule = fault.code.rule();
        report.problem(format_args!(
            "{path}: breaks {rule}: {} (at offset {:#x})",
            fault.sentence(),
            fault.span.offset
        ));
    });
    let position = root.table().position();
    let name = T::TYPE.name;
    match verified {
        Err(limit) => {
            report.line(format_args!("Root table: {name} at {position:#x}"));
            report.give_up(format_args!("{limit}: what the FlatBuffer holds is not shown"));
            false
        }
        Ok(verified) => {
            let tables = count(verified.tables as usize, "table");
            let size = Size(verified.apparent_size);
            report.line(format_args!(
                "Root table: {name} at {position:#x}; {tables}, {size} of tables, vectors and strings"
            ));
            true
        }
    }
}
