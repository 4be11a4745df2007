//! Where in a file's tables something stands.

use core::fmt;

/// The path from the root to a field: a list on the stack, so that having it costs nothing and only printing it does.
///
/// The pass hands it on by value: as long as nobody looks at it, it stays in registers.
#[derive(Clone, Copy)]
pub struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    /// A field; of the root alone the empty name.
    Field(&'static str),
    Index(usize),
}

impl<'p> Path<'p> {
    /// The root table.
    pub const ROOT: Path<'static> = Path { parent: None, step: Step::Field("") };

    /// A field of this table.
    #[must_use]
    #[inline]
    pub const fn field(&'p self, name: &'static str) -> Path<'p> {
        Path { parent: Some(self), step: Step::Field(name) }
    }

    /// An element of this vector.
    #[must_use]
    #[inline]
    pub const fn index(&'p self, index: usize) -> Path<'p> {
        Path { parent: Some(self), step: Step::Index(index) }
    }

    /// Whether it leads nowhere: the root table itself.
    pub(crate) const fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// How many tables nest to where the path leads, the root being one: each field of it leads one table deeper.
    pub(super) fn depth(&self) -> u32 {
        let steps = core::iter::successors(Some(self), |path| path.parent);
        1 + steps.map(|path| u32::from(path.parent.is_some() && matches!(path.step, Step::Field(_)))).sum::<u32>()
    }

    /// Whether the path goes through a field of this name.
    pub(crate) fn has_field(&self, name: &str) -> bool {
        let mut steps = core::iter::successors(Some(self), |path| path.parent);
        steps.any(|path| matches!(path.step, Step::Field(own) if own == name))
    }

    /// The index of the element that this path names, if it names one.
    #[must_use]
    pub const fn last_index(&self) -> Option<usize> {
        match self.step {
            Step::Index(index) => Some(index),
            _ => None,
        }
    }
}

impl fmt::Display for Path<'_> {
    /// Writes `execution_plan[0].values[3].sizes`; the root is the empty path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Field(name) if self.parent.is_none_or(|parent| parent.parent.is_none()) => f.write_str(name),
            Step::Field(name) => write!(f, ".{name}"),
        }
    }
}

impl fmt::Debug for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}
