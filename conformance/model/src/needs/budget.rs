//! Limits on the length of the lists of a program's needs, and on the time that they take.

/// The maximum number of methods listed for a program.
pub(super) const MOST_METHODS: usize = 1024;

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Limits the memory of the lists, and the visits of parts. A program can refer to the same part many times.
pub(crate) struct ItemBudget {
    left: usize,
    visits: usize,
    omitted: u64,
}

impl ItemBudget {
    /// The cost of an item without its text.
    const ITEM: usize = 64;

    /// `len` is the size of the FlatBuffer in bytes.
    pub(crate) fn new(len: usize) -> Self {
        Self { left: 4 << 20, visits: len.saturating_mul(16).saturating_add(1 << 20), omitted: 0 }
    }

    /// Returns how many items were rejected.
    pub(super) fn omitted(&self) -> u64 {
        self.omitted
    }

    /// Returns whether an item with a text of this length may be added to a list.
    pub(super) fn admits(&mut self, text: usize) -> bool {
        let left = self.left.checked_sub(text.saturating_add(Self::ITEM));
        self.omitted += u64::from(left.is_none());
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Returns `None` once visiting more parts would take more than linear time.
    pub(super) fn visit(&mut self, parts: usize) -> Option<()> {
        let left = self.visits.checked_sub(parts.saturating_add(1));
        self.omitted += u64::from(left.is_none());
        self.visits = left.unwrap_or(0);
        left.map(drop)
    }
}
