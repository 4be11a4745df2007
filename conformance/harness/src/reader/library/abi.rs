//! **The C ABI of a library**, which must match `conformance/readers/common/torchproof.h`.
#![allow(unsafe_code, reason = "calls functions of a library")]

use std::error::Error;
use std::ffi::{CStr, CString, c_char};
use std::io;
use std::path::Path;
use std::ptr;

use libloading::os::unix::{RTLD_LOCAL, RTLD_NOW};
use rustix::process::getpid;
use serde_json::Value;

use super::{child, memory};
use crate::disk::io_error::in_words;
use crate::text::json::from_json;
use torchproof_protocol::{Delivery, Hello, NotAccepted, ReadRequest, RequestFile, Role, Stage, Want, open_whole};

/// `struct torchproof_file`.
#[repr(C)]
struct File {
    role: i32,
    path: *const c_char,
    bytes: *const u8,
    offset: u64,
    size: u64,
    layouts: *const u64,
    layout_count: u64,
}

/// `struct torchproof_request`.
#[repr(C)]
struct Request {
    files: *const File,
    file_count: u64,
    stage: i32,
    want: i32,
}

/// `struct torchproof_answer`.
#[repr(C)]
struct Reply {
    stage: i32,
    message: *const c_char,
    value: *const c_char,
}

/// `TORCHPROOF_STAGE_UNKNOWN`.
const NO_STAGE: i32 = -1;

// `TORCHPROOF_ACCEPT` and the other outcomes.
const ACCEPT: i32 = 0;
const REJECT: i32 = 1;
const UNSUPPORTED: i32 = 2;
const ERROR: i32 = 3;

type HelloFunction = unsafe extern "C" fn() -> *const c_char;
type ReadFunction = unsafe extern "C" fn(*const Request, *mut Reply) -> i32;

const HELLO: &str = "torchproof_hello";
const READ: &str = "torchproof_read";

pub(super) struct Library {
    hello: HelloFunction,
    read: ReadFunction,
    /// Keeps the library loaded.
    _open: libloading::os::unix::Library,
}

