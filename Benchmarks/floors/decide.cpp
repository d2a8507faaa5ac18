// What a decision costs at least: simdjson parses a payload, a hash table of SESSIONS targets answers, a record is written.
//
// usage: decide SESSIONS < payloads.ndjson > records.ndjson

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <unordered_map>

static const size_t blockSize = 1 << 18;

static void flush(std::string &output) {
    for (size_t sent = 0; sent < output.size();) {
        ssize_t count = write(1, output.data() + sent, output.size() - sent);
        if (count < 0) exit(1);
        sent += size_t(count);
    }
    output.clear();
}

// The members that a record of usher has for such a payload, with as many bytes.
static void append(std::string &output, std::string_view target, const long *session, long number) {
    char text[1400];
    char name[32] = "null";
    if (session) snprintf(name, sizeof name, "\"clown-%07ld\"", *session);
    int count = snprintf(
        text, sizeof text,
        "{\"v\":1,\"id\":\"0199a0b0-7000-7000-8000-%012ld\",\"seq\":%ld,\"time\":\"2026-11-22T18:00:00.000000Z\",\"source\":"
        "\"stdin\",\"format\":\"apns\",\"app\":\"example.clowntown\",\"target\":\"%.*s\",\"resolved\":\"%.*s\",\"scene\":"
        "\"clown\",\"session\":%s,\"action\":\"%s\",\"reason\":\"%s\",\"policy\":\"interrupt\",\"outcome\":\"skipped\","
        "\"warnings\":[],\"latency_us\":{\"decide\":1,\"act\":null},\"dry_run\":true,\"error\":null}\n",
        number, number, int(target.size()), target.data(), int(target.size()), target.data(), name,
        session ? "focus" : "launch", session ? "prefers" : "opens");
    if (count < 0 || size_t(count) >= sizeof text) exit(1);
    output.append(text, size_t(count));
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    const long sessions = atol(arguments[1]);
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    std::unordered_map<std::string, long, Hash, std::equal_to<>> table;
    table.reserve(size_t(sessions));
    for (long number = 0; number < sessions; number++) {
        char target[64];
        snprintf(target, sizeof target, "https://clowntown.example/clowns/c%07ld", number);
        table.emplace(target, number);
    }

    simdjson::dom::parser parser;
    std::string input, output;
    size_t start = 0;
    long number = 0;
    bool isAtEnd = false;
    while (!isAtEnd) {
        input.erase(0, start);
        start = 0;
        const size_t kept = input.size();
        input.resize(kept + blockSize + simdjson::SIMDJSON_PADDING);
        const ssize_t got = read(0, input.data() + kept, blockSize);
        if (got < 0) return 1;
        isAtEnd = got == 0;
        const size_t end = kept + size_t(got);
        while (true) {
            const auto *line = static_cast<const char *>(memchr(input.data() + start, '\n', end - start));
            if (!line) break;
            const size_t length = size_t(line - (input.data() + start));
            simdjson::dom::element payload;
            std::string_view target;
            if (parser.parse(input.data() + start, length, false).get(payload)
                || payload["aps"]["target-content-id"].get(target)) {
                fprintf(stderr, "line %ld is no payload with a target\n", number + 1);
                return 1;
            }
            const auto found = table.find(target);
            append(output, target, found == table.end() ? nullptr : &found->second, ++number);
            if (output.size() >= blockSize) flush(output);
            start += length + 1;
        }
        input.resize(end);
    }
    flush(output);
    return 0;
}
