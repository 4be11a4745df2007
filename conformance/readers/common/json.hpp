// The part of JSON that the reader protocol needs: parses a request line and writes a reply line.
//
// This file has no dependencies, so a worker needs only a compiler and the reader. The parser rejects a request line with any
// error. A message may contain bytes of a hostile file, so quote() accepts any bytes and always writes valid JSON in valid
// UTF-8.

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torchproof::json {

// Invalid JSON, with the reason and the byte offset. Not derived from std::exception, because the text of what() would end at
// the first NUL.
struct Malformed {
    std::string message;
};

// A parsed value. Numbers are stored as text, because the protocol has only 64-bit integers, which a double would round.
struct Value {
    enum class Kind { null, boolean, number, string, array, object };

    Kind kind = Kind::null;
    std::string text;                                     // a decoded string, or the verbatim text of a number or boolean
    std::vector<Value> items;                             // the items of an array
    std::vector<std::pair<std::string, Value>> members;   // the members of an object, in order

    // Returns the member with this name, or null. Of several, the last counts, as in most JSON libraries.
    const Value* find(std::string_view name) const {
        const Value* found = nullptr;
        for (const auto& [key, value] : members) {
            if (key == name) found = &value;
        }
        return found;
    }
};

// Appends a code point, which is at most 10FFFF and not a surrogate, in UTF-8.
inline void append_utf8(std::string& out, std::uint32_t point) {
    if (point < 0x80) {
        out += static_cast<char>(point);
        return;
    }
    const int tail = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    const unsigned lead = tail == 1 ? 0xC0 : tail == 2 ? 0xE0 : 0xF0;
    out += static_cast<char>(lead | (point >> (6 * tail)));
    for (int i = tail - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((point >> (6 * i)) & 0x3F));
}

// Returns the length of the UTF-8 sequence at the start of `text`, or 0 if it is invalid. Like strict JSON parsers, rejects
// overlong encodings, surrogates and code points above 10FFFF.
inline std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (text.empty()) return 0;
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (text.size() < length) return 0;
    // This range of the second byte excludes them.
    const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < low || byte(1) > high) return 0;
    for (std::size_t i = 2; i < length; ++i) {
        if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
    }
    return length;
}

