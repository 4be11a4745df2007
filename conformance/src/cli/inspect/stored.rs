//! The sections about segments, their users, and named data.

use std::collections::BTreeMap;

use torchproof::flatbuffer::{Fault, Str, Vector};
use torchproof::metadata::PREFIX;
use torchproof::ptd::legacy_schema::LegacyNamedData;
use torchproof::ptd::schema::TensorLayout;
use torchproof::ptd::{self, Layout, Ptd};
use torchproof::pte::schema::{BackendDelegate, DataLocation, SubsegmentOffsets};
use torchproof::pte::{self, Pte};
use torchproof::{Error, Span};

use super::report::Report;
use super::tensors::size;
use crate::disk::input::Input;
use crate::file::meta::{Declared, Look};
use crate::file::vector::{items, len};
use crate::file::words::{list, name, place, quoted_short, scalar_type, value};
use crate::text::size::Size;

/// The maximum number of users that the report names for a segment. The report counts further users but does not
/// name them.
const NAMED: usize = 3;

/// The program or data file that contains the reported segments.
#[derive(Clone, Copy)]
pub(super) enum Stored<'a> {
    Program(&'a Pte<'a>),
    Data(&'a Ptd<'a>),
}

/// An entry of named data. If a field is broken, the report already contains the fault.
#[derive(Clone, Copy)]
struct Named<'a> {
    key: Result<Option<Str<'a>>, Fault>,
    segment: Result<u32, Fault>,
    layout: Result<Option<TensorLayout<'a>>, Fault>,
}

/// The users of each listed segment. The map contains the names of the first few users and the total number of users.
struct Users {
    most: usize,
    by_segment: BTreeMap<u32, (Vec<String>, usize)>,
}

impl Users {
    fn add(&mut self, segment: Result<u32, Fault>, user: impl FnOnce() -> Option<String>) {
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

impl<'a> Stored<'a> {
    /// Returns the offset and size that the root table states for each segment.
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

    /// Returns the span of a segment in the file.
    fn segment(self, index: u32) -> Result<Span, Error> {
        match self {
            Self::Program(file) => file.segment(index),
            Self::Data(file) => file.segment(index),
        }
    }

    fn each_named(self) -> Box<dyn Iterator<Item = Named<'a>> + 'a> {
        match self {
            Self::Program(file) => Box::new(items(file.program().named_data()).map(|entry| Named {
                key: entry.and_then(pte::schema::NamedData::key),
                segment: entry.and_then(pte::schema::NamedData::segment_index),
                layout: Ok(None),
            })),
            Self::Data(file) => match file.layout() {
                Layout::Current(root) => Box::new(items(root.named_data()).map(|entry| Named {
                    key: entry.and_then(ptd::schema::NamedData::key),
                    segment: entry.and_then(ptd::schema::NamedData::segment_index),
                    layout: entry.and_then(ptd::schema::NamedData::tensor_layout),
                })),
                Layout::Legacy(root) => Box::new(items(root.named_data()).map(|entry| Named {
                    key: entry.and_then(LegacyNamedData::key),
                    segment: entry.and_then(LegacyNamedData::segment_index),
                    layout: Ok(None),
                })),
            },
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
                for plan in items(program.execution_plan()).flatten() {
                    for (number, delegate) in items(plan.delegates()).enumerate() {
                        let Ok(Some(blob)) = delegate.and_then(BackendDelegate::processed) else { continue };
                        if blob.location() == Ok(DataLocation::SEGMENT) {
                            users.add(blob.index(), || Some(format!("delegate {number} of {}", name(plan.name()))));
                        }
                    }
                }
            }
            Self::Data(file) => {
                if let Layout::Legacy(root) = file.layout() {
                    for tensor in items(root.tensors()).flatten() {
                        users.add(tensor.segment_index(), || {
                            Some(quoted_short(tensor.fully_qualified_name().ok()??.as_bytes()))
                        });
                    }
                }
            }
        }
        for named in self.each_named() {
            users.add(named.segment, || Some(quoted_short(named.key.ok()??.as_bytes())));
        }
    }

    /// Reports the segments with their users.
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

    /// Reports the named data, with the layout of each tensor and the value of each metadata entry.
    pub(super) fn named_data(self, input: &Input, report: &mut Report) {
        let mut rows = report.rows(&["key", ">segment", ">bytes", "tensor or value"]);
        for (index, named) in self.each_named().enumerate() {
            let span = named.segment.map(|segment| self.segment(segment));
            if let Ok(Err(error)) = span {
                report.problem(format_args!("named_data[{index}]: {error}"));
            }
            let span = span.ok().and_then(Result::ok);
            rows.add(|| {
                let about = metadata(input, named, span).unwrap_or_else(|| tensor(named.layout));
                [name(named.key), value(named.segment), size(span.map(|span| span.len)), about]
            });
        }
        report.heading(match rows.total {
            0 => "Named data: none".to_owned(),
            total => format!("Named data: {total}"),
        });
        report.table(&rows);
    }
}

/// Returns the value of a metadata entry as text.
fn metadata(input: &Input, named: Named<'_>, span: Option<Span>) -> Option<String> {
    let key = named.key.ok()??.as_bytes();
    let span = span.filter(|_| key.starts_with(PREFIX))?;
    let look = Look::at(input, span, Declared::default().or_well_known(key));
    Some(look.map_or_else(|error| error.to_string(), |look| look.text()))
}

/// Returns a tensor layout as text such as `FLOAT [4, 8], order [0, 1]`. The text is empty for an opaque blob.
fn tensor(layout: Result<Option<TensorLayout<'_>>, Fault>) -> String {
    match layout {
        Err(_) => "?".to_owned(),
        Ok(None) => String::new(),
        Ok(Some(layout)) => {
            let (ty, sizes) = (scalar_type(layout.scalar_type()), list(layout.sizes()));
            format!("{ty} {sizes}, order {}", list(layout.dim_order()))
        }
    }
}
