public import UsherScene

/// The text of every configuration file that was read: leads from places to lines, and into strings.
public struct SourceMap: Sendable {
    private var files: [String: SourceFile] = [:]

    init() {}

    mutating func insert(_ file: SourceFile) { files[file.path] = file }

    /// Where a byte of a string's value is written: `offset` counts the UTF-8 bytes of the value, `string` is the place
    /// of its opening quote.
    ///
    /// Escapes, line ends and all four forms of a TOML string are followed. Gives `string` itself where there is no such
    /// file or no string at that place. O(offset).
    public func location(ofOffset offset: Int, inStringAt string: SourceLocation) -> SourceLocation {
        guard let file = files[string.path] else { return string }
        return file.location(
            file.position(
                ofValueOffset: offset, inStringAt: SourcePosition(line: string.line, column: string.column)))
    }

    /// The files that were not there before, are not there any more, or read differently; by name.
    public func changes(since old: SourceMap) -> [String] {
        Set(files.keys).union(old.files.keys).filter { files[$0]?.bytes != old.files[$0]?.bytes }.sorted()
    }

    /// The line of a place, without its end; nil where there is no such file.
    public func text(ofLineAt location: SourceLocation) -> String? {
        files[location.path].map { String(decoding: $0.line(location.line), as: UTF8.self) }
    }
}
