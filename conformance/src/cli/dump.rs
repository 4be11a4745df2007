//! `torchproof dump`: prints a file as canonical JSON.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use torchproof::{ErrorCode, Span, view};

use torchproof_conformance::edit::{EditError, Existing, NewFile};
use torchproof_conformance::input::{Input, InputError};
use torchproof_conformance::report::plain_name;

use super::{Done, complain, unshown};

/// Print a file as canonical JSON, field for field.
///
/// The tables are printed as `flatc --json --strict-json --defaults-json` prints them, with the header in front and the
/// segments behind, each with the SHA-256 of its bytes.
///
/// Exit code 0: it is printed; 1: the file is broken, and one line on stderr says where; 2: it could not be read, is too
/// much work, or is of a kind that is not printed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The .pte or .ptd file
    file: PathBuf,
    /// Write the bytes of each segment into a file in this folder, and name it in the JSON: `torchproof pack` takes that, run
    /// where this was
    #[arg(long, value_name = "DIR")]
    with_data: Option<PathBuf>,
    /// Leave the segments' digests out, and their bytes unread
    #[arg(long)]
    no_hash: bool,
    /// Print everything on one line
    #[arg(long)]
    compact: bool,
}

pub(super) fn run(args: &Args) -> Done {
    match dump(args, Ascii(BufWriter::new(io::stdout().lock()))) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(Failure::Broken(error)) => {
            let message = format!("{}: {error}", plain_name(&args.file.to_string_lossy()));
            if let ErrorCode::Limit(_) = error.error().code {
                return Err(message.into());
            }
            complain(&message);
            Ok(ExitCode::FAILURE)
        }
        Err(Failure::Unshown(why)) => Err(why.into()),
        Err(Failure::Input(error)) => Err(error.into()),
        Err(Failure::Data(error)) => Err(error.into()),
        // Whoever read the output has seen enough and closed it.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(Failure::Output(error)) => Err(error.into()),
    }
}

fn dump(args: &Args, mut out: impl Write) -> Result<(), Failure> {
    let input = Input::open(&args.file)?;
    if let Some(why) = unshown(&input) {
        return Err(Failure::Unshown(why));
    }
    let mut file = view::File::open(input.image())?;
    if !args.no_hash {
        file.hash(|span, sink| input.read(span, sink).map_err(Failure::Input))?;
    }
    if let Some(folder) = &args.with_data {
        let data = write_data(&input, &file.segments()?, folder)?;
        file.set_data(data);
    }
    let written = if args.compact {
        serde_json::to_writer(&mut out, &file)
    } else {
        serde_json::to_writer_pretty(&mut out, &file)
    };
    written.map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Writes each segment that has bytes into a file of the folder, where there is none yet; what the JSON says of each.
fn write_data(input: &Input, segments: &[Span], folder: &Path) -> Result<Vec<Value>, Failure> {
    let failed = |path: &Path, error| {
        let path = path.to_owned();
        Failure::Data(EditError::Output { path, error })
    };
    let name = folder.to_str().ok_or_else(|| failed(folder, io::Error::other("the name is not UTF-8")))?;
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let mut data = Vec::with_capacity(segments.len());
    let mut written = BTreeMap::new();
    let mut left = input.image().len();
    for (index, span) in segments.iter().enumerate() {
        if span.len == 0 {
            data.push(json!({ "hex": "" }));
            continue;
        }
        let path = match written.get(&(span.offset, span.len)) {
            Some(path) => PathBuf::clone(path),
            None => {
                let path = Path::new(name).join(format!("segment-{index}.bin"));
                // Segments that overlap could come to far more than the file.
                left = left.checked_sub(span.len).ok_or_else(|| {
                    failed(&path, io::Error::other("the segments overlap, and are more than the file"))
                })?;
                let write = || -> io::Result<()> {
                    let mut new = NewFile::create(&path, Existing::Keep)?;
                    copy_sparse(&mut input.range(*span), span.len, new.file())?;
                    new.put_in_place()
                };
                write().map_err(|error| failed(&path, error))?;
                written.insert((span.offset, span.len), path.clone());
                path
            }
        };
        data.push(json!({ "file": path.to_str() }));
    }
    Ok(data)
}

/// Copies `len` bytes to a new file, in which zeros are left as holes.
fn copy_sparse(from: &mut impl Read, len: u64, to: &mut File) -> io::Result<()> {
    let mut piece = vec![0; 1 << 16];
    loop {
        match from.read(&mut piece)? {
            0 => return to.set_len(len),
            count if piece[..count].iter().all(|byte| *byte == 0) => {
                to.seek(SeekFrom::Current(i64::try_from(count).map_err(io::Error::other)?))?;
            }
            count => to.write_all(&piece[..count])?,
        }
    }
}

/// Writes JSON as printable ASCII, as flatc does: a file's text must not speak to the terminal.
pub(super) struct Ascii<W>(pub(super) W);

impl<W: Write> Write for Ascii<W> {
    /// Takes whole characters, which is how serde_json gives them.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        while let Some(at) = rest.find(|char: char| !char.is_ascii() || char == '\x7f') {
            let (plain, odd) = rest.split_at(at);
            self.0.write_all(plain.as_bytes())?;
            let mut left = odd.chars();
            for unit in left.next().unwrap_or_default().encode_utf16(&mut [0; 2]) {
                write!(self.0, "\\u{unit:04x}")?;
            }
            rest = left.as_str();
        }
        self.0.write_all(rest.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Why nothing, or not everything, was printed.
enum Failure {
    Unshown(String),
    Broken(view::Error),
    Input(InputError),
    Data(EditError),
    Output(io::Error),
}

impl From<view::Error> for Failure {
    fn from(error: view::Error) -> Self {
        Failure::Broken(error)
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Failure::Input(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}
