//! **The output of a process**: the lines on stdout, and the beginning and the end of stderr.

/// The stdout limit for one case.
pub const MAX_STDOUT: usize = 16 << 20;
/// The number of bytes kept from the end of stderr.
pub const MAX_STDERR: usize = 64 << 10;
/// The number of bytes kept from the beginning of stderr. A long trace begins with the cause.
const STDERR_HEAD: usize = 8 << 10;

/// Output on stdout that has been read but not returned as a line.
#[derive(Debug, Default)]
pub struct Stdout {
    bytes: Vec<u8>,
    /// The number of bytes at the start of `bytes` that a search for a line feed has already covered.
    scanned: usize,
}

impl Stdout {
    /// Passes the buffer to `read`, which appends output to the buffer.
    pub fn fill<T>(&mut self, read: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        read(&mut self.bytes)
    }

    /// Removes the first line, and returns the line without its line feed. Returns `None` if no line is complete.
    pub fn take_line(&mut self) -> Option<Vec<u8>> {
        let Some(at) = self.bytes[self.scanned..].iter().position(|byte| *byte == b'\n') else {
            self.scanned = self.bytes.len();
            return None;
        };
        let end = self.scanned + at;
        // Copy the line, so that the buffer can be used for the next line.
        let line = self.bytes[..end].to_vec();
        self.bytes.drain(..=end);
        self.scanned = 0;
        Some(line)
    }

    /// Returns the output that no call of [`take_line`](Self::take_line) has returned.
    pub fn rest(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns whether the output exceeds [`MAX_STDOUT`].
    pub const fn is_flooded(&self) -> bool {
        self.bytes.len() > MAX_STDOUT
    }
}

/// The beginning of stderr, followed by its end.
#[derive(Debug, Default)]
pub struct Stderr {
    bytes: Vec<u8>,
    /// Whether bytes have been removed from the middle.
    gap: bool,
}

impl Stderr {
    /// Passes the buffer to `read`, which appends output to the buffer. Then removes the middle of long output.
    pub fn fill<T>(&mut self, read: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let result = read(&mut self.bytes);
        if self.bytes.len() > 4 * MAX_STDERR {
            self.bytes.drain(STDERR_HEAD..self.bytes.len() - MAX_STDERR);
            self.gap = true;
        }
        result
    }

    /// Removes all output.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.gap = false;
    }

    /// Returns the text. If the output is long, the function returns only the beginning and the end.
    pub fn text(&self) -> String {
        let (head, tail) = self.bytes.split_at(STDERR_HEAD.min(self.bytes.len()));
        let start = tail.len().saturating_sub(MAX_STDERR);
        let gap: &[u8] = if start > 0 || self.gap { b"\n[...]\n" } else { b"" };
        String::from_utf8_lossy(&[head, gap, &tail[start..]].concat()).into_owned()
    }
}
