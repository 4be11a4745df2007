//! **The output of a process**: the lines on stdout, and the beginning and the end of stderr.

/// The stdout limit for one case.
pub const MAX_STDOUT: usize = 16 << 20;
/// The number of bytes kept from the end of stderr.
pub const MAX_STDERR: usize = 64 << 10;
/// The number of bytes kept from the beginning of stderr, where a long trace has its cause.
const STDERR_HEAD: usize = 8 << 10;

/// Output on stdout that has been read but not returned as a line.
#[derive(Debug, Default)]
pub struct Stdout {
    bytes: Vec<u8>,
    /// The number of bytes at the start of `bytes` that contain no line feed.
    scanned: usize,
}

impl Stdout {
    pub fn fill<T>(&mut self, read: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        read(&mut self.bytes)
    }

    /// Removes the first line, and returns it without its line feed, if it is complete.
    pub fn take_line(&mut self) -> Option<Vec<u8>> {
        let Some(at) = self.bytes[self.scanned..].iter().position(|byte| *byte == b'\n') else {
            self.scanned = self.bytes.len();
            return None;
        };
        let end = self.scanned + at;
        // A copy, so that the buffer is kept for the next line.
        let line = self.bytes[..end].to_vec();
        self.bytes.drain(..=end);
        self.scanned = 0;
        Some(line)
    }

    /// Returns what [`take_line`](Self::take_line) has not returned yet.
    pub fn rest(&self) -> &[u8] {
        &self.bytes
    }

    pub const fn is_flooded(&self) -> bool {
        self.bytes.len() > MAX_STDOUT
    }
}

/// The beginning of stderr, followed by its end.
#[derive(Debug, Default)]
pub struct Stderr {
    bytes: Vec<u8>,
    /// `true` if bytes have been removed from the middle.
    gap: bool,
}

impl Stderr {
    /// Lets `read` append output, then removes the middle of long output.
    pub fn fill<T>(&mut self, read: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let result = read(&mut self.bytes);
        if self.bytes.len() > 4 * MAX_STDERR {
            self.bytes.drain(STDERR_HEAD..self.bytes.len() - MAX_STDERR);
            self.gap = true;
        }
        result
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.gap = false;
    }

    pub fn text(&self) -> String {
        let (head, tail) = self.bytes.split_at(STDERR_HEAD.min(self.bytes.len()));
        let start = tail.len().saturating_sub(MAX_STDERR);
        let gap: &[u8] = if start > 0 || self.gap { b"\n[...]\n" } else { b"" };
        String::from_utf8_lossy(&[head, gap, &tail[start..]].concat()).into_owned()
    }
}
