//! Rules about loaders, which fetch ranges of bytes for readers (chapter `loaders` of the book).

rules! {
    LOAD_RANGE = "load-range", Must, Loader, Reader, Data, "loaders" {
        "A reader MUST compare every range's `offset + size`, computed without wrapping, with the source's size before \
            it fetches the range."
        rationale: "Some offsets are not checked anywhere else, so only this comparison keeps a read inside the \
            source. ExecuTorch's loaders return InvalidArgument (0x12). The sum could wrap in the buffer loader before \
            1.2.0 (pytorch/executorch#16707) and in other loaders before 1.3.0 (pytorch/executorch#18676)."
        source: "Each loader compares the range in its implementation of `DataLoader::load`."
        refs: ["S-04", "S-06", "pytorch/executorch#16707", "pytorch/executorch#18676"]
    }
    LOAD_EMPTY = "load-empty", Must, Loader, Reader, Data, "loaders" {
        "A reader MUST accept an empty range within the file, even if the loader returns a null address for it."
        rationale: "Valid files have segments of size 0, and a reader that treats null as a failure rejects these \
            files. ExecuTorch's loaders report success: the loaders for files and mappings return null, and the loader \
            for buffers returns an address inside the file."
        source: "ExecuTorch's loaders accept empty ranges, and the serializer writes segments of size 0."
    }
    LOAD_INTO_FITS = "load-into-fits", Must, Policy, Reader, Data, "loaders" {
        "A reader that loads a tensor's data into the caller's buffer MUST reject a buffer that is shorter than the \
            data."
        rationale: "The data file decides how many bytes are copied, and the caller decides how many fit. If the \
            reader does not compare the two, the copy can run past the buffer."
        source: "The rule is about functions such as `load_data_into`. The buffer is not part of the file, so no file \
            breaks the rule."
    }
    LOAD_NARROWING = "load-narrowing", Must, Policy, Reader, Data, "loaders" {
        "A reader on a 32-bit target MUST reject an offset or size that does not fit its `size_t`, before any other \
            check."
        rationale: "If 2^32 + 64 is truncated to 32 bits, it becomes 64, and every comparison passes. ExecuTorch 1.3.0 \
            and later compare a delegate segment's position with `SIZE_MAX` (pytorch/executorch#19268); the other \
            64-bit fields need the same check."
        source: "The header and the segment table have 64-bit fields. For the header, see `eh-32bit`."
        refs: ["pytorch/executorch#19268"]
    }
    LOAD_SIZE_ERROR = "load-size-error", Must, Policy, Reader, Open, "loaders" {
        "A reader that cannot determine its source's size MUST report an error and stop."
        rationale: "For a pipe, an archive or a network connection, the query can fail, and a reader that uses the \
            error value as the size gets every comparison wrong. For a program without a header, ExecuTorch returns \
            the loader's error."
        source: "A loader's `size` function can return an error instead of a number."
    }
}
