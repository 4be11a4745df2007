//! How a changed fact affects readers.

use super::area::Area;
use super::facts::Fact;

/// Official writers keep this alignment; see the rules `seg-aligned` and `ft-seg-aligned`.
const MIN_ALIGNMENT: u64 = 16;

impl Area {
    pub(super) fn noticed(self, old: Option<&Fact>, new: Option<&Fact>) -> (bool, &'static str) {
        let number = |fact: Option<&Fact>| fact.and_then(|fact| fact.number).unwrap_or(0);
        let grows = number(new) > number(old);
        let (added, removed) = (old.is_none(), new.is_none());
        let is_new = |text: &str| new.is_some_and(|fact| fact.text == text);
        match self {
            Self::File if added => (false, "no old file has this name"),
            Self::File => (true, "an application cannot find the file"),
            Self::Kind => (true, "a reader for one kind of file rejects the other kind"),
            Self::Version => (true, "a reader may reject a version that it does not know"),
            Self::Header if is_new("none") => (false, "a file without segments needs no header"),
            Self::Header if grows => (false, "a reader must accept a longer header, and may ignore the new fields"),
            Self::Header => (true, "a reader may need the missing header fields"),
            Self::Alignment if removed => (false, "the file has no segments"),
            Self::Alignment if number(new) < MIN_ALIGNMENT && (added || !grows) => {
                (true, "a reader that maps the segments needs a multiple of 16")
            }
            Self::Alignment if number(new) < MIN_ALIGNMENT => {
                (false, "a reader that maps the segments of the old file needs no larger alignment")
            }
            Self::Alignment => (false, "a reader that maps the segments needs only a multiple of 16"),
            Self::Constants if is_new("constant_buffer") => {
                (true, "default builds since 1.3.0 reject constants in `constant_buffer`")
            }
            Self::Constants => (false, "readers find the constants in either place"),
            Self::Method if added => (false, "an application may call the new method"),
            Self::Method if removed => (true, "an application cannot call the method"),
            Self::Method => (true, "an application must pass or receive different values"),
            Self::Operator if added => (true, "a runtime without a kernel for the operator refuses the method"),
            Self::Operator if removed => (false, "the method no longer needs a kernel for the operator"),
            Self::Operator => (false, "the same kernel is called more or less often"),
            Self::Backend if added => (true, "a runtime without the backend refuses the method"),
            Self::Backend => (false, "the method no longer needs the backend"),
            Self::Memory if added || grows => (true, "an application must provide more planned memory"),
            Self::Memory => (false, "an application needs less planned memory"),
            Self::NamedData if added => (false, "a reader finds a new key"),
            Self::NamedData if removed => (true, "a reader cannot find the key"),
            Self::NamedData => (true, "a reader finds different data for the key"),
            Self::External if added => (true, "the program needs a data file with this key"),
            Self::External if removed => (false, "the program no longer needs the key"),
            Self::External => (true, "the tensor in the data file must have the new type"),
            Self::Segments => (false, "readers find segments by their offsets"),
            Self::Size => (false, "only storage and loading time change"),
        }
    }
}
