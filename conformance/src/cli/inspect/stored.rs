//! The sections about segments, their users, and named data.

use std::collections::BTreeMap;

use torchproof::flatbuffer::{Fault, Vector};
use torchproof::metadata::PREFIX;
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof::pte::schema::{DataLocation, SubsegmentOffsets};
use torchproof::{DataEntry, Error, Span};
use torchproof_harness::disk::input::Input;

use super::report::Report;
use super::tensors::size;
use crate::document::meta::{DeclaredType, ValuePreview};
use crate::fields::vector::{items, len};
use crate::fields::words::{list, name, place, quoted_short, scalar_type, value};
use crate::page::size::Size;

const NAMED: usize = 3;

#[derive(Clone, Copy)]
pub(super) enum StoredParts<'a> {
    Program(&'a Pte<'a>),
    Data(&'a Ptd<'a>),
}

struct Users {
    most: usize,
    by_segment: BTreeMap<u32, (Vec<String>, usize)>,
}

impl Users {
    fn add<E: Copy>(&mut self, segment: Result<u32, E>, user: impl FnOnce() -> Option<String>) {
        let Ok(segment) = segment else { return };
        if (segment as usize) < self.most {
            let (named, all) = self.by_segment.entry(segment).or_default();
            *all += 1;
            named.extend(user().filter(|_| named.len() < NAMED));
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

impl<'a> StoredParts<'a> {
    fn each_segment(self) -> Box<dyn Iterator<Item = Result<(u64, u64), Fault>> + 'a> {
        match self {
            Self::Program(file) => Box::new(
                items(file.program().segments())
                    .map(|entry| entry.and_then(|entry| Ok((entry.offset()?, entry.size()?)))),
            ),
            Self::Data(file) => {
                let segments = file.segments().ok().flatten().into_iter().flat_map(Vector::iter);
                Box::new(segments.map(|entry| entry.and_then(|entry| Ok((entry.offset()?, entry.size()?)))))
            }
        }
    }

    fn segment(self, index: u32) -> Result<Span, Error> {
        match self {
            Self::Program(file) => file.segment(index),
            Self::Data(file) => file.segment(index),
        }
    }

    fn entries(self) -> Box<dyn Iterator<Item = Result<DataEntry<'a>, Error>> + 'a> {
        match self {
            Self::Program(file) => Box::new(file.named_data()),
            Self::Data(file) => Box::new(file.entries()),
        }
    }

    fn add_users(self, users: &mut Users) {
        match self {
            Self::Program(file) => {
                let program = file.program();
                if let Some(constants) = program.constant_segment().ok().flatten() {
                    // The list of offsets begins with a placeholder, so a list with one offset contains no constant.
                    if len(constants.offsets()) > 1 {
                        users.add(constants.segment_index(), || Some("constants".to_owned()));
                    }
                }
                for (number, segment) in items(program.mutable_data_segments()).enumerate() {
                    let index = segment.and_then(SubsegmentOffsets::segment_index);
                    users.add(index, || Some(format!("mutable data {number}")));
                }
                for method in file.methods().flatten() {
                    for (number, delegate) in method.delegates().enumerate() {
                        let Ok(Some(blob)) = delegate.and_then(|delegate| Ok(delegate.processed()?)) else { continue };
                        if blob.location() == Ok(DataLocation::SEGMENT) {
                            users.add(blob.index(), || Some(format!("delegate {number} of {}", name(method.name()))));
                        }
                    }
                }
            }
            Self::Data(_) => {}
        }
        for entry in self.entries().flatten() {
            users.add(entry.segment_index(), || Some(quoted_short(entry.key().ok()?.as_bytes())));
        }
    }

    pub(super) fn segments(self, report: &mut Report) {
        let mut users = Users { most: report.most(), by_segment: BTreeMap::new() };
        self.add_users(&mut users);
        let mut rows = report.rows(&[">segment", ">offset", ">size", ">in the file at", "used by"]);
        let mut bytes = 0_u64;
        for (index, entry) in (0..).zip(self.each_segment()) {
            let span = entry.is_ok().then(|| self.segment(index));
            if let Some(Err(error)) = span {
                report.problem(format_args!("segments[{index}]: {error}"));
            }
            let span = span.and_then(Result::ok);
            bytes = bytes.saturating_add(span.map_or(0, |span| span.len));
            rows.add(|| {
                let at = span.map_or("?".to_owned(), |span| format!("{:#x}", span.offset));
                let (offset, size) = (entry.map(|(offset, _)| offset), entry.map(|(_, size)| Size(size)));
                [index.to_string(), place(offset), value(size), at, users.of(index)]
            });
        }
        report.heading(match rows.total {
            0 => "Segments: none".to_owned(),
            total => format!("Segments: {total}, together {}", Size(bytes)),
        });
        report.table(&rows);
    }

    pub(super) fn named_data(self, input: &Input, report: &mut Report) {
        let mut rows = report.rows(&["key", ">segment", ">bytes", "tensor or value"]);
        for entry in self.entries() {
            let Ok(entry) = entry else {
                rows.add(|| ["?"; 4].map(str::to_owned));
                continue;
            };
            if entry.list() != "named_data" {
                continue; // The section about tensors lists the tensors of a legacy file.
            }
            let span = entry.segment_index().map(|_| entry.span());
            if let Ok(Err(error)) = span {
                report.problem(format_args!("named_data[{}]: {error}", entry.index()));
            }
            let span = span.ok().and_then(Result::ok);
            rows.add(|| {
                let about = metadata(input, entry, span).unwrap_or_else(|| tensor(entry));
                [name(entry.key()), value(entry.segment_index()), size(span.map(|span| span.len)), about]
            });
        }
        report.heading(match rows.total {
            0 => "Named data: none".to_owned(),
            total => format!("Named data: {total}"),
        });
        report.table(&rows);
    }
}

fn metadata(input: &Input, entry: DataEntry<'_>, span: Option<Span>) -> Option<String> {
    let key = entry.key().ok()?.as_bytes();
    let span = span.filter(|_| key.starts_with(PREFIX))?;
    let preview = ValuePreview::at(input, span, DeclaredType::default().or_well_known(key));
    Some(preview.map_or_else(|error| error.to_string(), |preview| preview.text()))
}

/// Text such as `FLOAT [4, 8], order [0, 1]`; empty for an opaque blob.
fn tensor(entry: DataEntry<'_>) -> String {
    match entry.scalar_type().transpose() {
        None => String::new(),
        Some(ty) => format!("{} {}, order {}", scalar_type(ty), list(entry.sizes()), list(entry.dim_order())),
    }
}
