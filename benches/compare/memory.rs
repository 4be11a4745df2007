//! Memory: how often it is asked for, and the most that a process has.
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use torchproof::check::{Finding, Options, check};
use torchproof_cli::input::Input;

/// The word with which this program is started to check one file in a process of its own.
pub(crate) const PEAK: &str = "__peak";

struct Counting;

static ASKED: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does the work, under the contract of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

/// How often the call asks for memory.
pub(crate) fn allocations(call: impl FnOnce()) -> u64 {
    let before = ASKED.load(Ordering::Relaxed);
    call();
    ASKED.load(Ordering::Relaxed) - before
}

/// The most memory, in bytes, that a process has which checks this file as the command does.
pub(crate) fn peak(file: &Path) -> io::Result<u64> {
    let output = Command::new(std::env::current_exe()?).arg(PEAK).arg(file).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| io::Error::other(format!("{text}{}", String::from_utf8_lossy(&output.stderr))))
}

/// Checks the file and prints the most memory that this process has had, in bytes.
pub(crate) fn tell_peak(file: &Path) {
    let input = Input::open(file).expect("the file is there");
    let mut sink = |_: &Finding<'_>| ControlFlow::Continue(());
    let report = check(input.image(), &mut &input, &Options::default(), &mut Vec::<u64>::new(), &mut sink);
    assert!(report.accepts(), "{report:?}");
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux tells it");
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    println!("{}", kib * 1024);
}
