//! `check --format json`: one object, `{"files":[…]}`.

use std::io::{self, Write};

use serde::Serialize;
use torchproof_harness::text::ascii;
use torchproof_model::check::{CheckedFile, FileResult};

use crate::render::stream::StreamedList;

pub(crate) fn write(out: impl Write, files: impl Iterator<Item = CheckedFile>, deny_should: bool) -> io::Result<()> {
    #[derive(Serialize)]
    #[serde(bound = "I: Iterator<Item = FileResult>")]
    struct Report<I> {
        files: StreamedList<I>,
    }
    let files = StreamedList::new(files.map(|file| FileResult::of(file, deny_should)));
    ascii::write_pretty(out, &Report { files })
}
