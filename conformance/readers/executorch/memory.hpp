// The memory that an application provides for a method: a pool for the runtime's structures, and the planned buffers.

#pragma once

#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method_meta.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "runtime.hpp"

namespace reader {

using ::executorch::runtime::HierarchicalAllocator;
using ::executorch::runtime::MemoryAllocator;
using ::executorch::runtime::MemoryManager;
using ::executorch::runtime::MethodMeta;
using ::executorch::runtime::Span;

constexpr std::size_t page = 4096;

constexpr std::size_t round_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

// A memory mapping of whole pages, which the system allocates when they are written.
class Pages {
public:
    Pages(std::size_t size, int protection)
        : size_(size), start_(::mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (start_ == MAP_FAILED) throw Unsupported{"the adapter cannot allocate the memory of a method"};
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() { ::munmap(start_, size_); }

    std::uint8_t* start() const { return static_cast<std::uint8_t*>(start_); }

private:
    std::size_t size_;
    void* start_;
};

// The content of uninitialized memory, repeated from the start of each allocation.
using Fill = std::array<std::uint8_t, 16>;

// No useful value: not null, not an address, and not the tag of a type.
inline constexpr Fill fill_invalid = {0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5,
                                      0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5};
// In an array of `EValue`, each item is a Tensor with an invalid pointer.
inline constexpr Fill fill_tensors = {0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 1, 0, 0, 0, 0, 0, 0, 0};

// The memory pool for the runtime's structures of one method. It suffices for the maximum number of tensors that the verifier
// permits. If it is exhausted, the runtime reports an error, as on a device.
class MethodPool final : private Pages, public MemoryAllocator {
public:
    explicit MethodPool(const Fill& fill) : Pages(bytes, PROT_READ | PROT_WRITE), MemoryAllocator(bytes, start()), fill_(fill) {}

    void* allocate(std::size_t size, std::size_t alignment) override {
        void* given = MemoryAllocator::allocate(size, alignment);
        if (given == nullptr) return nullptr;
        auto* bytes = static_cast<std::uint8_t*>(given);
        for (std::size_t i = 0; i < size; ++i) bytes[i] = fill_[i % fill_.size()];
        return given;
    }

private:
    const Fill& fill_;
    static constexpr std::uint32_t bytes = std::uint32_t{128} << 20;
};

// Buffers filled with zeros. An inaccessible page follows each, after less than `alignment` bytes of padding.
class GuardedBuffers {
public:
    // Returns whether buffers of these sizes, with the inaccessible pages, fit into the 256 MiB that the adapter provides.
    static bool fit(const std::vector<std::size_t>& sizes) { return total(sizes) <= limit; }

    static void require_space(const std::vector<std::size_t>& sizes) { checked(total(sizes)); }

    explicit GuardedBuffers(const std::vector<std::size_t>& sizes) : pages_(checked(total(sizes)), PROT_NONE) {
        std::uint8_t* next = pages_.start();
        for (const std::size_t size : sizes) {
            const std::size_t room = round_up(size, page);
            if (room > 0 && ::mprotect(next, room, PROT_READ | PROT_WRITE) != 0) throw Unsupported{refusal};
            spans_.emplace_back(next + room - round_up(size, alignment), size);
            next += room + page;
        }
    }

    const std::vector<Span<std::uint8_t>>& spans() const { return spans_; }

    // Returns whether the bytes before a buffer in its page, and those of the padding, are still zero.
    bool intact() const {
        for (const auto& span : spans_) {
            const std::uint8_t* end = span.data() + round_up(span.size(), alignment);
            const std::uint8_t* start = end - round_up(span.size(), page);
            const auto is_set = [](std::uint8_t byte) { return byte != 0; };
            if (std::any_of(start, static_cast<const std::uint8_t*>(span.data()), is_set)) return false;
            if (std::any_of(static_cast<const std::uint8_t*>(span.data()) + span.size(), end, is_set)) return false;
        }
        return true;
    }

private:
    static constexpr std::size_t limit = std::size_t{256} << 20;
    static constexpr std::size_t alignment = 16;
    static constexpr const char* refusal = "the method needs more memory than the adapter provides (256 MiB)";

    static std::size_t checked(std::size_t size) {
        if (size > limit) throw Unsupported{refusal};
        return size;
    }

    // Returns the size of all pages, or more than `limit` if the buffers do not fit.
    static std::size_t total(const std::vector<std::size_t>& sizes) {
        std::size_t sum = page;
        for (const std::size_t size : sizes) sum += round_up(std::min(size, limit), page) + page;
        return sum;
    }

    Pages pages_;
    std::vector<Span<std::uint8_t>> spans_;
};

// The planned buffers, with the sizes in the program.
class PlannedMemory {
public:
    explicit PlannedMemory(const MethodMeta& meta) : buffers_(sizes_in(meta)), spans_(buffers_.spans()) {}

    // Fails if the buffers need more memory than the adapter provides.
    static void require_space(const MethodMeta& meta) { GuardedBuffers::require_space(sizes_in(meta)); }

    bool intact() const { return buffers_.intact(); }

    HierarchicalAllocator allocator() { return HierarchicalAllocator({spans_.data(), spans_.size()}); }

private:
    static std::vector<std::size_t> sizes_in(const MethodMeta& meta) {
        std::vector<std::size_t> sizes;
        for (std::size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
            const auto size = must(meta.memory_planned_buffer_size(i), "MethodMeta::memory_planned_buffer_size", i);
            sizes.push_back(static_cast<std::size_t>(size));
        }
        return sizes;
    }

    GuardedBuffers buffers_;
    std::vector<Span<std::uint8_t>> spans_;  // the allocator requires a mutable list
};

}  // namespace reader
