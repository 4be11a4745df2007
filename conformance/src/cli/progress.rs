//! Prints the progress of a long command as one line on the terminal, which each update overwrites.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use torchproof_harness::text::escape::plain_line;

/// The minimum time before the first update, and between two updates.
const PACE: Duration = Duration::from_millis(200);

/// Prints nothing if stderr is not a terminal.
pub(super) struct Progress {
    next: Option<Instant>,
    width: usize,
    shown: bool,
}

impl Progress {
    pub(super) fn new() -> Self {
        let next = io::stderr().is_terminal().then(|| Instant::now() + PACE);
        let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
        Self { next, width, shown: false }
    }

    pub(super) fn show(&mut self, line: impl FnOnce() -> String) {
        let now = Instant::now();
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        self.next = Some(now + PACE);
        let line = plain_line(&line(), self.width);
        // A line that wraps could not be erased, and characters beyond ASCII can be two columns wide.
        let room = if line.is_ascii() { self.width } else { self.width / 2 };
        let line: String = line.chars().take(room.saturating_sub(1)).collect();
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
        self.shown = true;
    }

    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
