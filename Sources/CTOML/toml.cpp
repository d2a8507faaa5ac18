#include "CTOML.h"

// Compiled in: the shared library, and the C++ runtime that it needs, would cost every command a millisecond at its start.
#define TOML_HEADER_ONLY 1
// Its assertions would end the program for texts that it refuses with an error right after (`parse_key`); with NDEBUG the
// compiler would take them for granted.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>

#include <new>
#include <string>
#include <vector>

struct usher_toml_document {
    toml::table root;
    std::vector<usher_toml_node> nodes;
    std::string error;
    usher_toml_region error_region = {};
    bool failed = false;
};

namespace {

usher_toml_region place(const toml::source_region &source) {
    return { source.begin.line, source.begin.column, source.end.line, source.end.column };
}

usher_toml_node describe(const toml::node &value) {
    usher_toml_node node = {};
    node.region = place(value.source());
    if (value.is_table()) {
        node.kind = USHER_TOML_TABLE;
    } else if (value.is_array()) {
        node.kind = USHER_TOML_ARRAY;
    } else if (const auto *text = value.as_string()) {
        node.kind = USHER_TOML_STRING;
        node.text = text->get().data();
        node.text_length = text->get().size();
    } else if (const auto *integer = value.as_integer()) {
        node.kind = USHER_TOML_INTEGER;
        node.integer = integer->get();
    } else if (const auto *boolean = value.as_boolean()) {
        node.kind = USHER_TOML_BOOLEAN;
        node.integer = boolean->get() ? 1 : 0;
    } else if (const auto *floating = value.as_floating_point()) {
        node.kind = USHER_TOML_FLOAT;
        node.floating = floating->get();
    } else {
        node.kind = USHER_TOML_DATE;
    }
    return node;
}

// Breadth first, so that nesting takes no stack and a node's children are a range.
void flatten(usher_toml_document &document) {
    std::vector<const toml::node *> values = { &document.root };
    document.nodes.push_back(describe(document.root));
    for (size_t index = 0; index < values.size(); index++) {
        const toml::node *value = values[index];
        const auto first = static_cast<uint32_t>(values.size());
        if (const auto *table = value->as_table()) {
            for (auto &&[key, member] : *table) {
                usher_toml_node node = describe(member);
                node.key = key.str().data();
                node.key_length = key.str().size();
                node.key_region = place(key.source());
                document.nodes.push_back(node);
                values.push_back(&member);
            }
        } else if (const auto *array = value->as_array()) {
            for (auto &&element : *array) {
                document.nodes.push_back(describe(element));
                values.push_back(&element);
            }
        }
        document.nodes[index].first_child = first;
        document.nodes[index].child_count = static_cast<uint32_t>(values.size()) - first;
    }
}

}  // namespace

usher_toml_document *usher_toml_parse(const char *bytes, size_t length) {
    auto *document = new (std::nothrow) usher_toml_document;
    if (document == nullptr) return nullptr;
    try {
        try {
            document->root = toml::parse(std::string_view(bytes, length));
            flatten(*document);
        } catch (const toml::parse_error &error) {
            document->failed = true;
            document->error_region = place(error.source());
            document->error = std::string(error.description());
        }
        return document;
    } catch (...) {
        // Nothing but a lack of memory is left, and it must not unwind into Swift.
        delete document;
        return nullptr;
    }
}

void usher_toml_free(usher_toml_document *document) { delete document; }

const char *usher_toml_error(const usher_toml_document *document, usher_toml_region *region) {
    if (!document->failed) return nullptr;
    *region = document->error_region;
    return document->error.c_str();
}

size_t usher_toml_node_count(const usher_toml_document *document) { return document->nodes.size(); }

usher_toml_node usher_toml_node_at(const usher_toml_document *document, size_t index) {
    return index < document->nodes.size() ? document->nodes[index] : usher_toml_node {};
}
