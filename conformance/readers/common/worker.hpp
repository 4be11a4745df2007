// The worker side of the torchproof reader protocol, version 1, for readers in C++.
//
//     runner                                     worker
//       | {"op":"hello","protocol":1}       ->     |
//       |     <- {"protocol":1,"name":...}         |   the description of the reader
//       | {"op":"read","seq":7,...}         ->     |
//       |     <- {"seq":7,"outcome":...}           |   one reply per request, in order
//       | {"op":"bye"}, or end of input     ->     |   exit 0
//
// A worker calls serve() with a Description and a function that returns an Answer to a Request. serve() catches no signals
// and no exceptions, so a crash in the function ends the process, and the runner reports it.

#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json.hpp"

namespace torchproof {

// The stages of reading a file, in order. The corpus manifest uses the same names.
enum class Stage { open, header, structure, meta, method, data, execute };

inline constexpr std::array<std::string_view, 7> stage_names = {"open",   "header", "structure", "meta",
                                                                "method", "data",   "execute"};

inline std::string_view name_of(Stage stage) { return stage_names[static_cast<std::size_t>(stage)]; }

inline void write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) std::exit(1);  // the runner has ended
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

// Prints the start of a stage to stderr. Call this function before the first call of the reader in a stage, because reports
// use the last printed one as the stage of a crash. A crash would lose the content of a buffer, so the output has none.
inline void enter(Stage stage) {
    std::string line = "torchproof-stage: ";
    line += name_of(stage);
    write_all(STDERR_FILENO, line + '\n');
}

// The ways to deliver files. delivery.hpp implements the deliveries that pass a file in memory.
enum class Delivery { buffer, unaligned, file, file_at_offset, mmap, guard };

inline constexpr std::array<std::string_view, 6> delivery_names = {"buffer",         "unaligned", "file",
                                                                   "file-at-offset", "mmap",      "guard"};

inline std::string_view name_of(Delivery delivery) { return delivery_names[static_cast<std::size_t>(delivery)]; }

// The reply to "hello".
//
// `stages` lists the stages that the reader distinguishes. If one call does the work of several, list only the last of them,
// and a rejection at this stage also counts for a defect of an earlier one. An error in opening a file is a rejection at
// `open`, even if `stages` does not contain it.
struct Description {
    std::string name;
    std::string version;
    std::vector<std::string> formats;  // "pte", "ptd"
    std::vector<Stage> stages;
    std::vector<std::string> capabilities;  // the abilities beyond a verdict
    std::vector<Delivery> deliveries = {Delivery::file};  // the first delivery is the default
    std::string registry = {};  // the operators and backends of the runtime as JSON, or empty
};

inline bool has(const Description& reader, std::string_view capability) {
    return std::find(reader.capabilities.begin(), reader.capabilities.end(), capability) != reader.capabilities.end();
}

struct File {
    // Only a reader with the capability `bundled` receives bundled programs.
    enum class Role { program, data, bundled };
    Role role;
    std::string path;
    // The indices of the entries with a tensor layout in a data file, if the request has them.
    std::optional<std::vector<std::uint64_t>> layouts = std::nullopt;
    // The offset of the file at `path`, for Delivery::file_at_offset.
    std::uint64_t offset = 0;
    // The size, or no value for all bytes up to the end. The reader never gets a shorter file.
    std::optional<std::uint64_t> size = std::nullopt;
};

// A request to read files together, up to the requested stage (`until`).
struct Request {
    std::vector<File> files;
    Stage until = Stage::data;
    // Whether an accept must contain the value for `want` "loaded", for a reader with the capability `loaded`.
    bool loaded = false;
    // One of the deliveries in the Description.
    Delivery delivery = Delivery::file;
};

struct Answer {
    std::string outcome;
    std::optional<Stage> stage;
    std::string message;
    std::string value;  // JSON, or empty

    // The reader reached `stage` without an error.
    static Answer accept(Stage stage, std::string value = {}) { return {"accept", stage, {}, std::move(value)}; }
    static Answer reject(Stage stage, std::string message) { return {"reject", stage, std::move(message), {}}; }
    // The reader does not support this kind of request.
    static Answer unsupported(std::string message) { return {"unsupported", std::nullopt, std::move(message), {}}; }
    // The adapter failed; the reader is not at fault.
    static Answer error(std::string message) { return {"error", std::nullopt, std::move(message), {}}; }
};

