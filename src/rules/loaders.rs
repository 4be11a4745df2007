//! Rules about loaders, which fetch ranges of bytes for readers (chapter `loaders` of the book).

rules! {
    LOAD_RANGE = "load-range", Must, Loader, Reader, Data, "loaders" {
        "A reader compares `offset + size` of every range with the source's size, without wrapping, before it fetches \
            the range."
        rationale: "For some offsets, a reader makes no earlier check, so only the comparison with the source's size \
            prevents a read outside the source. If the sum wraps, the reader can fetch bytes before the start of the \
            source."
        readers: "ExecuTorch's loaders for files, mappings and buffers reject a range past the end of the source with \
            InvalidArgument (0x12). The sum of offset and size could wrap in the buffer loader before 1.2.0 \
            (pytorch/executorch#16707) and in other loaders before 1.3.0 (pytorch/executorch#18676)."
        source: "The function `DataLoader::load` of each loader compares the range with the source's size."
        refs: ["S-04", "S-06", "pytorch/executorch#16707", "pytorch/executorch#18676"]
    }
    LOAD_EMPTY = "load-empty", Must, Loader, Reader, Data, "loaders" {
        "A reader accepts a range of 0 bytes within the file, even if the loader returns a null address for the range."
        rationale: "Some valid files contain segments of size 0. A reader that treats the null address as a failure \
            rejects valid files."
        readers: "ExecuTorch's loaders report success for a range of 0 bytes. For a range of 0 bytes, loaders for \
            files and mappings return a null address. The loader for buffers returns an address inside the file."
        source: "ExecuTorch's loaders accept empty ranges, and the serializer writes segments of size 0."
    }
    LOAD_INTO_FITS = "load-into-fits", Must, Policy, Reader, Data, "loaders" {
        "A reader that loads a tensor's data into a buffer of the caller rejects a buffer that is shorter than the \
            data."
        rationale: "The data file determines how many bytes the reader copies, and the caller determines how many \
            bytes the buffer has. If a reader does not compare the two lengths, the copy can extend past the buffer."
        readers: "Some readers do not compare the size of the caller's buffer with the size of the data."
        source: "The rule is for functions such as `load_data_into`: memory safety depends on the size of the buffer. \
            The caller's buffer is not part of the file, so no file breaks the rule."
    }
    LOAD_NARROWING = "load-narrowing", Must, Policy, Reader, Data, "loaders" {
        "A reader on a 32-bit target rejects an offset or size that does not fit its `size_t`, and makes this check \
            before every other check."
        rationale: "After truncation to 32 bits, the offset 2^32 + 64 becomes 64. Every comparison of the truncated \
            offset then passes, and the reader returns bytes from a wrong position in the file."
        readers: "ExecuTorch 1.3.0 and later compare the position of a delegate's segment with `SIZE_MAX` \
            (pytorch/executorch#19268). Some readers check only some of the 64-bit fields for truncation."
        source: "The header and the segment table have 64-bit fields. The rule `eh-32bit` states the same requirement \
            for the header."
        refs: ["pytorch/executorch#19268"]
    }
    LOAD_SIZE_ERROR = "load-size-error", Must, Policy, Reader, Open, "loaders" {
        "A reader that cannot determine the size of its source reports an error and stops."
        rationale: "If the source is a pipe, an archive or a network connection, a query of its size can fail. If a \
            reader uses the returned error value as the size, it compares every range with this wrong size."
        readers: "If the size query fails for a program without a header, ExecuTorch returns the loader's error. Some \
            readers do not check the result of every size query."
        source: "A loader's function `size` can return an error instead of a number."
    }
}
