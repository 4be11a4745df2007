//! Named data of a program, `Program.named_data` (specification, section 1.6).

use super::rules;

rules! {
    ND_SEGMENTS_PRESENT = "nd-segments-present", Must, File, Meta, "1.6" {
        "`segments` is present wherever `named_data` is, even if that is empty."
        source: "ExecuTorch refuses to load the program otherwise; every key resolves through the table."
        refs: ["S-08"]
    }
    ND_KEY_NONNULL = "nd-key-nonnull", Must, File, Data, "1.6" {
        "Every entry of `named_data` has a `key`."
        source: "ExecuTorch refuses an entry without one when a look-up meets it, so whether it is met depends on \
            the order of the table."
        refs: ["S-10"]
    }
    ND_KEY_NONEMPTY = "nd-key-nonempty", Should, File, Data, "1.6" {
        "No `key` of `named_data` is the empty string."
        source: "Keys are names that backends and tensors ask for, and none asks for an empty one. No reader checks \
            it."
        refs: ["S-10"]
    }
    ND_KEY_UNIQUE = "nd-key-unique", Must, File, Data, "1.6" {
        "No two entries of `named_data` have the same `key`."
        source: "The schema calls the key a unique id, and the official writer refuses a second blob under a key. \
            Readers otherwise differ in which of the two they return."
        refs: ["S-10"]
    }
    ND_SEG_INDEX = "nd-seg-index", Must, File, Data, "1.6" {
        "The `segment_index` of an entry of `named_data` is below the number of segments."
        source: "ExecuTorch's C++ reader refuses the look-up; its Python reader refuses the file."
        refs: ["S-10"]
    }
    ND_SHARE_OK = "nd-share-ok", Must, Reader, Data, "1.6" {
        "A reader accepts several keys that refer to one segment, and returns the same bytes for each."
        source: "The schema allows it, the official writer stores equal blobs once, and all readers accept it."
        refs: []
    }
    ND_ABS_OVERFLOW = "nd-abs-overflow", Must, Reader, Data, "1.6" {
        "A reader adds `segment_base_offset` and the segment's `offset` for a named blob in 64 bits, and refuses a \
            sum above 2^64 - 1."
        source: "A public report shows a look-up whose sum wraps. The file that brings it about breaks \
            `seg-abs-no-overflow`."
        refs: ["S-05"]
    }
    ND_PREFIX_MATCH = "nd-prefix-match", Must, Reader, Data, "1.6" {
        "A reader finds a key only if the stored and the requested one have the same length and the same bytes."
        source: "ExecuTorch 0.6 and 0.7 compared only as many bytes as the stored key has, so a stored prefix of the \
            requested key matched; 1.0.0 compares all."
        refs: ["pytorch/executorch#14165"]
    }
    ND_NO_LAYOUT = "nd-no-layout", Must, Reader, Data, "1.6" {
        "A reader that is asked for the tensor layout of a program's named data answers that there is none, and does \
            not make one up."
        source: "The program's schema gives a named blob a key and a segment only; ExecuTorch answers not \
            implemented. Hence external tensors resolve from data files alone."
        refs: []
    }
    ND_CROSS_FILE_UNIQUE = "nd-cross-file-unique", Must, File, Data, "1.6" {
        "No key occurs twice among the named data of a program and of all data files that are loaded with it."
        source: "Checked with the set of files, not with one. ExecuTorch's map over several data files refuses a \
            second occurrence, and its merged map of program and data file exists to do the same."
        refs: ["S-10", "X-10"]
    }
}
