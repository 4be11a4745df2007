//! Text tables.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, presets};

use super::Page;

/// Creates a table. A `>` before a heading aligns its column to the right.
pub(crate) fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING.header_separator(LineStyle::none().fill('─')))
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(Page::LIST_WIDTH)
        .set_header(columns.iter().map(|name| name.trim_start_matches('>')));
    for (index, name) in columns.iter().enumerate() {
        if let Some(column) = table.column_mut(index).filter(|_| name.starts_with('>')) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}
