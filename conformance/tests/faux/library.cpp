// A reader in a shared library, for the tests of the runner. The first file of a case contains an order, which determines what the
// reader does. An order consists of a word and its arguments.

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../readers/common/torchproof.h"

#ifndef HELLO
#define HELLO                                                                                        \
    R"({"protocol":1,"name":"faux","version":"0","language":"c++","formats":["pte","ptd"],)"         \
    R"("stages":["structure","meta","data"],"capabilities":["value","loaded","bundled"],)"                    \
    R"("deliveries":["mmap","buffer","unaligned","guard","file","file-at-offset"],"later":true})"
#endif

static int reads = 0;

extern "C" void nobody_has_this();

const char *torchproof_hello() noexcept {
    std::puts("ready!");
    std::fflush(stdout);
#ifdef DIES
    std::abort();
#endif
    return HELLO;
}

static volatile unsigned char *const nowhere = nullptr;

// Accepts if the condition is true. Otherwise, crashes the process.
static int32_t accept_if(bool as_ordered) { return as_ordered ? TORCHPROOF_ACCEPT : int32_t{*nowhere}; }

static std::string content(const torchproof_file &file) {
    if (file.bytes != nullptr) return std::string(reinterpret_cast<const char *>(file.bytes), file.size);
    std::ifstream stream(file.path, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(file.offset));
    std::string text(file.size, '\0');
    stream.read(&text[0], static_cast<std::streamsize>(text.size()));
    return text;
}

// Gives this process a unique name, because a process id has no meaning outside its namespace. Prints the name.
static void take_unique_name() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    char name[16];
    std::snprintf(name, sizeof name, "o%lx%lx", static_cast<long>(now.tv_sec), now.tv_nsec);
    prctl(PR_SET_NAME, name);
    std::fprintf(stderr, "orphan %s\n", name);
}

static int spawn_sleeper() {
    int ready[2];
    if (pipe(ready) != 0) std::abort();
    const pid_t child = fork();
    if (child == 0) {
        take_unique_name();
        close(ready[0]);
        close(ready[1]);
        sleep(600);
        _exit(0);
    }
    close(ready[1]);
    char none;
    if (read(ready[0], &none, 1) != 0) std::abort();
    close(ready[0]);
    return child;
}

// Starts a process that sleeps in its own session, and returns when the process runs. If `doubly` is true, the process has no
// parent.
static void spawn_escaped(bool doubly) {
    int ready[2];
    if (pipe(ready) != 0) std::abort();
    if (fork() == 0) {
        setsid();
        if (!doubly || fork() == 0) {
            setsid();
            take_unique_name();
            close(ready[0]);
            close(ready[1]);
            sleep(600);
        }
        _exit(0);
    }
    close(ready[1]);
    char none;
    if (read(ready[0], &none, 1) != 0) std::abort();
    close(ready[0]);
}

static int32_t obey(const std::string &order, const torchproof_request *request, torchproof_answer *answer);

static int32_t say(torchproof_answer *answer, int32_t outcome, int32_t stage, const std::string &message) {
    static std::string kept;
    kept = message;
    answer->stage = stage;
    answer->message = kept.c_str();
    return outcome;
}

