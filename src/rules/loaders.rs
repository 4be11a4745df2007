//! How a reader fetches bytes (specification, section 1.22).

rules! {
    LOAD_RANGE = "load-range", Must, Reader, Data, "1.22" {
        "A reader holds `offset + size` of every range that it fetches against the size of the file, without wrapping, \
            before it fetches it."
        why: "It is the last comparison before bytes are read, and for some references the only one: a sum that wraps \
            fetches from in front of the buffer."
        readers: "ExecuTorch's loaders for files, mappings and buffers refuse it (0x12). The sum could wrap in the \
            loader for buffers before 1.2.0 (#16707), and in others before 1.3.0 (#18676)."
        source: "`DataLoader::load` of each."
        refs: ["S-04", "S-06", "pytorch/executorch#16707", "pytorch/executorch#18676"]
    }
    LOAD_EMPTY = "load-empty", Must, Reader, Data, "1.22" {
        "A reader accepts a range of 0 bytes within the file, and a null address as its contents."
        why: "Segments without bytes are in right files, and a reader that takes the null address for a failure \
            refuses them."
        readers: "ExecuTorch's loaders report success; those for files and mappings give a null address, the one for \
            buffers an address inside the file."
        source: "The loaders, and the serializer, which writes segments of size 0."
    }
    LOAD_NARROWING = "load-narrowing", Must, Reader, Data, "1.22" {
        "A reader on a 32-bit target refuses an offset or size that does not fit into its `size_t`, before anything is \
            compared with it."
        why: "Cut to 32 bits, 2^32 + 64 is 64: every comparison passes, and the bytes come from another place of the \
            file."
        readers: "ExecuTorch compares the place of a delegate's segment with `SIZE_MAX` since 1.3.0 (#19268). Not \
            every reader looks at every field."
        source: "Derived: header and segment table have fields of 64 bits. `eh-32bit` says the same of the header."
        refs: ["pytorch/executorch#19268"]
    }
    LOAD_SIZE_ERROR = "load-size-error", Must, Reader, Open, "1.22" {
        "A reader that cannot learn the size of its source reports an error, and does not go on."
        why: "Sources are pipes, archives and networks, too, where the question fails. Taken for a number, the failure \
            becomes the size that all bounds are held against."
        readers: "ExecuTorch returns the loader's error for a program without a header. Not every reader looks \
            wherever it asks."
        source: "Derived: the loaders' `size` answers with a number or an error."
    }
}
