// SQLite. No feature macros: Glibc's own module is built without, and two modules that see the same headers
// differently cannot be imported together.
#include <sqlite3.h>

// What Swift cannot import: SQLITE_TRANSIENT is a cast, and some take a variable number of arguments.
// A null pointer would bind NULL, so that an empty text or blob is given an address.

static inline int usher_sqlite3_bind_text(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int usher_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// Lent: there until the statement has run.
static inline int usher_sqlite3_lend_text(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, bytes ? (const char *)bytes : "", count, SQLITE_STATIC, SQLITE_UTF8);
}

static inline int usher_sqlite3_lend_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_STATIC);
}

// Before the first connection. Each allocation would lock and count.
static inline int usher_sqlite3_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

static inline int usher_sqlite3_configure(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}
