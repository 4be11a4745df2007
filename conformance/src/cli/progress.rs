//! The progress of a long check: one line on the terminal, overwritten as it changes.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::findings::Tally;
use crate::text::escape::plain_name;

/// The delay before the first update, and between updates.
const PACE: Duration = Duration::from_millis(200);

/// The progress line; nothing is shown if stderr is not a terminal.
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

    /// Shows the counts so far and the last file.
    pub(super) fn show(&mut self, tally: &Tally, path: &Path) {
        let now = Instant::now();
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        self.next = Some(now + PACE);
        let Tally { files, rejected, .. } = tally;
        let line = format!("checked {files}, rejected {rejected}: {}", plain_name(&path.to_string_lossy()));
        // A wrapped line could not be erased. Characters take one column, or at most two.
        let room = if line.is_ascii() { self.width } else { self.width / 2 };
        let line: String = line.chars().take(room.saturating_sub(1)).collect();
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
        self.shown = true;
    }

    /// Erases the line.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
