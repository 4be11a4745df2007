// A reader of the tables in a FlatBuffer, for parts of a file that no call of the runtime returns. It never reads outside the buffer.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace reader {

class Tables {
public:
    // A part that is absent or outside the buffer.
    struct Missing {};

    Tables(const void* start, std::size_t size) : start_(static_cast<const std::uint8_t*>(start)), size_(size) {}

    template <class Number>
    Number number(std::size_t at) const {
        if (at > size_ || size_ - at < sizeof(Number)) throw Missing{};
        Number result;
        std::memcpy(&result, start_ + at, sizeof result);
        return result;
    }

    std::size_t target(std::size_t at) const { return at + number<std::uint32_t>(at); }

    bool has(std::size_t table, std::size_t index) const { return offset(table, index) != 0; }

    // Returns the position of the value to which a field of a table points.
    std::size_t field(std::size_t table, std::size_t index) const {
        const std::size_t found = offset(table, index);
        if (found == 0) throw Missing{};
        return target(table + found);
    }

    std::string_view text(std::size_t at) const {
        const std::size_t length = number<std::uint32_t>(at);
        if (size_ - at - 4 < length) throw Missing{};
        return {reinterpret_cast<const char*>(start_ + at + 4), length};
    }

    // Returns the position of the root table.
    std::size_t root() const { return target(0); }

    // Calls `use` with the position of each table in the vector of a field, at most `left` times. Each call counts `left`
    // down, and `use` can do so too. A missing part ends only the call that needs it.
    template <class Use>
    void each(std::size_t table, std::size_t index, std::size_t& left, Use use) const {
        const auto unless_missing = [](auto step) {
            try {
                step();
            } catch (const Missing&) {
            }
        };
        unless_missing([&] {
            const std::size_t list = field(table, index);
            for (std::size_t i = 0; i < number<std::uint32_t>(list) && left > 0; ++i) {
                --left;
                unless_missing([&] { use(target(list + 4 + 4 * i)); });
            }
        });
    }

private:
    // Returns the offset of a field in its table, or 0 if the field is absent.
    std::size_t offset(std::size_t table, std::size_t index) const {
        const std::size_t vtable = table - static_cast<std::size_t>(std::int64_t{number<std::int32_t>(table)});
        const std::size_t slot = 4 + 2 * index;
        return slot + 2 > number<std::uint16_t>(vtable) ? 0 : number<std::uint16_t>(vtable + slot);
    }

    const std::uint8_t* start_;
    std::size_t size_;
};

}  // namespace reader
