public import UsherJSON

/// How the bytes of one input are to be read: as JSON Lines or as one document.
public enum PayloadShape: Hashable, Sendable {
    case lines
    case document

    /// Decides by the name and, where that says nothing, by the first line.
    ///
    /// Standard input (no name), `*.jsonl` and `*.ndjson` are JSON Lines; `*.apns` is one document; of any other file
    /// the first line that is not blank decides: a complete JSON value means JSON Lines.
    ///
    /// - Parameters:
    ///   - fileName: nil for standard input.
    public init(fileName: String?, bytes: [UInt8], scratch: inout JSONDocument) {
        guard let fileName else {
            self = .lines
            return
        }
        if PayloadShape.isLines(fileName) {
            self = .lines
        } else if PayloadShape.isSimulatorFile(fileName) {
            self = .document
        } else {
            self = PayloadShape.beginsWithValue(bytes, &scratch) ? .lines : .document
        }
    }

    /// Says whether a file's name makes it JSON Lines.
    public static func isLines(_ fileName: String) -> Bool {
        fileName.utf8.hasSuffix(".jsonl") || fileName.utf8.hasSuffix(".ndjson")
    }

    /// Says whether a file's name makes it a payload for `xcrun simctl push`.
    public static func isSimulatorFile(_ fileName: String) -> Bool { fileName.utf8.hasSuffix(".apns") }

    /// Says whether the first line that is not blank is a complete JSON value.
    static func beginsWithValue(_ bytes: [UInt8], _ scratch: inout JSONDocument) -> Bool {
        var splitter = JSONLinesSplitter(limit: bytes.count)
        splitter.push(bytes)
        splitter.finish()
        guard let line = splitter.next(), case .text(let text, let range) = line.content else { return false }
        defer { scratch.reset() }
        do throws(JSONError) {
            try scratch.parse(text, in: range)
            return true
        } catch {
            return false
        }
    }
}

extension String.UTF8View {
    fileprivate func hasSuffix(_ suffix: String) -> Bool {
        count >= suffix.utf8.count && self.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
