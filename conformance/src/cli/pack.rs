//! `torchproof pack`: writes a file from its canonical JSON.

use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use torchproof::check::ReadAt;
use torchproof_harness::disk::input::InputError;
use torchproof_harness::disk::open::open_argument;
use torchproof_harness::disk::{OverwritePolicy, same_place};
use torchproof_harness::text::escape::plain_name;

use super::{CommandResult, with_unit};
use crate::document::pack::{self, PackOptions};
use crate::document::{AcceptedFile, Document, EditError, MAX_ALIGNMENT};
use crate::findings::ExaminedFile;
use crate::findings::text;

/// Write a .pte, .ptd or .bpte file from JSON
///
/// SPEC is JSON as `torchproof dump --with-data DIR` prints it. In each entry of `segments`, the `data` member gives
/// the bytes: `{"file":PATH}` with optional `offset` and `len`, `{"hex":DIGITS}`, `{"base64":TEXT}`, or
/// `{"fill":DIGITS}`, which is repeated until the segment has `size` bytes.
///
/// Each value in SPEC is written verbatim or rejected; for omitted values, `pack` writes what the official writers
/// emit. Instead of an `offset`, an entry of `segments` can have an `alignment`, a power of two up to 65536.
///
/// For a bundled program, `bundled_program.program` specifies the inner program, which is kept in memory. All options
/// apply to the inner program.
///
/// Each PATH is relative to SPEC's folder (the current folder if SPEC is stdin), or to --data-dir. A PATH that leads
/// outside this data folder, through `..`, a link or an absolute path, is rejected unless you pass --allow-outside.
///
/// The output file is created only if `torchproof check` would accept it; warnings go to stderr. If it replaces a file,
/// it keeps that file's permissions, owner and group.
///
/// Exits with 0 if the file was written, and 2 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Restore a file from its dump:
    torchproof dump --with-data d corpus/real/add.pte | torchproof pack -o a.pte
  Write a data file without tensors:
    echo '{\"kind\":\"ptd\",\"flat_tensor\":{\"named_data\":[]}}' | torchproof pack -o a")]
pub(super) struct PackArgs {
    /// The JSON file; - means stdin
    #[arg(default_value = "-")]
    spec: PathBuf,
    /// The output file; - means stdout
    #[arg(long, short)]
    output: PathBuf,
    /// Replace OUTPUT if it exists, unless it is SPEC or a file that SPEC names
    #[arg(long, short)]
    force: bool,
    /// Data folder that each PATH in SPEC is relative to
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Allow each PATH to lead outside the data folder. An untrusted SPEC can then copy any file that you can read into
    /// the output file
    #[arg(long)]
    allow_outside: bool,
    /// Maximum size of the output file, in bytes or with the unit KiB, MiB, GiB or TiB
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = size)]
    max_size: u64,
    /// Alignment for segments without an offset in SPEC: a power of two [default: 128; in the legacy layout, 16]
    #[arg(long, value_name = "N", value_parser = power)]
    segment_alignment: Option<u64>,
    /// Alignment of constants and delegate blobs in a program's FlatBuffer: a power of two from 16 to 65536 [default:
    /// 16]
    #[arg(long, value_name = "N", value_parser = inline_power)]
    inline_alignment: Option<usize>,
}

fn size(text: &str) -> Result<u64, &'static str> {
    let bytes = with_unit(text, &[("", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)]);
    bytes.ok_or("expected fewer than 2^64 bytes, optionally with KiB, MiB, GiB or TiB")
}

fn power(text: &str) -> Result<u64, String> {
    let valid = |number: &u64| number.is_power_of_two() && *number <= MAX_ALIGNMENT;
    text.parse().ok().filter(valid).ok_or_else(|| format!("expected a power of two from 1 to {MAX_ALIGNMENT}"))
}

fn inline_power(text: &str) -> Result<usize, String> {
    let alignment = power(text).ok().and_then(|number| usize::try_from(number).ok()).filter(|number| *number >= 16);
    alignment.ok_or_else(|| format!("expected a power of two from 16 to {MAX_ALIGNMENT}"))
}

pub(super) fn run(args: &PackArgs) -> CommandResult {
    let stdin = args.spec == Path::new("-");
    let stdout = args.output == Path::new("-");
    let name = if stdin { "stdin".to_owned() } else { plain_name(&args.spec.to_string_lossy()) };
    let folder = if stdin { Path::new("") } else { args.spec.parent().unwrap_or(Path::new("")) };
    let options = PackOptions {
        folder: args.data_dir.as_deref().unwrap_or(folder).to_owned(),
        allow_outside: args.allow_outside,
        max_size: args.max_size,
        segment_alignment: args.segment_alignment,
        inline_alignment: args.inline_alignment,
    };
    let json: Box<dyn Read> = if stdin { Box::new(io::stdin().lock()) } else { Box::new(open(&args.spec)?) };
    let read = pack::read(BufReader::with_capacity(1 << 16, json), &options);
    let mut document = read.map_err(|error| format!("{name}: {error}"))?;
    let output = if stdout { "stdout".to_owned() } else { plain_name(&args.output.to_string_lossy()) };
    let is_input = document.files().any(|file| same_place(file, &args.output));
    if !stdout && (is_input || !stdin && same_place(&args.spec, &args.output)) {
        return Err(format!("{output}: is an input of this command; write to another file").into());
    }
    let existing = if args.force { OverwritePolicy::Replace } else { OverwritePolicy::Keep };
    let written = if stdout { to_stdout(&mut document) } else { document.save(&args.output, existing) };
    let checked = written.map_err(|error| match error {
        error @ (EditError::Output { .. } | EditError::Input(_)) => error.to_string(),
        error => format!("{name}: {}", pack::in_specification(&document, &error)),
    })?;
    warn(&checked.input, &checked.examined, &output);
    Ok(ExitCode::SUCCESS)
}

fn open(path: &Path) -> Result<File, InputError> {
    open_argument(path).map_err(|error| InputError::new(path, &error))
}

fn to_stdout(document: &mut Document) -> Result<AcceptedFile, EditError> {
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

fn warn(file: &dyn ReadAt, examined: &ExaminedFile, name: &str) {
    if examined.report.should == 0 {
        return;
    }
    let color = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    // The file has been written, and warnings do not change the exit code.
    let _ = io::stderr().write_all(text::render(name, file, examined, false, color).as_bytes());
}

#[cfg(test)]
mod tests {
    use crate::document::pack::MAX_SIZE;

    use super::size;

    #[test]
    fn parses_sizes_with_units() {
        assert_eq!(size("16GiB"), Ok(MAX_SIZE));
        assert_eq!((size("7"), size("3KiB"), size("2MiB"), size("1TiB")), (Ok(7), Ok(3072), Ok(2 << 20), Ok(1 << 40)));
        for wrong in ["", "GiB", "-1", "1.5GiB", "16GB", "18446744073709551615KiB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