impl Library {
    /// Loads a shared library that exports both functions.
    pub(super) fn load(path: &Path) -> Result<Self, String> {
        // Make the path absolute, because for a name without a slash the loader would search the system's folders.
        let path = std::path::absolute(path).map_err(|error| error.to_string())?;
        if !path.is_file() {
            return Err(in_words(&io::ErrorKind::NotFound.into()));
        }
        // RTLD_NOW makes a missing symbol an error here, and saves every child from resolving symbols again. SAFETY: this
        // call runs the library's initializers. The user requested the library, and this process exists only to run it.
        let open = unsafe { libloading::os::unix::Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
        let open = open.map_err(|error| {
            let advice = if cfg!(target_feature = "crt-static") {
                "this program is static and cannot load libraries; install torchproof with pip or `cargo install`"
            } else {
                "expected a shared library for this system"
            };
            format!("cannot load the library: {}; {advice}", system_message(&error))
        })?;
        let missing = |name: &str| format!("found no function `{name}`; export it as torchproof.h declares it");
        // SAFETY: `torchproof.h` declares the function with this type, and a library that exports the name must use the
        // same type.
        let hello = unsafe { open.get::<HelloFunction>(HELLO) }.map(|symbol| *symbol).map_err(|_| missing(HELLO))?;
        // SAFETY: as for `HELLO` above.
        let read = unsafe { open.get::<ReadFunction>(READ) }.map(|symbol| *symbol).map_err(|_| missing(READ))?;
        Ok(Self { hello, read, _open: open })
    }

    pub(super) fn hello(&self) -> Result<String, String> {
        // SAFETY: `torchproof.h` permits this call at any time.
        let text = unsafe { (self.hello)() };
        // SAFETY: `torchproof.h` requires a string that stays valid until the process ends.
        let text = unsafe { string(text) }.ok_or("`hello` is NULL, expected JSON")?;
        text.to_str().map(str::to_owned).map_err(|_| "`hello` is not UTF-8".to_owned())
    }

    /// Runs the library on a case, which may corrupt or end this process. Returns the requested value, if any.
    pub(super) fn read(&self, hello: &Hello, request: &ReadRequest) -> Result<Option<Value>, NotAccepted> {
        let delivery = request.delivery.unwrap_or_else(|| hello.usual_delivery());
        let undelivered =
            |error| NotAccepted::Error(format!("cannot deliver a file with delivery {delivery}: {error}"));
        let files = request.files.iter().map(|file| File::new(file, delivery));
        let files = files.collect::<io::Result<Vec<_>>>().map_err(undelivered)?;
        let call = Request {
            files: files.as_ptr(),
            file_count: files.len() as u64,
            stage: number(&Stage::ALL, &request.stage),
            want: number(&[Want::Verdict, Want::Value, Want::Loaded], &request.want),
        };
        let mut answer = Reply { stage: NO_STAGE, message: ptr::null(), value: ptr::null() };
        let reader = getpid();
        // SAFETY: both structures match `torchproof.h`, and their pointers stay valid during the call.
        let outcome = unsafe { (self.read)(&raw const call, &raw mut answer) };
        if getpid() != reader {
            // The library forked and returned in both processes, but only the original may reply.
            child::exit_at_once(1);
        }
        // SAFETY: `torchproof.h` requires NULL or strings that stay valid until the process ends.
        let [message, value] = [answer.message, answer.value].map(|text| unsafe { string(text) });
        let message = message.unwrap_or_default().to_string_lossy().into_owned();
        let stage = match answer.stage {
            NO_STAGE => None,
            stage => Some(
                usize::try_from(stage)
                    .ok()
                    .and_then(|at| Stage::ALL.get(at))
                    .copied()
                    .ok_or_else(|| NotAccepted::Error(format!("{READ} returned unknown stage {stage}")))?,
            ),
        };
        match outcome {
            ACCEPT => match stage.filter(|stage| *stage != request.stage) {
                Some(stage) => {
                    Err(NotAccepted::Error(format!("accepted at stage {stage}, expected {}", request.stage)))
                }
                None => {
                    let value = value.filter(|_| request.want != Want::Verdict);
                    let parsed = value.map(|text| from_json(text.to_bytes())).transpose();
                    parsed.map_err(|error| NotAccepted::Error(format!("returned a value that is not JSON ({error})")))
                }
            },
            REJECT => Err(NotAccepted::Reject { stage, message }),
            UNSUPPORTED => Err(NotAccepted::Unsupported(message)),
            ERROR => Err(NotAccepted::Error(message)),
            _ => Err(NotAccepted::Error(format!("{READ} returned unknown outcome {outcome}"))),
        }
    }
}

impl File {
    /// Delivers the file as `delivery` requires. Its memory is never freed, because every read has its own process.
    fn new(file: &RequestFile, delivery: Delivery) -> io::Result<Self> {
        let offset = file.offset.unwrap_or(0);
        let (open, size) = open_whole(Path::new(&file.path), offset, file.size)?;
        let bytes = memory::bytes(&open, offset, size, delivery)?;
        // Set only the path or the bytes, so that a library must use the requested delivery.
        let path = if bytes.is_null() { CString::new(file.path.as_str())?.into_raw() } else { ptr::null_mut() };
        let layouts = file.layouts.as_deref();
        Ok(Self {
            role: number(&[Role::Program, Role::Data, Role::Bundled], &file.role),
            path,
            bytes,
            offset,
            size,
            layouts: layouts.map_or(ptr::null(), <[u64]>::as_ptr),
            layout_count: layouts.map_or(0, |layouts| layouts.len() as u64),
        })
    }
}

/// Returns the number of a value in `torchproof.h`, which is its position in the list.
fn number<T: PartialEq>(of: &[T], one: &T) -> i32 {
    of.iter().position(|other| other == one).and_then(|at| i32::try_from(at).ok()).unwrap_or(NO_STAGE)
}

/// Returns the string at an address, or `None` for null.
///
/// # Safety
/// The pointer must be null, or lead to a NUL-terminated string that is valid for `'a`.
unsafe fn string<'a>(text: *const c_char) -> Option<&'a CStr> {
    // SAFETY: the caller guarantees a valid string.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

fn system_message(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}
