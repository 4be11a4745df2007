//! `torchproof pack`: makes a file of its canonical JSON.

use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use torchproof::check::ReadAt;

use super::{Done, message};
use crate::disk::input::InputError;
use crate::disk::{Existing, same_place};
use crate::file::pack::{self, PackOptions};
use crate::file::{AcceptedFile, Document, EditError, MOST_ALIGNMENT};
use crate::findings::Examined;
use crate::findings::text;
use crate::text::escape::plain_name;

/// Make a .pte, .ptd or .bpte file from its canonical JSON
///
/// The JSON is what `torchproof dump` prints. The bytes of each segment are the `data` of its entry in `segments`: `{"file":
/// PATH}`, optionally with `offset` and `len`, `{"hex": …}`, `{"base64": …}`, or `{"fill": HEX}`, repeated up to the entry's
/// `size`. `torchproof dump --with-data DIR` prints it with them.
///
/// Given values are written verbatim or rejected; omitted ones default to what the official writers emit. An entry of `segments`
/// may have an `alignment` in place of its `offset`, a power of two up to 65536.
///
/// The program in a bundled one is specified under `bundled_program.program`; every option applies to it. It is held in memory.
///
/// PATHs are relative to SPEC's folder, to the current folder if SPEC is stdin, or to --data-dir. A file outside that folder, by
/// `..`, by a link or by an absolute PATH, is refused before it is opened; --allow-outside reads it.
///
/// FILE appears once it is whole and accepted by `torchproof check`, whose warnings go to stderr; stdout gets a copy of such a
/// file. A replaced file keeps its permissions, owner and group.
///
/// Exit code 0: it is there, perhaps with warnings; 2: it is not, and one line on stderr says why.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  torchproof dump --with-data parts model.pte | torchproof pack -o same.pte
  torchproof pack spec.json -o model.ptd --segment-alignment 4096
  torchproof pack broken.json -o broken.pte --raw")]
pub(super) struct PackArgs {
    /// The JSON; - for stdin
    #[arg(default_value = "-")]
    spec: PathBuf,
    /// The file to be made; - for stdout
    #[arg(long, short)]
    output: PathBuf,
    /// Replace a file that is there, but for SPEC and what the segments are read from
    #[arg(long, short)]
    force: bool,
    /// Find the segments' files from this folder
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Read files outside that folder too: SPEC can then copy any file that you may read into FILE
    #[arg(long)]
    allow_outside: bool,
    /// Make no file larger than this, in bytes or with KiB, MiB, GiB or TiB
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = size)]
    max_size: u64,
    /// Align segments to this where SPEC has no place for them; a power of two, by default 128, in the older data files 16
    #[arg(long, value_name = "N", value_parser = power)]
    segment_alignment: Option<u64>,
    /// Align constants and delegate blobs inside a program's FlatBuffer to this; a power of two from 16 to 65536
    #[arg(long, value_name = "N", value_parser = inline_power)]
    inline_alignment: Option<usize>,
    /// Write every number of the header and of the segment table as SPEC has it, and put in place whatever comes of it
    #[arg(long)]
    raw: bool,
}

/// A number of bytes.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|char: char| !char.is_ascii_digit());
    let shift = match &text[digits.len()..] {
        "" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        "TiB" => 40,
        _ => return Err("is not a number with KiB, MiB, GiB, TiB or nothing".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|error| format!("{error}"))?;
    number.checked_mul(1 << shift).ok_or_else(|| "is more than fits into 64 bits".to_owned())
}

/// The alignments that there are.
fn power(text: &str) -> Result<u64, String> {
    let known = |number: &u64| number.is_power_of_two() && *number <= MOST_ALIGNMENT;
    text.parse().ok().filter(known).ok_or_else(|| format!("is not a power of two up to {MOST_ALIGNMENT}"))
}

fn inline_power(text: &str) -> Result<usize, String> {
    let alignment = power(text).ok().and_then(|number| usize::try_from(number).ok()).filter(|number| *number >= 16);
    alignment.ok_or_else(|| format!("is not a power of two from 16 to {MOST_ALIGNMENT}"))
}

pub(super) fn run(args: &PackArgs) -> Done {
    let stdin = args.spec == Path::new("-");
    let stdout = args.output == Path::new("-");
    let name = if stdin { "stdin".to_owned() } else { plain_name(&args.spec.to_string_lossy()) };
    let folder = if stdin { Path::new("") } else { args.spec.parent().unwrap_or(Path::new("")) };
    let options = PackOptions {
        folder: args.data_dir.as_deref().unwrap_or(folder).to_owned(),
        allow_outside: args.allow_outside,
        raw: args.raw,
        max_size: args.max_size,
        segment_alignment: args.segment_alignment,
        inline_alignment: args.inline_alignment,
    };
    let json: Box<dyn Read> = if stdin { Box::new(io::stdin().lock()) } else { Box::new(open(&args.spec)?) };
    let read = pack::read(BufReader::with_capacity(1 << 16, json), &options);
    let mut document = read.map_err(|error| format!("{name}: {error}"))?;
    let output = if stdout { "stdout".to_owned() } else { plain_name(&args.output.to_string_lossy()) };
    let made_of = document.files().any(|file| same_place(file, &args.output));
    if !stdout && (made_of || !stdin && same_place(&args.spec, &args.output)) {
        return Err(format!("{output}: is what the file is made of, and would be lost").into());
    }
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    let written = if stdout { to_stdout(&mut document) } else { document.save(&args.output, existing) };
    let checked = written.map_err(|error| match error {
        error @ (EditError::Output { .. } | EditError::Input(_)) => message(&error),
        error => format!("{name}: {}", pack::in_specification(&document, &error)),
    })?;
    if let Some(checked) = checked {
        warn(&checked.input, &checked.examined, &output);
    }
    Ok(ExitCode::SUCCESS)
}

fn open(path: &Path) -> Result<File, InputError> {
    let opened = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok(file),
    });
    opened.map_err(|error| InputError::new(path, &error))
}

/// Writes the file to a temporary one, checks that, and copies it to stdout.
fn to_stdout(document: &mut Document) -> Result<Option<AcceptedFile>, EditError> {
    let failed = |path: &str| {
        let path = path.into();
        move |error| EditError::Output { path, error }
    };
    let mut file = tempfile::NamedTempFile::new().map_err(failed("the temporary file"))?;
    document.write_unchecked(file.as_file_mut())?;
    let checked = document.expect_accepted(file.path())?;
    file.rewind().map_err(failed("the temporary file"))?;
    let mut stdout = io::stdout().lock();
    match io::copy(&mut file, &mut stdout).and_then(|_| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(failed("stdout")(error)),
        _ => Ok(checked),
    }
}

/// Says on stderr which rules the accepted file breaks all the same.
fn warn(file: &dyn ReadAt, examined: &Examined, name: &str) {
    if examined.report.should == 0 {
        return;
    }
    let colour = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    // Nobody is left to tell if stderr is gone; the file is there.
    let _ = io::stderr().write_all(text::render(name, file, examined, false, colour).as_bytes());
}

#[cfg(test)]
mod tests {
    use crate::file::pack::MOST_SIZE;

    use super::size;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("16GiB"), Ok(MOST_SIZE));
        assert_eq!((size("7"), size("3KiB"), size("2MiB"), size("1TiB")), (Ok(7), Ok(3072), Ok(2 << 20), Ok(1 << 40)));
        for wrong in ["", "GiB", "-1", "1.5GiB", "16GB", "18446744073709551615KiB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
