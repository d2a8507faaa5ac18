// What a durable webhook costs at least: one thread reads requests, and writes a row of 500 bytes a request to SQLite in WAL
// mode; one commit, with a sync, for all requests that are there.
//
// usage: store PORT DATABASE

#define _GNU_SOURCE 1

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 4096, EVENTS = 256, ROW = 500 };

struct connection {
    size_t length;
    char input[16384];
};

static struct connection *connections[CONNECTIONS];
static sqlite3 *database;

static void fail(const char *what) {
    fprintf(stderr, "store: %s: %s\n", what, database ? sqlite3_errmsg(database) : strerror(errno));
    exit(1);
}

static sqlite3_stmt *prepare(const char *text) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK) fail(text);
    return statement;
}

static void execute(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail("a step");
    sqlite3_reset(statement);
}

// Where the body of a whole request begins; NULL while some of it is missing.
static const char *body(const struct connection *connection, size_t *length) {
    const char *end = memmem(connection->input, connection->length, "\r\n\r\n", 4);
    if (!end) return NULL;
    const char *given = strcasestr(connection->input, "\r\ncontent-length:");
    *length = given && given < end ? strtoul(given + 17, NULL, 10) : 0;
    return end + 4 + *length <= connection->input + connection->length ? end + 4 : NULL;
}

static void accept_from(int listener, int poll) {
    int one = 1, new = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (new < 0) return;
    if (new >= CONNECTIONS) {
        close(new);
        return;
    }
    setsockopt(new, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (!connections[new] && !(connections[new] = calloc(1, sizeof *connections[new]))) fail("memory");
    connections[new]->length = 0;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = new};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, new, &event)) fail("epoll_ctl");
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    signal(SIGPIPE, SIG_IGN);
    if (sqlite3_open(arguments[2], &database) != SQLITE_OK) fail(arguments[2]);
    if (sqlite3_exec(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
            "CREATE TABLE delivery (number INTEGER PRIMARY KEY, id TEXT NOT NULL, state TEXT NOT NULL, record BLOB NOT NULL)",
            NULL, NULL, NULL) != SQLITE_OK) fail("the table");
    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT"),
        *insert = prepare("INSERT INTO delivery (id, state, record) VALUES (?, 'done', ?)");

    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), poll = epoll_create1(EPOLL_CLOEXEC);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 512)) {
        perror("store: listen");
        return 1;
    }
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event)) fail("epoll_ctl");

    long number = 0;
    while (1) {
        struct epoll_event events[EVENTS];
        int ready[EVENTS], requests = 0;
        char row[ROW];
        const int seen = epoll_wait(poll, events, EVENTS, -1);
        for (int index = 0; index < seen; index++) {
            const int descriptor = events[index].data.fd;
            if (descriptor == listener) {
                accept_from(listener, poll);
                continue;
            }
            struct connection *connection = connections[descriptor];
            const ssize_t got = read(
                descriptor, connection->input + connection->length, sizeof connection->input - connection->length - 1);
            if (got <= 0) {
                close(descriptor);
                continue;
            }
            connection->length += (size_t)got;
            connection->input[connection->length] = 0;
            size_t length;
            const char *content = body(connection, &length);
            if (!content) continue;
            if (!requests) execute(begin);
            char id[64];
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            snprintf(id, sizeof id, "%08lx-%04lx-7000-8000-%012lx", now.tv_sec, now.tv_nsec & 0xffff, ++number);
            memset(row, ' ', sizeof row);
            memcpy(row, content, length < sizeof row ? length : sizeof row);
            sqlite3_bind_text(insert, 1, id, -1, SQLITE_TRANSIENT);
            sqlite3_bind_blob(insert, 2, row, sizeof row, SQLITE_STATIC);
            execute(insert);
            connection->length = 0;
            ready[requests++] = descriptor;
        }
        if (!requests) continue;
        execute(commit);
        static const char answer[] =
            "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"state\":\"accepted\"}";
        for (int index = 0; index < requests; index++)
            if (write(ready[index], answer, sizeof answer - 1) < 0) close(ready[index]);
    }
}
