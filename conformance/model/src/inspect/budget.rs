//! Limits on the rows of the tables, and on the time that they take.

/// Limits the memory of the tables and the visits of parts, because a small file can refer to the same part many times.
#[derive(Debug)]
pub(super) struct RowBudget {
    rows: usize,
    visits: usize,
    omitted: Vec<String>,
}

impl RowBudget {
    /// The maximum number of rows of all tables together.
    const ROWS: usize = 1 << 20;

    /// The maximum number of lines about omissions.
    const LINES: usize = 16;

    /// `len` is the size of the FlatBuffer in bytes.
    pub(super) fn new(len: usize) -> Self {
        Self { rows: Self::ROWS, visits: len.saturating_mul(16).saturating_add(1 << 20), omitted: Vec::new() }
    }

    /// Returns whether a row with references to this many parts may be added.
    pub(super) fn admits(&mut self, parts: usize) -> bool {
        let rows = self.rows.checked_sub(1);
        self.rows = rows.unwrap_or(0);
        rows.is_some() && self.visit(parts)
    }

    /// Returns whether this many parts, or bytes of text, may be read.
    pub(super) fn visit(&mut self, parts: usize) -> bool {
        let left = self.visits.checked_sub(parts.saturating_add(1));
        self.visits = left.unwrap_or(0);
        left.is_some()
    }

    pub(super) fn omit(&mut self, what: impl FnOnce() -> String) {
        if self.omitted.len() < Self::LINES {
            self.omitted.push(what());
        }
    }

    pub(super) fn into_omitted(self) -> Vec<String> {
        self.omitted
    }
}
