//! Loaders, which fetch ranges of bytes for a reader: chapter `loaders` of the book.

rules! {
    LOAD_RANGE = "load-range", Must, Reader, Data, "loaders" {
        "A reader compares `offset + size` of every range with the source's size, without wrapping, before it fetches \
            the range."
        why: "This comparison is the last before a reader reads the bytes, and for some offsets the only comparison. A \
            sum that wraps fetches bytes from before the start of the buffer."
        readers: "ExecuTorch's loaders for files, mappings and buffers reject such a range (0x12). The sum could wrap \
            in the loader for buffers before 1.2.0 (#16707), and in others before 1.3.0 (#18676)."
        source: "The `DataLoader::load` of each loader."
        refs: ["S-04", "S-06", "pytorch/executorch#16707", "pytorch/executorch#18676"]
    }
    LOAD_EMPTY = "load-empty", Must, Reader, Data, "loaders" {
        "A reader accepts a range of 0 bytes within the file, and a null address as its contents."
        why: "Valid files have segments without bytes. A reader that treats the null address as a failure rejects \
            these files."
        readers: "ExecuTorch's loaders report success. Loaders for files and mappings return a null address; the \
            loader for buffers returns an address inside the file."
        source: "The loaders, and the serializer, which writes segments of size 0."
    }
    LOAD_NARROWING = "load-narrowing", Must, Reader, Data, "loaders" {
        "A reader on a 32-bit target rejects an offset or size that does not fit its `size_t` before any comparison."
        why: "After truncation to 32 bits, 2^32 + 64 is 64. Every comparison then passes, and the bytes come from \
            another position in the file."
        readers: "ExecuTorch compares the position of a delegate's segment with `SIZE_MAX` since 1.3.0 (#19268). Some \
            readers check only some fields."
        source: "This project infers the rule: the header and the segment table have 64-bit fields. `eh-32bit` is the \
            same rule for the header."
        refs: ["pytorch/executorch#19268"]
    }
    LOAD_SIZE_ERROR = "load-size-error", Must, Reader, Open, "loaders" {
        "A reader that cannot determine the size of its source reports an error and stops."
        why: "A source can be a pipe, an archive or a network connection, where the size query can fail. A reader that \
            uses the failure value as a number compares every range with a wrong size."
        readers: "ExecuTorch returns the loader's error for a program without a header. Some readers check only some \
            querys."
        source: "This project infers the rule: the loaders' `size` returns a number or an error."
    }
}
