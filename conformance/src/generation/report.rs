//! What is in files, for people and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use torchproof::census::{Census, Histogram};

/// A census as `schema/generate.schema.json` describes it.
#[derive(Debug, Serialize)]
pub struct Report {
    files: BTreeMap<&'static str, u64>,
    tables: BTreeMap<&'static str, Table>,
    values: BTreeMap<&'static str, BTreeMap<&'static str, u64>>,
    sizes: Vec<Sizes>,
}

#[derive(Debug, Serialize)]
struct Table {
    tables: u64,
    fields: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Serialize)]
struct Sizes {
    of: &'static str,
    most: u64,
    buckets: Vec<Bucket>,
}

#[derive(Debug, Serialize)]
struct Bucket {
    least: u64,
    most: u64,
    count: u64,
}

impl From<&Census> for Report {
    fn from(census: &Census) -> Self {
        let table = |table: &torchproof::census::Table| Table { tables: table.tables, fields: table.fields.clone() };
        Self {
            files: census.files.clone(),
            tables: census.tables.iter().map(|(name, counted)| (*name, table(counted))).collect(),
            values: census.values.clone(),
            sizes: census.sizes.iter().map(|(of, histogram)| sizes(of.name(), histogram)).collect(),
        }
    }
}

fn sizes(of: &'static str, histogram: &Histogram) -> Sizes {
    let bucket = |(bits, count): (&u32, &u64)| {
        let least = bits.checked_sub(1).map_or(0, |power| 1 << power);
        Bucket { least, most: u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0), count: *count }
    };
    Sizes { of, most: histogram.most, buckets: histogram.by_bits.iter().map(bucket).collect() }
}

/// The longest bar, in columns.
const BAR: u64 = 40;

impl Report {
    /// The report for people: a line for each table, field, value and range of sizes, with a bar: as long as a line
    /// is wide for a field that every table has, and for the value or range that occurs most.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let files: Vec<String> = self.files.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let _ = writeln!(text, "files: {}", files.join(", "));
        for sizes in &self.sizes {
            let _ = writeln!(text, "\n{} (at most {})", sizes.of, sizes.most);
            let name = |bucket: &Bucket| match bucket.least == bucket.most {
                true => bucket.least.to_string(),
                false => format!("{}..{}", bucket.least, bucket.most),
            };
            let most = sizes.buckets.iter().map(|bucket| bucket.count).max().unwrap_or(0);
            rows(&mut text, most, sizes.buckets.iter().map(|bucket| (name(bucket), bucket.count)));
        }
        for (of, values) in &self.values {
            let _ = writeln!(text, "\n{of}");
            let most = values.values().copied().max().unwrap_or(0);
            rows(&mut text, most, values.iter().map(|(name, count)| ((*name).to_owned(), *count)));
        }
        for (name, table) in &self.tables {
            let _ = writeln!(text, "\n{name}: {} tables", table.tables);
            rows(&mut text, table.tables, table.fields.iter().map(|(field, count)| ((*field).to_owned(), *count)));
        }
        text
    }
}

/// Lines of a name, a number, and a bar as long as the number is large beside `most`.
fn rows(text: &mut String, most: u64, rows: impl Iterator<Item = (String, u64)> + Clone) {
    let width = rows.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, count) in rows {
        let len = usize::try_from((u128::from(count) * u128::from(BAR)).div_ceil(u128::from(most.max(1)))).unwrap_or(0);
        let line = format!("  {name:width$}  {count:>8}  {}", "█".repeat(len));
        let _ = writeln!(text, "{}", line.trim_end());
    }
}
