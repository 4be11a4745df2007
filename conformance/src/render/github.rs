//! GitHub's workflow commands.

use std::fmt::Write as _;

use super::{Level, ReportRow};

pub(crate) fn github(rows: &[ReportRow]) -> String {
    let escape = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
    let mut lines = String::new();
    for row in rows {
        let command = match row.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        let path = row.place.iter().map(|place| format!("file={},", property(&place.path.to_string_lossy())));
        let (path, id) = (path.collect::<String>(), property(row.kind.id()));
        let _ = writeln!(lines, "::{command} {path}title={id}::{}", escape(&row.line()));
    }
    lines
}