namespace protocol {

using json::Malformed;
using json::Value;

inline std::string hello_line(const Description& reader) {
    const auto text = [](const std::string& item) { return json::quote(item); };
    const auto named = [](auto item) { return json::quote(name_of(item)); };
    return R"({"protocol":1,"name":)" + json::quote(reader.name) + R"(,"version":)" + json::quote(reader.version) +
           R"(,"language":"c++","formats":)" + json::array(reader.formats, text) + R"(,"stages":)" +
           json::array(reader.stages, named) + R"(,"capabilities":)" + json::array(reader.capabilities, text) +
           R"(,"deliveries":)" + json::array(reader.deliveries, named) +
           (reader.registry.empty() ? "" : R"(,"registry":)" + reader.registry) + "}\n";
}

inline std::string answer_line(std::uint64_t seq, const Answer& answer) {
    std::string out = R"({"seq":)" + std::to_string(seq) + R"(,"outcome":)" + json::quote(answer.outcome);
    if (answer.stage) out += R"(,"stage":)" + json::quote(name_of(*answer.stage));
    if (!answer.message.empty()) out += R"(,"message":)" + json::quote(answer.message);
    if (!answer.value.empty()) out += R"(,"value":)" + answer.value;
    return out + "}\n";
}

// Returns the text of the member `name`, which must exist and be of this kind.
inline const std::string& text_of(const Value& object, std::string_view name, Value::Kind kind = Value::Kind::string) {
    const Value* member = object.find(name);
    if (member == nullptr) throw Malformed{"missing member \"" + std::string(name) + '"'};
    if (member->kind != kind) throw Malformed{'"' + std::string(name) + "\" is of the wrong type"};
    return member->text;
}

// Parses a number without sign and fraction, of at most 64 bits.
inline std::uint64_t whole_number(std::string_view text, std::string_view name) {
    std::uint64_t result = 0;
    for (const char c : text) {
        const auto digit = static_cast<unsigned char>(c - '0');
        constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
        if (digit > 9 || result > (most - digit) / 10) throw Malformed{'"' + std::string(name) + "\" is not a u64"};
        result = result * 10 + digit;
    }
    return result;
}

inline std::optional<std::vector<std::uint64_t>> layouts_of(const Value& file) {
    const Value* layouts = file.find("layouts");
    if (layouts == nullptr) return std::nullopt;
    if (layouts->kind != Value::Kind::array) throw Malformed{"\"layouts\" is not a list"};
    std::vector<std::uint64_t> entries;
    for (const Value& entry : layouts->items) {
        if (entry.kind != Value::Kind::number) throw Malformed{"\"layouts\" contains a value that is not a number"};
        entries.push_back(whole_number(entry.text, "layouts"));
    }
    return entries;
}

// Returns the member `name` as a number, if there is one.
inline std::optional<std::uint64_t> number_of(const Value& object, std::string_view name) {
    if (object.find(name) == nullptr) return std::nullopt;
    return whole_number(text_of(object, name, Value::Kind::number), name);
}

inline Delivery delivery_of(std::string_view name) {
    for (std::size_t i = 0; i < delivery_names.size(); ++i) {
        if (delivery_names[i] == name) return static_cast<Delivery>(i);
    }
    throw Malformed{"unknown delivery \"" + std::string(name) + '"'};
}

inline Stage stage_of(std::string_view name) {
    for (std::size_t i = 0; i < stage_names.size(); ++i) {
        if (stage_names[i] == name) return static_cast<Stage>(i);
    }
    throw Malformed{"unknown stage \"" + std::string(name) + '"'};
}

inline constexpr std::array<std::string_view, 3> role_names = {"program", "data", "bundled"};

// An unknown role, to which the reply is `unsupported`.
struct UnknownRole {
    std::string name;
};

inline File::Role role_of(const std::string& name) {
    for (std::size_t i = 0; i < role_names.size(); ++i) {
        if (role_names[i] == name) return static_cast<File::Role>(i);
    }
    throw UnknownRole{name};
}

inline File file_of(const Value& value) {
    const File::Role role = role_of(text_of(value, "role"));
    const std::string& path = text_of(value, "path");
    // The path would end at the NUL and name another file.
    if (path.find('\0') != std::string::npos) throw Malformed{"found a NUL in \"path\""};
    return {role, path, layouts_of(value), number_of(value, "offset").value_or(0), number_of(value, "size")};
}

inline Request request_of(const Value& object) {
    Request request;
    const Value* files = object.find("files");
    if (files == nullptr || files->kind != Value::Kind::array) throw Malformed{"missing list \"files\""};
    if (files->items.empty()) throw Malformed{"\"files\" is empty"};
    for (const Value& file : files->items) request.files.push_back(file_of(file));
    if (object.find("stage") != nullptr) request.until = stage_of(text_of(object, "stage"));
    if (object.find("delivery") != nullptr) request.delivery = delivery_of(text_of(object, "delivery"));
    return request;
}

// Crashes or sleeps if the file begins with a marker of the adapter selftest.
inline void obey_selftest(const File& file) {
    constexpr std::string_view crash = "torchproof-selftest: crash\n";
    constexpr std::string_view sleep = "torchproof-selftest: sleep\n";
    std::array<char, crash.size()> head{};
    const int fd = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    const ssize_t got = ::pread(fd, head.data(), head.size(), static_cast<off_t>(file.offset));
    ::close(fd);
    const std::string_view text(head.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
    if (text == crash) std::abort();
    while (text == sleep) ::pause();
}

// Returns an error if the file is incomplete or unreadable, for which the reader is not at fault.
inline std::optional<std::string> lacking(const File& file) {
    struct stat status {};
    if (::stat(file.path.c_str(), &status) != 0) return file.path + ": " + std::strerror(errno);
    if (!S_ISREG(status.st_mode)) return file.path + ": is not a regular file";  // opening a pipe would block
    const int fd = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return file.path + ": " + std::strerror(errno);
    ::close(fd);
    const std::uint64_t end = static_cast<std::uint64_t>(status.st_size);
    const std::uint64_t have = end > file.offset ? end - file.offset : 0;
    const std::uint64_t size = file.size.value_or(0);
    if (have >= size) return std::nullopt;
    return file.path + ": found " + std::to_string(have) + " bytes, expected at least " + std::to_string(size);
}

template <class Read>
std::string answer_read(const Value& object, const Description& reader, Read& read) {
    const std::uint64_t seq = whole_number(text_of(object, "seq", Value::Kind::number), "seq");
    Request request;
    try {
        request = request_of(object);
    } catch (const UnknownRole& role) {
        return answer_line(seq, Answer::unsupported("unknown role \"" + role.name + '"'));
    }
    if (object.find("delivery") == nullptr) request.delivery = reader.deliveries.front();
    const auto& takes = reader.deliveries;
    if (std::find(takes.begin(), takes.end(), request.delivery) == takes.end()) {
        return answer_line(seq, Answer::unsupported("does not support delivery " + std::string(name_of(request.delivery))));
    }
    for (const File& file : request.files) {
        if (file.role == File::Role::bundled && !has(reader, "bundled")) {
            return answer_line(seq, Answer::unsupported("does not read bundled programs"));
        }
        if (const std::optional<std::string> why = lacking(file)) return answer_line(seq, Answer::error(*why));
    }
    obey_selftest(request.files.front());
    const std::string want = object.find("want") == nullptr ? "verdict" : text_of(object, "want");
    request.loaded = want == "loaded" && has(reader, want);
    // An accept without the requested value would be a protocol violation.
    if (want != "verdict" && !request.loaded) return answer_line(seq, Answer::unsupported("does not support \"want\": \"" + want + '"'));
    return answer_line(seq, read(request));
}

// Returns the reply line for a request line, or no value for "bye".
template <class Read>
std::optional<std::string> answer(const std::string& line, const Description& reader, Read& read) {
    try {
        const Value object = json::Parser(line).whole();
        const std::string& op = text_of(object, "op");
        if (op == "bye") return std::nullopt;
        if (op == "hello") return hello_line(reader);
        if (op == "read") return answer_read(object, reader, read);
        throw Malformed{"unknown op \"" + op + '"'};
    } catch (const Malformed& error) {
        return R"({"error":)" + json::quote(error.message) + "}\n";
    }
}

}  // namespace protocol

// Replies to requests until "bye" or the end of input, and to invalid ones with {"error":...}. Returns the exit code of the
// process.
template <class Read>
int serve(Description reader, Read read) {
    reader.capabilities.emplace_back("selftest");
    // Replies go to a duplicate of stdout, and stdout to stderr, so that the runner never takes output of the reader for a
    // reply.
    const int answers = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (answers < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;

    for (std::string line; std::getline(std::cin, line);) {
        const std::optional<std::string> reply = protocol::answer(line, reader, read);
        if (!reply) break;
        write_all(answers, *reply);
    }
    return 0;
}

}  // namespace torchproof
