//! The compared parts of a file.

use crate::gate::kinds::kinds;

kinds! {
    /// A compared part of a file.
    Area:
    File "file" "Only one of the two folders contains the file.",
    Kind "kind" "The kind of the file differs.",
    Version "version" "The version in the root table differs.",
    Header "header" "The header of the file differs.",
    Alignment "alignment" "The alignment of the segments differs.",
    Constants "constants" "The place of the constants differs.",
    Method "method" "Only one of the files has the method, or its inputs or outputs differ.",
    Operator "operator" "The operators of a method differ.",
    Backend "backend" "The backends of a method differ.",
    Memory "memory" "The planned memory of a method differs.",
    NamedData "named-data" "The keys of named data, or their data, differ.",
    External "external" "The keys of external tensors, or their types, differ.",
    Segments "segments" "The number or the size of the segments differs.",
    Size "size" "The size of the file or of the FlatBuffer differs.",
}
