//! **The C ABI of a library**, as `conformance/readers/common/torchproof.h` declares it; the two have to say the same.
#![allow(unsafe_code, reason = "functions of a library are called")]

use std::error::Error;
use std::ffi::{CStr, c_char};
use std::path::Path;
use std::ptr;

use libloading::os::unix::{RTLD_LOCAL, RTLD_NOW};

use super::memory::Placed;
use torchproof_protocol::{Answer, Role, Stage, Want};

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

type HelloFunction = unsafe extern "C" fn() -> *const c_char;
type ReadFunction = unsafe extern "C" fn(*const Request, *mut Reply) -> i32;

const HELLO: &str = "torchproof_hello";
const READ: &str = "torchproof_read";

/// A request to a library.
pub(super) struct Call<'a> {
    pub(super) files: &'a [Placed],
    pub(super) stage: Stage,
    pub(super) want: Want,
}

/// A valid answer of a library.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) outcome: Answer,
    pub(super) stage: Option<Stage>,
    pub(super) message: Option<String>,
    pub(super) value: Option<String>,
}

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
    /// What it answered is no answer: the message says why.
    pub(super) fn read(&self, call: &Call<'_>) -> Result<Answered, String> {
        let files: Vec<File> = call.files.iter().map(File::of).collect();
        let request = Request {
            files: files.as_ptr(),
            file_count: files.len() as u64,
            stage: number(&Stage::ALL, &call.stage),
            want: number(&[Want::Verdict, Want::Value, Want::Loaded], &call.want),
        };
        let mut reply = Reply { stage: NO_STAGE, message: ptr::null(), value: ptr::null() };
        // SAFETY: both are as the header declares them, and what they point to outlives the call.
        let outcome = unsafe { (self.read)(&raw const request, &raw mut reply) };
        let at = |number: i32| usize::try_from(number).ok();
        let answers = [Answer::Accept, Answer::Reject, Answer::Unsupported, Answer::Error];
        let outcome = at(outcome)
            .and_then(|at| answers.get(at))
            .ok_or_else(|| format!("{READ} returned the outcome {outcome}, which does not exist"))?;
        let stage = match reply.stage {
            NO_STAGE => None,
            stage => Some(
                *at(stage)
                    .and_then(|at| Stage::ALL.get(at))
                    .ok_or_else(|| format!("{READ} answered with the stage {stage}, which does not exist"))?,
            ),
        };
        // SAFETY: the header has both be NULL or strings that stay until the process ends.
        let [message, value] = [reply.message, reply.value].map(|text| unsafe { string(text) });
        let [message, value] = [message, value].map(|text| text.map(|text| text.to_string_lossy().into_owned()));
        Ok(Answered { outcome: *outcome, stage, message, value })
    }
}

impl File {
    fn of(placed: &Placed) -> Self {
        let layouts = placed.layouts.as_deref();
        Self {
            role: number(&[Role::Program, Role::Data, Role::Bundled], &placed.role),
            // One way or the other, so that no library takes the path for the way that was asked for.
            path: if placed.bytes.is_null() { placed.path.as_ptr() } else { ptr::null() },
            bytes: placed.bytes,
            offset: placed.offset,
            size: placed.size,
            layouts: layouts.map_or(ptr::null(), <[u64]>::as_ptr),
            layout_count: layouts.map_or(0, |layouts| layouts.len() as u64),
        }
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
