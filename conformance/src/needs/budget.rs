//! A limit for the lists of a program's needs.

/// Limits the memory of the lists. A program can refer to the same part many times.
pub(super) struct ItemBudget {
    left: usize,
    omitted: u64,
}

impl ItemBudget {
    /// The cost of an item without its text.
    const ITEM: usize = 64;

    pub(super) fn new() -> Self {
        Self { left: 4 << 20, omitted: 0 }
    }

    /// Returns how many items were not admitted.
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
}
