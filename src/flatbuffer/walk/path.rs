//! Paths of fields in a file's tables.

use core::fmt;

/// The path from the root to a field, as a linked list on the stack. Building a path allocates no memory.
#[derive(Clone, Copy)]
pub(crate) struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    /// A field name. Only the root has an empty name.
    Field(&'static str),
    Index(usize),
}

impl<'p> Path<'p> {
    pub(crate) const ROOT: Path<'static> = Path { parent: None, step: Step::Field("") };

    #[must_use]
    #[inline]
    pub(crate) const fn field(&'p self, name: &'static str) -> Path<'p> {
        Path { parent: Some(self), step: Step::Field(name) }
    }

    #[must_use]
    #[inline]
    pub(crate) const fn index(&'p self, index: usize) -> Path<'p> {
        Path { parent: Some(self), step: Step::Index(index) }
    }

    pub(crate) const fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Returns how many nested tables the path has, including the root: each field leads to another table.
    pub(super) fn depth(&self) -> u32 {
        let steps = core::iter::successors(Some(self), |path| path.parent);
        1 + steps.map(|path| u32::from(path.parent.is_some() && matches!(path.step, Step::Field(_)))).sum::<u32>()
    }

    pub(crate) fn has_field(&self, name: &str) -> bool {
        let mut steps = core::iter::successors(Some(self), |path| path.parent);
        steps.any(|path| matches!(path.step, Step::Field(own) if own == name))
    }

    #[must_use]
    pub(crate) const fn last_index(&self) -> Option<usize> {
        match self.step {
            Step::Index(index) => Some(index),
            _ => None,
        }
    }
}

impl fmt::Display for Path<'_> {
    /// Writes the path in the form `execution_plan[0].values[3].sizes`. The root's path is empty.
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
