internal import CGLib
internal import Glibc

/// A key file as desktops read it: groups, keys, escapes, lists and translations (Desktop Entry Specification 1.5).
@safe
struct KeyFile: ~Copyable {
    /// More is no desktop entry.
    static let largest = 1 << 20

    private let file: OpaquePointer

    /// Throws what is wrong with the file.
    init(_ bytes: [UInt8]) throws(KeyFileProblem) {
        // There is no memory to be had where it gives nothing, and then it has ended the process already.
        guard let made = unsafe g_key_file_new() else { throw KeyFileProblem("there is no memory") }
        var error: UnsafeMutablePointer<GError>?
        let flags = GKeyFileFlags(rawValue: G_KEY_FILE_KEEP_TRANSLATIONS.rawValue)
        let isLoaded = unsafe bytes.withUnsafeBytes { buffer in
            unsafe g_key_file_load_from_data(
                made, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), gsize(buffer.count), flags, &error)
        }
        guard isLoaded != 0 else {
            unsafe g_key_file_unref(made)
            let text = unsafe error.flatMap { unsafe $0.pointee.message }.map { unsafe String(cString: $0) }
            if let error = unsafe error { unsafe g_error_free(error) }
            throw KeyFileProblem(text ?? "it is no desktop entry")
        }
        unsafe file = made
    }

    deinit { unsafe g_key_file_unref(file) }

    func hasGroup(_ group: String) -> Bool { unsafe g_key_file_has_group(file, group) != 0 }

    /// nil where it is absent, or no text.
    func string(_ key: String, in group: String) -> String? {
        unsafe Self.string(freeing: g_key_file_get_string(file, group, key, nil))
    }

    /// In the first of these languages that it is translated to, or as it is.
    func string(_ key: String, in group: String, languages: [String]) -> String? {
        for language in languages {
            guard let found = unsafe g_key_file_get_locale_for_key(file, group, key, language) else { continue }
            unsafe g_free(found)
            return unsafe Self.string(freeing: g_key_file_get_locale_string(file, group, key, language, nil))
        }
        return string(key, in: group)
    }

    func isTrue(_ key: String, in group: String) -> Bool {
        unsafe g_key_file_get_boolean(file, group, key, nil) != 0
    }

    func strings(_ key: String, in group: String) -> [String] {
        var count: gsize = 0
        guard let list = unsafe g_key_file_get_string_list(file, group, key, &count, nil) else { return [] }
        defer { unsafe g_strfreev(list) }
        return (0..<Int(count)).compactMap { place in
            unsafe list[place].map { unsafe String(cString: $0) }
        }
    }

    private static func string(freeing text: UnsafeMutablePointer<CChar>?) -> String? {
        guard let text = unsafe text else { return nil }
        defer { unsafe g_free(text) }
        return unsafe String(cString: text)
    }
}

/// What is wrong with a key file.
struct KeyFileProblem: Error {
    var message: String

    init(_ message: String) { self.message = message }
}