static int32_t obey(const std::string &order, const torchproof_request *request, torchproof_answer *answer) {
    std::istringstream words(order);
    std::string word;
    int number = 0;
    words >> word;
    const torchproof_file &file = request->files[0];
    if (word == "accept") return TORCHPROOF_ACCEPT;
    if (word == "reject") return say(answer, TORCHPROOF_REJECT, TORCHPROOF_STAGE_STRUCTURE, "no\n\xff");
    if (word == "unsupported") return say(answer, TORCHPROOF_UNSUPPORTED, TORCHPROOF_STAGE_UNKNOWN, "not me");
    if (word == "error") return say(answer, TORCHPROOF_ERROR, TORCHPROOF_STAGE_UNKNOWN, "no disk");
    if (word == "value" || word == "bad-value") {
        static std::string kept;
        std::getline(words, kept);
        answer->value = request->want == TORCHPROOF_WANT_VALUE ? kept.c_str() : nullptr;
        return TORCHPROOF_ACCEPT;
    }
    if (word == "outcome" && words >> number) return number;
    if (word == "stage" && words >> number) return say(answer, TORCHPROOF_REJECT, number, "no");
    if (word == "segfault") return *nowhere;
    if (word == "staged-segfault") {
        torchproof_enter(TORCHPROOF_STAGE_STRUCTURE);
        torchproof_enter(TORCHPROOF_STAGE_META);
        std::fputs("last words\n", stderr);
        return *nowhere;
    }
    if (word == "raise" && words >> number) raise(number);
    if (word == "abort") std::abort();
    if (word == "exit" && words >> number) std::exit(number);
    if (word == "throw") throw std::runtime_error("as ordered");
    if (word == "throw-out-of-memory") throw std::bad_alloc();
    if (word == "hoard") {
        for (std::vector<char *> hoard;;) hoard.push_back(new char[8 << 20]());
    }
    if (word == "sanitizer") {
        std::fputs("==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x7\n", stderr);
        std::exit(1);
    }
    if (word == "hang") sleep(600);
    while (word == "spin") ++reads;
    if (word == "print") {
        std::puts(R"({"seq":1,"outcome":"accept"})");
        std::fflush(stdout);
        return TORCHPROOF_ACCEPT;
    }
    if (word == "flood") {
        for (int i = 0; i < 64; ++i) std::fprintf(stderr, "%65536s", "x");
        std::fputs("\nthe end\n", stderr);
        std::string rest;
        std::getline(words, rest);
        return obey(rest, request, answer);
    }
    if (word == "flood-answer") {
        static const std::string much(20 << 20, 'x');
        return say(answer, TORCHPROOF_REJECT, TORCHPROOF_STAGE_META, much);
    }
    if (word == "orphan") {
        spawn_sleeper();
        std::string rest;
        std::getline(words, rest);
        return obey(rest, request, answer);
    }
    if (word == "setsid" || word == "double-fork") {
        spawn_escaped(word == "double-fork");
        std::string rest;
        std::getline(words, rest);
        return obey(rest, request, answer);
    }
    if (word == "return-twice") {
        fork();
        return TORCHPROOF_ACCEPT;
    }
    if (word == "answer-itself") {
        // The pipe for replies is the writable descriptor with the highest number.
        for (int fd = 63; fd > 2 && write(fd, "{}\n", 3) != 3;) --fd;
        return TORCHPROOF_ACCEPT;
    }
    if (word == "host") {
        return say(answer, TORCHPROOF_REJECT, TORCHPROOF_STAGE_META, std::to_string(static_cast<int>(getppid())));
    }
    // Reject if an earlier read has changed the memory of this process.
    if (word == "first") return reads++ == 0 ? TORCHPROOF_ACCEPT : TORCHPROOF_REJECT;
    if (word == "kill-host") kill(getppid(), SIGKILL);
    if (word == "stop-host") {
        kill(getppid(), SIGSTOP);
        sleep(600);
    }
    if (word == "close-all") {
        for (int fd = 3; fd < 64; ++fd) close(fd);
        return TORCHPROOF_ACCEPT;
    }
    if (word == "over-read") {
        const volatile unsigned char *bytes = file.bytes;
        return bytes != nullptr && bytes[file.size] == 0xff ? TORCHPROOF_REJECT : TORCHPROOF_ACCEPT;
    }
    if (word == "write") const_cast<unsigned char *>(file.bytes)[0] = 'x';
    const auto address = reinterpret_cast<std::uintptr_t>(file.bytes);
    if (word == "round") return accept_if(address % 16 == 0);
    if (word == "odd") return accept_if(address % 2 == 1);
    if (word == "role" && words >> number) return accept_if(file.role == number);
    if (word == "by-path") return accept_if(file.bytes == nullptr && file.path != nullptr);
    if (word == "inside-of-another") {
        struct stat found {};
        const bool larger = file.path != nullptr && stat(file.path, &found) == 0 &&
                            static_cast<uint64_t>(found.st_size) > file.offset + file.size;
        return accept_if(larger && file.offset > 0 && file.offset % 65536 == 0);
    }
    return say(answer, TORCHPROOF_REJECT, TORCHPROOF_STAGE_META, "no such order: " + word);
}

#ifdef LACKS_READ
#define torchproof_read torchproof_reads
int32_t torchproof_read(const torchproof_request *request, torchproof_answer *answer) noexcept;
#endif

int32_t torchproof_read(const torchproof_request *request, torchproof_answer *answer) noexcept {
    if (request->want == TORCHPROOF_WANT_LOADED) {
        static std::string kept;
        kept = "[";
        for (uint64_t i = 0; i < request->files[0].layout_count; ++i) {
            kept += (i > 0 ? "," : "") + std::to_string(request->files[0].layouts[i]);
        }
        kept += "]";
        answer->value = kept.c_str();
        return TORCHPROOF_ACCEPT;
    }
#ifdef CALLS_NOBODY
    nobody_has_this();
#endif
    return obey(content(request->files[0]), request, answer);
}
