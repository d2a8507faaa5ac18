import UsherJSON
internal import UsherText

// Values with their checks; each names the error that is thrown when the type is wrong.

extension PayloadReader {
    func failure(
        _ name: DiagnosticName, _ element: JSONElement, _ message: String, help: String? = nil
    ) -> PayloadError {
        PayloadError(
            name, message, pointer: document.pointer(element), offset: document.offset(element), help: help)
    }

    /// "badge is a string, not a number".
    func wrongType(
        _ name: DiagnosticName, _ element: JSONElement, expected: String, help: String? = nil
    ) -> PayloadError {
        failure(
            name, element, "\(label(element)) is \(document.kind(element).phrase), not \(expected)", help: help)
    }

    mutating func warn(
        _ name: DiagnosticName, _ element: JSONElement, _ message: String? = nil,
        help: String? = nil
    ) {
        // Each pointer costs a walk: a payload of a hundred thousand mistakes must not cost their square.
        guard takesWarnings else { return }
        warnings.append(
            PayloadWarning(
                name, message ?? "\(label(element)): \(name.meaning)", pointer: document.pointer(element),
                offset: document.offset(element), help: help))
    }

    var takesWarnings: Bool { warnings.count < Self.warningLimit }

    /// The value's place in words: the pointer's last part.
    private func label(_ element: JSONElement) -> String {
        let pointer = document.pointer(element)
        guard let slash = pointer.utf8.lastIndex(of: 0x2F) else { return "the value" }
        return Self.printable(String(pointer[pointer.index(after: slash)...]))
    }

    /// Text from a payload for a message: short, and without anything that disturbs a terminal.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(80) {
            let isSafe = !TerminalText.disturbs(scalar)
            result.unicodeScalars.append(isSafe ? scalar : "\u{FFFD}")
        }
        return result
    }

    func string(_ element: JSONElement, _ name: DiagnosticName) throws(PayloadError) -> String {
        guard let string = document.string(element) else {
            throw wrongType(name, element, expected: "a string")
        }
        return string
    }

    func number(_ element: JSONElement, _ name: DiagnosticName) throws(PayloadError) -> Double {
        guard let number = document.double(element) else {
            let isQuoted = document.kind(element) == .string
            throw wrongType(name, element, expected: "a number", help: isQuoted ? "remove the quotes" : nil)
        }
        return number
    }

    func boolean(_ element: JSONElement, _ name: DiagnosticName) throws(PayloadError) -> Bool {
        guard let boolean = document.boolean(element) else {
            throw wrongType(name, element, expected: "a boolean")
        }
        return boolean
    }

    func strings(_ element: JSONElement, _ name: DiagnosticName) throws(PayloadError) -> [String] {
        guard document.kind(element) == .array else {
            throw wrongType(name, element, expected: "an array of strings")
        }
        var result: [String] = []
        var next = document.firstElement(element)
        while let item = next {
            guard let string = document.string(item) else {
                throw failure(
                    name, item, "\(label(element)) has \(document.kind(item).phrase) in it; all must be strings")
            }
            result.append(string)
            next = document.nextElement(item, in: element)
        }
        return result
    }

    /// An object's bytes as sent.
    func object(_ element: JSONElement, _ name: DiagnosticName) throws(PayloadError) -> ArraySlice<UInt8> {
        guard document.kind(element) == .object else { throw wrongType(name, element, expected: "an object") }
        return document.raw(element)
    }

    /// A flag that is documented as the number 1; many senders write true.
    mutating func flag(
        _ element: JSONElement, type: DiagnosticName, range: DiagnosticName
    ) throws(PayloadError) -> Bool {
        if let boolean = document.boolean(element) {
            warn(
                .apsFlagIsBoolean, element, "\(label(element)) is \(boolean), documented is a number",
                help: "send \(boolean ? 1 : 0)")
            return boolean
        }
        guard document.kind(element) == .number else {
            throw wrongType(type, element, expected: "a number")
        }
        switch document.int64(element) {
        case 0: return false
        case 1: return true
        default:
            throw failure(
                range, element, "\(label(element)) is \(document.numberText(element) ?? ""), neither 0 nor 1")
        }
    }

    /// An identifier: an opaque string, never trimmed, folded or normalised.
    mutating func identifier(
        _ element: JSONElement, type: DiagnosticName = .targetType
    ) throws(PayloadError) -> String {
        guard document.kind(element) == .string else {
            let digits = document.numberText(element).map { "quote it: \"\(Self.printable($0))\"" }
            throw wrongType(type, element, expected: "a string", help: digits)
        }
        let bytes = document.stringBytes(element)
        guard let first = bytes.first else {
            throw failure(.targetEmpty, element, "\(label(element)) is an empty string")
        }
        guard bytes.count <= Self.identifierLimit else {
            throw failure(
                .targetTooLong, element,
                "\(label(element)) has \(bytes.count) bytes, the limit is \(Self.identifierLimit)")
        }
        let isPlain = first > 0x20 && ByteWord.isPrintableASCII(bytes.span)
        let identifier = String(decoding: bytes, as: UTF8.self)
        if !isPlain { try judge(identifier, element) }
        return identifier
    }

    /// The rare identifiers: blank, or with characters outside printable ASCII.
    private mutating func judge(_ identifier: String, _ element: JSONElement) throws(PayloadError) {
        var isBlank = true
        var hasControl = false
        var hasBidirectional = false
        for scalar in identifier.unicodeScalars {
            switch scalar.value {
            case 0:
                throw failure(.targetNul, element, "\(label(element)) contains a NUL character")
            case 0x01...0x1F, 0x7F...0x9F, 0x2028, 0x2029: hasControl = true
            case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: hasBidirectional = true
            default: break
            }
            if !scalar.properties.isWhitespace { isBlank = false }
        }
        if isBlank { warn(.targetBlank, element) }
        if hasControl { warn(.targetControlCharacter, element) }
        if hasBidirectional { warn(.targetBidi, element) }
    }
}