// Returns a JSON string for any bytes, with U+FFFD for each byte that is not part of valid UTF-8.
inline std::string quote(std::string_view text) {
    static constexpr char hex[] = "0123456789abcdef";
    std::string out = "\"";
    while (!text.empty()) {
        const auto byte = static_cast<unsigned char>(text[0]);
        const std::size_t length = utf8_length(text);
        if (length == 0) {
            out += "\xEF\xBF\xBD";
        } else if (byte == '"' || byte == '\\') {
            out += '\\';
            out += text[0];
        } else if (byte < 0x20) {
            out += "\\u00";
            out += hex[byte >> 4];
            out += hex[byte & 15];
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out + '"';
}

// Returns a JSON array of the result of `json_of` for each item.
template <class Items, class JsonOf>
std::string array(const Items& items, JsonOf json_of) {
    std::string out = "[";
    for (const auto& item : items) {
        if (out.size() > 1) out += ',';
        out += json_of(item);
    }
    return out + ']';
}

// Returns a JSON object with these members, whose values must be JSON.
inline std::string object(std::initializer_list<std::pair<std::string_view, std::string>> members) {
    std::string out = "{";
    for (const auto& [name, value] : members) {
        if (out.size() > 1) out += ',';
        out += quote(name) + ':' + value;
    }
    return out + '}';
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    // Parses the whole text as one value.
    Value whole() {
        Value result = value(0);
        skip_space();
        if (at_ != text_.size()) fail("expected the end of the text after the value");
        return result;
    }

private:
    // A request is four levels deep. Without the limit, a line of brackets would overflow the stack, which would count as a
    // crash of the reader.
    static constexpr int max_depth = 32;

    [[noreturn]] void fail(const char* what) const {
        throw Malformed{std::string(what) + " at byte " + std::to_string(at_)};
    }

    bool at_end() const { return at_ == text_.size(); }
    char peek() const { return at_end() ? '\0' : text_[at_]; }

    void skip_space() {
        while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++at_;
    }

    bool take(char wanted) {
        skip_space();
        if (at_end() || peek() != wanted) return false;
        ++at_;
        return true;
    }

    void expect(char wanted, const char* otherwise) {
        if (!take(wanted)) fail(otherwise);
    }

    Value value(int depth = 0) {
        if (depth > max_depth) fail("found too many nested values");
        skip_space();
        switch (peek()) {
            case '{': return object(depth);
            case '[': return array(depth);
            case '"': return {Value::Kind::string, string(), {}, {}};
            case 't': return word("true", Value::Kind::boolean);
            case 'f': return word("false", Value::Kind::boolean);
            case 'n': return word("null", Value::Kind::null);
            default: return number();
        }
    }

    Value object(int depth) {
        Value result{Value::Kind::object, {}, {}, {}};
        expect('{', "expected {");
        if (take('}')) return result;
        do {
            skip_space();
            std::string name = string();
            expect(':', "expected : after a member's name");
            result.members.emplace_back(std::move(name), value(depth + 1));
        } while (take(','));
        expect('}', "expected , or }");
        return result;
    }

    Value array(int depth) {
        Value result{Value::Kind::array, {}, {}, {}};
        expect('[', "expected [");
        if (take(']')) return result;
        do {
            result.items.push_back(value(depth + 1));
        } while (take(','));
        expect(']', "expected , or ]");
        return result;
    }

    Value word(std::string_view wanted, Value::Kind kind) {
        if (text_.substr(at_, wanted.size()) != wanted) fail("expected a value");
        at_ += wanted.size();
        return {kind, std::string(wanted), {}, {}};
    }

    bool digits() {
        const std::size_t start = at_;
        while (peek() >= '0' && peek() <= '9') ++at_;
        return at_ != start;
    }

    Value number() {
        const std::size_t start = at_;
        if (peek() == '-') ++at_;
        const bool leading_zero = peek() == '0';
        const std::size_t whole = at_;
        if (!digits()) fail("expected a value");
        if (leading_zero && at_ - whole > 1) fail("found a number with a leading zero");
        if (peek() == '.') {
            ++at_;
            if (!digits()) fail("expected a digit");
        }
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            if (peek() == '+' || peek() == '-') ++at_;
            if (!digits()) fail("expected a digit");
        }
        return {Value::Kind::number, std::string(text_.substr(start, at_ - start)), {}, {}};
    }

    std::string string() {
        if (peek() != '"') fail("expected a string");
        ++at_;
        std::string out;
        while (true) {
            if (at_end()) fail("found an unterminated string");
            const char c = peek();
            if (static_cast<unsigned char>(c) < 0x20) fail("found a control character in a string");
            ++at_;
            if (c == '"') return out;
            // Copy bytes above 7F without a check, because some systems permit paths that are not UTF-8.
            if (c != '\\') {
                out += c;
            } else {
                escape(out);
            }
        }
    }

    void escape(std::string& out) {
        const char c = peek();
        if (at_end()) fail("found an unterminated string");
        ++at_;
        switch (c) {
            case '"':
            case '\\':
            case '/': out += c; break;
            case 'b': out += '\b'; break;
            case 'f': out += '\f'; break;
            case 'n': out += '\n'; break;
            case 'r': out += '\r'; break;
            case 't': out += '\t'; break;
            case 'u': append_utf8(out, code_point()); break;
            default: fail("found an unknown escape");
        }
    }

    // Reads the digits after \u, and the second half of a surrogate pair.
    std::uint32_t code_point() {
        const std::uint32_t first = four_hex();
        if (first < 0xD800 || first > 0xDFFF) return first;
        if (first > 0xDBFF || text_.substr(at_, 2) != "\\u") fail("found half a surrogate pair");
        at_ += 2;
        const std::uint32_t second = four_hex();
        if (second < 0xDC00 || second > 0xDFFF) fail("found half a surrogate pair");
        return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    }

    std::uint32_t four_hex() {
        std::uint32_t result = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            const char c = peek();
            if (c >= '0' && c <= '9') result = result << 4 | static_cast<std::uint32_t>(c - '0');
            else if (c >= 'a' && c <= 'f') result = result << 4 | static_cast<std::uint32_t>(c - 'a' + 10);
            else if (c >= 'A' && c <= 'F') result = result << 4 | static_cast<std::uint32_t>(c - 'A' + 10);
            else fail("expected four hex digits");
        }
        return result;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace torchproof::json
