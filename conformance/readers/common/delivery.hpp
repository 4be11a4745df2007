// Files in memory, where a delivery says, for workers whose reader takes a pointer and a length.
//
//     buffer      | ............ file |           begins at a page
//     unaligned   |. ............ file|           begins one byte behind it
//     mmap        | the file itself, mapped
//     guard       | ........... file|######       ends where nothing may be read: one byte too many is fatal
//
// Nobody can write to them there.

#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "worker.hpp"

namespace torchproof {

// A file cannot be delivered; its words are for Answer::error(...), since the reader has not seen it.
struct Undelivered {
    std::string message;
};

// A file in memory for as long as this lives. `file` and `file_at_offset` are delivered as `buffer` is: a reader that can be
// given nothing but memory has no other way.
class Memory {
public:
    Memory(const File& file, Delivery delivery) {
        const int fd = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) fail("open");
        try {
            struct stat status {};
            if (::fstat(fd, &status) != 0) fail("fstat");
            size_ = static_cast<std::size_t>(file.size.value_or(static_cast<std::uint64_t>(status.st_size)));
            // Nobody can map an empty file.
            if (delivery == Delivery::mmap && size_ > 0) {
                map(size_, PROT_READ, fd, static_cast<off_t>(file.offset));
                data_ = start_;
            } else {
                copy(fd, static_cast<off_t>(file.offset), delivery);
            }
        } catch (const Undelivered&) {
            ::close(fd);
            release();
            throw;
        }
        ::close(fd);
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() { release(); }

    // Not null for a file of no bytes either.
    const unsigned char* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    [[noreturn]] static void fail(const char* call) { throw Undelivered{std::string(call) + ": " + std::strerror(errno)}; }

    void map(std::size_t length, int protection, int fd, off_t offset) {
        const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;
        void* start = ::mmap(nullptr, length, protection, flags, fd, offset);
        if (start == MAP_FAILED) fail("mmap");
        start_ = static_cast<unsigned char*>(start);
        length_ = length;
    }

    // A copy in pages between two that nobody may touch.
    void copy(int fd, off_t offset, Delivery delivery) {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        std::size_t shift = delivery == Delivery::unaligned ? 1 : 0;
        // But at a guard there is a byte more behind it, whatever its size: what looks there is no matter of luck.
        const std::size_t behind = delivery == Delivery::guard ? 0 : 1;
        const std::size_t room = (shift + size_ + behind + page - 1) / page * page;
        if (delivery == Delivery::guard) shift = room - size_;
        map(page + room + page, PROT_NONE, -1, 0);
        unsigned char* const pages = start_ + page;
        data_ = pages + shift;
        if (room > 0 && ::mprotect(pages, room, PROT_READ | PROT_WRITE) != 0) fail("mprotect");
        for (std::size_t have = 0; have < size_;) {
            const ssize_t got = ::pread(fd, pages + shift + have, size_ - have, offset + static_cast<off_t>(have));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) fail("read");
            if (got == 0) throw Undelivered{"read: the file became shorter"};
            have += static_cast<std::size_t>(got);
        }
        if (room > 0 && ::mprotect(pages, room, PROT_READ) != 0) fail("mprotect");
    }

    void release() {
        if (start_ != nullptr) ::munmap(start_, length_);
    }

    unsigned char* start_ = nullptr;
    std::size_t length_ = 0;
    const unsigned char* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace torchproof
