// toml++ behind a C interface: bytes in, a flat list of nodes with their places out. Swift cannot import its templates
// and must not see its exceptions. Delete this target when Swift has a TOML parser that keeps source regions.
#ifndef USHER_CTOML_H
#define USHER_CTOML_H
#define _GNU_SOURCE 1
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum usher_toml_kind {
    USHER_TOML_TABLE = 0,
    USHER_TOML_ARRAY = 1,
    USHER_TOML_STRING = 2,
    USHER_TOML_INTEGER = 3,
    USHER_TOML_FLOAT = 4,
    USHER_TOML_BOOLEAN = 5,
    USHER_TOML_DATE = 6,
};

/// Lines and columns from 1; columns count code points; the end is one past the last. 0 where toml++ knows no place.
typedef struct usher_toml_region {
    uint32_t begin_line, begin_column, end_line, end_column;
} usher_toml_region;

/// A node, breadth first: the children of each stand side by side, after it. Text belongs to the document.
typedef struct usher_toml_node {
    uint32_t kind;
    /// Index of the first child and the number of children, for tables and arrays.
    uint32_t first_child, child_count;
    /// NULL but for members of a table.
    const char *key;
    size_t key_length;
    usher_toml_region key_region;
    usher_toml_region region;
    /// Of a string.
    const char *text;
    size_t text_length;
    /// Of an integer, or 0 and 1 of a boolean.
    int64_t integer;
    /// Of a floating-point number.
    double floating;
} usher_toml_node;

typedef struct usher_toml_document usher_toml_document;

/// Reads a document; NULL only when memory is short. Whether it is one is what `usher_toml_error` says.
usher_toml_document *usher_toml_parse(const char *bytes, size_t length);
void usher_toml_free(usher_toml_document *document);

/// NULL when the document was read, else what is wrong with it, and where.
const char *usher_toml_error(const usher_toml_document *document, usher_toml_region *region);

/// Node 0 is the root table.
size_t usher_toml_node_count(const usher_toml_document *document);
usher_toml_node usher_toml_node_at(const usher_toml_document *document, size_t index);

#ifdef __cplusplus
}
#endif
#endif
