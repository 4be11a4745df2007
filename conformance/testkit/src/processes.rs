//! Terminals, and the end of processes.

use std::fs::{self, File};
use std::io::Read;
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// The environment variable that marks a command and, with `--env`, its readers.
pub const MARK: &str = "TORCHPROOF_TEST_MARK";

/// Waits until the condition is true. Fails only after a time that is long enough even for a slow machine.
pub fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let patience = Instant::now() + Duration::from_secs(300);
    while !condition() {
        assert!(Instant::now() < patience, "waiting until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub fn wait_until_ended(value: &str) {
    let mark = format!("{MARK}={value}");
    let environment = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("environ")).unwrap_or_default();
    let is_marked = |environment: String| environment.split('\0').any(|variable| variable == mark);
    let is_running = || fs::read_dir("/proc").into_iter().flatten().flatten().map(environment).any(is_marked);
    wait_until("all processes have ended", || !is_running());
}

/// Calls the function with the command's end of a terminal, and returns what the terminal shows.
pub fn shown_on_terminal(run: impl FnOnce(File)) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    run(File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap());
    // The other end is closed, so a read after the last byte fails.
    let mut shown = Vec::new();
    let _ = File::from(terminal).read_to_end(&mut shown);
    String::from_utf8(shown).unwrap()
}
