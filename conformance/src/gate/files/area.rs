//! The compared parts of a file.

use crate::gate::kinds::kinds;

kinds! {
    /// A compared part of a file.
    Area:
    File "file" "Only one of the two folders contains the file.",
    Kind "kind" "The file's kind differs.",
    Version "version" "The version in the root table differs.",
    Header "header" "The file's header differs.",
    Alignment "alignment" "The alignment of the segments differs.",
    Constants "constants" "The constants are stored elsewhere.",
    Method "method" "Only one of the files has the method, or its inputs or outputs differ.",
    Operator "operator" "A method's operators differ.",
    Backend "backend" "A method's backends differ.",
    Memory "memory" "A method's planned memory differs.",
    NamedData "named-data" "The keys of named data, or their data, differ.",
    External "external" "The keys of external tensors, or their types, differ.",
    Segments "segments" "The number or size of the segments differs.",
    Size "size" "The file or its FlatBuffer differs in size.",
}
