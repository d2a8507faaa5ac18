public import UsherJSON
public import UsherScene

extension InputForm {
    /// What the name of an input alone says; nil where the first line decides.
    ///
    /// - Parameter fileName: nil for standard input, which is JSON Lines.
    public init?(fileName: String?) {
        guard let name = fileName?.utf8 else {
            self = .lines
            return
        }
        if name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") {
            self = .lines
        } else if name.hasSuffix(".apns") {
            self = .simulator
        } else {
            return nil
        }
    }

    /// Decides by the name and, where that says nothing, by the first line.
    ///
    /// Standard input (no name), `*.jsonl` and `*.ndjson` are JSON Lines; `*.apns` is one document; of any other file
    /// the first line that is not blank decides: a complete JSON value means JSON Lines.
    ///
    /// - Parameter fileName: nil for standard input.
    public init(fileName: String?, bytes: [UInt8], scratch: inout JSONDocument) {
        self =
            InputForm(fileName: fileName) ?? (InputForm.beginsWithValue(bytes, &scratch) ? .lines : .document)
    }

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
