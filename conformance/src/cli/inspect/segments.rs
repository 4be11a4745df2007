//! The segment table, and who refers to what in it.

use std::collections::BTreeMap;

use torchproof::flatbuffer::{Fault, Str, Vector};
use torchproof::ptd::{Layout, Ptd};
use torchproof::pte::Pte;
use torchproof::pte::schema::DataLocation;
use torchproof::{Error, Span};
use torchproof_cli::text::size::Size;

use super::report::Report;
use super::text::{name, quoted_short, table};
use super::vector::{items, len};

/// References to one segment that are named; the others are counted.
const NAMED: usize = 3;

/// Who refers to the segments that are listed.
struct Users {
    rows: usize,
    by_segment: BTreeMap<u32, (Vec<String>, usize)>,
}

impl Users {
    fn new(report: &Report) -> Self {
        Self { rows: report.rows(), by_segment: BTreeMap::new() }
    }

    fn add(&mut self, segment: u32, user: impl FnOnce() -> String) {
        if segment as usize >= self.rows {
            return;
        }
        let (named, all) = self.by_segment.entry(segment).or_default();
        *all += 1;
        if named.len() < NAMED {
            named.push(user());
        }
    }

    fn add_key(&mut self, key: Result<Option<Str<'_>>, Fault>, segment: Result<u32, Fault>) {
        if let (Ok(Some(key)), Ok(segment)) = (key, segment) {
            self.add(segment, || quoted_short(key.as_bytes()));
        }
    }

    fn of(&self, segment: u32) -> String {
        match self.by_segment.get(&segment) {
            None => "nothing".to_owned(),
            Some((named, all)) if *all > named.len() => format!("{}, {} more", named.join(", "), all - named.len()),
            Some((named, _)) => named.join(", "),
        }
    }
}

/// The segments of a program.
pub(super) fn of_program(file: &Pte<'_>, report: &mut Report) {
    let program = file.program();
    let mut users = Users::new(report);
    if let Some(constants) = program.constant_segment().ok().flatten() {
        // One entry is a placeholder: without a second, there are no constants and the index means nothing.
        if let (Ok(index), true) = (constants.segment_index(), len(constants.offsets()) > 1) {
            users.add(index, || "constants".to_owned());
        }
    }
    for (number, segment) in items(program.mutable_data_segments()).enumerate() {
        if let Some(index) = segment.ok().and_then(|segment| segment.segment_index().ok()) {
            users.add(index, || format!("mutable data {number}"));
        }
    }
    for plan in items(program.execution_plan()).flatten() {
        for (number, delegate) in items(plan.delegates()).enumerate() {
            let blob = delegate.ok().and_then(|delegate| delegate.processed().ok().flatten());
            let place = blob.and_then(|blob| Some((blob.location().ok()?, blob.index().ok()?)));
            if let Some((DataLocation::SEGMENT, index)) = place {
                users.add(index, || format!("delegate {number} of {}", name(plan.name())));
            }
        }
    }
    for entry in items(program.named_data()).flatten() {
        users.add_key(entry.key(), entry.segment_index());
    }
    let entries = items(program.segments()).map(|entry| entry.and_then(|entry| Ok((entry.offset()?, entry.size()?))));
    list(entries, |index| file.segment(index), &users, report);
}

/// The segments of a data file.
pub(super) fn of_data(file: &Ptd<'_>, report: &mut Report) {
    let mut users = Users::new(report);
    match file.layout() {
        Layout::Current(root) => {
            for entry in items(root.named_data()).flatten() {
                users.add_key(entry.key(), entry.segment_index());
            }
        }
        Layout::Older(root) => {
            for tensor in items(root.tensors()).flatten() {
                users.add_key(tensor.fully_qualified_name(), tensor.segment_index());
            }
            for entry in items(root.named_data()).flatten() {
                users.add_key(entry.key(), entry.segment_index());
            }
        }
    }
    let segments = file.segments().ok().flatten();
    let entries = segments.into_iter().flat_map(Vector::iter);
    let entries = entries.map(|entry| entry.and_then(|entry| Ok((entry.offset()?, entry.size()?))));
    list(entries, |index| file.segment(index), &users, report);
}

fn list(
    entries: impl Iterator<Item = Result<(u64, u64), Fault>>,
    segment: impl Fn(u32) -> Result<Span, Error>,
    users: &Users,
    report: &mut Report,
) {
    let mut rows = table(&[">segment", ">offset", ">size", ">in the file at", "used by"]);
    let mut total = 0;
    let mut bytes = 0_u64;
    for (index, entry) in (0..).zip(entries) {
        total += 1;
        let place = match entry {
            // A fault is among the problems already.
            Err(_) => None,
            Ok(_) => segment(index).map_err(|error| report.problem(format_args!("segments[{index}]: {error}"))).ok(),
        };
        bytes = bytes.saturating_add(place.map_or(0, |span| span.len));
        if (index as usize) < report.rows() {
            let (offset, size) = match entry {
                Ok((offset, size)) => (format!("{offset:#x}"), Size(size).to_string()),
                Err(_) => ("?".to_owned(), "?".to_owned()),
            };
            let at = place.map_or("?".to_owned(), |span| format!("{:#x}", span.offset));
            rows.add_row([index.to_string(), offset, size, at, users.of(index)]);
        }
    }
    report.heading(match total {
        0 => "Segments: none".to_owned(),
        _ => format!("Segments: {total}, together {}", Size(bytes)),
    });
    report.table(&rows, total);
}
