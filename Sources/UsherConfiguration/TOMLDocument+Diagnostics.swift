import UsherScene

/// Why a file has no members.
struct Refusal: Error {
    var diagnostic: ConfigurationDiagnostic
}

extension TOMLDocument {
    /// The members of a file's root table.
    ///
    /// - Throws: the first thing that keeps it from being TOML, told so that a newcomer can mend it.
    static func members(of file: SourceFile) throws(Refusal) -> [TOMLMember] {
        if let invalid = file.firstInvalidByte() {
            throw refusal(
                .configurationNotUTF8, in: file, at: file.position(of: invalid),
                "the file is not UTF-8 from here on",
                help: "save it as UTF-8, the encoding of TOML files (the byte is 0x\(hexadecimal(file.bytes[invalid])))"
            )
        }
        if let deep = TOMLNesting.violation(in: file.bytes) {
            throw refusal(
                .configurationTooDeep, in: file, at: file.position(of: deep), "tables and lists nest too deep here",
                help: "no key of a manifest needs more than a few levels")
        }
        do {
            return try TOMLDocument(parsing: file.bytes).root()
        } catch {
            let position = error.region?.begin ?? SourcePosition(line: 1, column: 1)
            let (message, help) = TOMLErrorText.explain(error.message, in: file, at: position)
            throw refusal(.tomlSyntax, in: file, at: position, message, help: help)
        }
    }

    private static func refusal(
        _ code: DiagnosticCode, in file: SourceFile, at position: SourcePosition, _ message: String, help: String?
    ) -> Refusal {
        Refusal(
            diagnostic: ConfigurationDiagnostic(
                .error, code, path: file.path, location: file.location(position), message: message, help: help,
                sourceLine: String(decoding: file.line(position.line), as: UTF8.self)))
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}

extension SourceFile {
    /// The first byte that is not part of a character.
    fileprivate func firstInvalidByte() -> Int? {
        // The usual case is checked at the library's speed.
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return min(offset, bytes.count - 1)
            }
        }
    }
}
