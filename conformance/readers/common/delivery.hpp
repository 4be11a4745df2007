// Provides files in memory according to the requested delivery, for workers whose reader accepts a pointer and a length.
//
//     buffer      | ............ file |           starts at a page boundary
//     unaligned   |. ............ file|           starts one byte after a page boundary
//     mmap        | a mapping of the file
//     guard       | ........... file|######       ends at an unreadable page: an overread crashes
//
// The memory is read-only.

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

// A file cannot be provided. Pass the text to Answer::error(...), because the reader is not at fault.
struct Undelivered {
    std::string message;
};

// A file that is in memory during the lifetime of this object. `file` and `file_at_offset` are treated like `buffer`, because
// the reader accepts only memory.
class Memory {
public:
    Memory(const File& file, Delivery delivery) {
        const int fd = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) fail("open");
        try {
            struct stat status {};
            if (::fstat(fd, &status) != 0) fail("fstat");
            size_ = static_cast<std::size_t>(file.size.value_or(static_cast<std::uint64_t>(status.st_size)));
            // mmap() fails for an empty file.
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

    // The pointer is not null, even for an empty file.
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

    // Copies the file between two inaccessible pages.
    void copy(int fd, off_t offset, Delivery delivery) {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        std::size_t shift = delivery == Delivery::unaligned ? 1 : 0;
        // Except with `guard`, a zero byte follows the file, so that every overread has the same result.
        const std::size_t after = delivery == Delivery::guard ? 0 : 1;
        const std::size_t room = (shift + size_ + after + page - 1) / page * page;
        if (delivery == Delivery::guard) shift = room - size_;
        map(page + room + page, PROT_NONE, -1, 0);
        unsigned char* const pages = start_ + page;
        data_ = pages + shift;
        if (room > 0 && ::mprotect(pages, room, PROT_READ | PROT_WRITE) != 0) fail("mprotect");
        for (std::size_t have = 0; have < size_;) {
            const ssize_t got = ::pread(fd, pages + shift + have, size_ - have, offset + static_cast<off_t>(have));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) fail("read");
            if (got == 0) throw Undelivered{"read: the file got shorter during the read"};
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
