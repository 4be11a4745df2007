//! **The C ABI of a library**, as `conformance/readers/common/torchproof.h` declares it; the two have to say the same.
#![allow(unsafe_code, reason = "functions of a library are called")]

use std::error::Error;
use std::ffi::{CStr, CString, c_char};
use std::io;
use std::path::Path;
use std::ptr;

use libloading::os::unix::{RTLD_LOCAL, RTLD_NOW};
use rustix::process::getpid;
use serde_json::Value;

use super::{child, memory};
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

// `TORCHPROOF_ACCEPT` and so on.
const ACCEPT: i32 = 0;
const REJECT: i32 = 1;
const UNSUPPORTED: i32 = 2;
const ERROR: i32 = 3;

type HelloFunction = unsafe extern "C" fn() -> *const c_char;
type ReadFunction = unsafe extern "C" fn(*const Request, *mut Reply) -> i32;

const HELLO: &str = "torchproof_hello";
const READ: &str = "torchproof_read";

/// A library that has both functions.
pub(super) struct Library {
    hello: HelloFunction,
    read: ReadFunction,
    /// Keeps the functions there.
    _open: libloading::os::unix::Library,
}

impl Library {
    /// Loads it.
    ///
    /// # Errors
    /// It is not there, is no library, or lacks one of the functions.
    pub(super) fn load(path: &Path) -> Result<Self, String> {
        // Without a slash it would be looked for in the system's folders.
        let path = std::path::absolute(path).map_err(|error| error.to_string())?;
        if !path.is_file() {
            return Err("no such file".to_owned());
        }
        // Every symbol is looked up here, once, and not again in each child; one that nobody has is told at once.
        // SAFETY: what runs while it is loaded is what the user asked to be run, in a process that exists for it.
        let open = unsafe { libloading::os::unix::Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
        let open = open.map_err(|error| format!("not a library that can be loaded: {}", told(&error)))?;
        let missing = |name: &str| format!("no function {name}, which torchproof.h declares");
        // SAFETY: the header gives the function this type, and whoever exports the name says that it has it.
        let hello = unsafe { open.get::<HelloFunction>(HELLO) }.map(|symbol| *symbol).map_err(|_| missing(HELLO))?;
        // SAFETY: as above.
        let read = unsafe { open.get::<ReadFunction>(READ) }.map(|symbol| *symbol).map_err(|_| missing(READ))?;
        Ok(Self { hello, read, _open: open })
    }

    /// Its hello.
    ///
    /// # Errors
    /// The hello is NULL or not UTF-8.
    pub(super) fn hello(&self) -> Result<String, String> {
        // SAFETY: the header lets this be called at any time.
        let text = unsafe { (self.hello)() };
        // SAFETY: the header promises a string that stays.
        let text = unsafe { string(text) }.ok_or("its hello is NULL")?;
        text.to_str().map(str::to_owned).map_err(|_| "its hello is not UTF-8".to_owned())
    }

    /// Has it read a case. Whatever it does to this process is done to it.
    ///
    /// # Errors
    /// It did not accept the files, or did not get them, or what it answered is no answer.
    pub(super) fn read(&self, hello: &Hello, request: &ReadRequest) -> Result<Option<Value>, NotAccepted> {
        let delivery = request.delivery.unwrap_or_else(|| hello.usual_delivery());
        let undelivered = |error| NotAccepted::Error(format!("cannot deliver a file by {delivery}: {error}"));
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
        // SAFETY: both are as the header declares them, and what they point to outlives the call.
        let outcome = unsafe { (self.read)(&raw const call, &raw mut answer) };
        if getpid() != reader {
            // A library may fork, and return in both: one was asked, and the other is killed with the rest.
            child::exit_at_once(1);
        }
        // SAFETY: the header has both be NULL or strings that stay until the process ends.
        let [message, value] = [answer.message, answer.value].map(|text| unsafe { string(text) });
        let message = message.unwrap_or_default().to_string_lossy().into_owned();
        let stage = match answer.stage {
            NO_STAGE => None,
            stage => Some(usize::try_from(stage).ok().and_then(|at| Stage::ALL.get(at)).copied().ok_or_else(|| {
                NotAccepted::Error(format!("{READ} answered with the stage {stage}, which does not exist"))
            })?),
        };
        match outcome {
            ACCEPT => match stage.filter(|stage| *stage != request.stage) {
                Some(stage) => {
                    Err(NotAccepted::Error(format!("accepted at stage {stage}, asked was {}", request.stage)))
                }
                None => {
                    let value = value.filter(|_| request.want != Want::Verdict);
                    let parsed = value.map(|text| serde_json::from_slice(text.to_bytes())).transpose();
                    parsed.map_err(|error| NotAccepted::Error(format!("its value is not JSON ({error})")))
                }
            },
            REJECT => Err(NotAccepted::Reject { stage, message }),
            UNSUPPORTED => Err(NotAccepted::Unsupported(message)),
            ERROR => Err(NotAccepted::Error(message)),
            _ => Err(NotAccepted::Error(format!("{READ} returned the outcome {outcome}, which does not exist"))),
        }
    }
}

impl File {
    /// The file where `delivery` says. It stays there as long as the process lives, which is a child for one read.
    ///
    /// # Errors
    /// The file cannot be had, or not all of it, or there is no memory for it.
    fn new(file: &RequestFile, delivery: Delivery) -> io::Result<Self> {
        let offset = file.offset.unwrap_or(0);
        let (open, size) = open_whole(Path::new(&file.path), offset, file.size)?;
        let bytes = memory::bytes(&open, offset, size, delivery)?;
        // One way or the other, so that no library takes the path for the way that was asked for.
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

/// The number that the header gives to one of these, which are in its order.
fn number<T: PartialEq>(of: &[T], one: &T) -> i32 {
    of.iter().position(|other| other == one).and_then(|at| i32::try_from(at).ok()).unwrap_or(NO_STAGE)
}

/// The string there, if it is not NULL.
///
/// # Safety
/// Unless it is null, `text` points to a string that ends with a NUL and stays where it is.
unsafe fn string<'a>(text: *const c_char) -> Option<&'a CStr> {
    // SAFETY: the caller promises what is needed.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

/// The system's message.
fn told(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}
