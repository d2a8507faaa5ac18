/// What is filled in for field codes.
struct ExecFilling {
    /// Files and addresses that the launch is about: URIs, or absolute paths.
    var subjects: [String]
    var icon: String?
    var name: String
    var path: String
}

extension ExecLine {
    /// As many programs one launch starts.
    static let mostCommands = 32

    /// The command lines: one, or where a program takes a single file or address, one for each.
    func commands(_ filling: ExecFilling) throws(ExecProblem) -> [[String]] {
        let subject = words.first { $0.subject != nil }
        let code = subject?.subject
        if !filling.subjects.isEmpty, let danger = danger(at: words.firstIndex { $0.subject != nil } ?? words.count) {
            throw ExecProblem(subject?.place ?? 1, danger)
        }
        // Without a code the program is given local files nevertheless, as other desktops do.
        let wantsFiles = code == nil || code == "f" || code == "F"
        var values: [String] = []
        for text in filling.subjects {
            let file = FileAddress.path(of: text)
            if wantsFiles, file == nil {
                throw ExecProblem(
                    subject?.place ?? 1,
                    code == nil
                        ? "it has none of %f, %F, %u and %U: its program can be given local files at most"
                        : "%\(code ?? "f") takes local files, and what is to be opened is none",
                    help: "leave {target} out of `desktop`, or name an entry whose Exec has %u or %U")
            }
            let value = file ?? text
            if value.utf8.first == UInt8(ascii: "-"), subject?.pieces.first.map({ $0 != .code(code ?? "f") }) != true {
                throw ExecProblem(subject?.place ?? 1, "what is to be opened begins with -, which reads as an option")
            }
            values.append(value)
        }
        guard code == "f" || code == "u" || code == nil, values.count > 1 else {
            return [command(values, filling, appending: code == nil)]
        }
        guard values.count <= Self.mostCommands else {
            throw ExecProblem(subject?.place ?? 1, "it would start its program \(values.count) times")
        }
        return values.map { command([$0], filling, appending: code == nil) }
    }

    private func command(_ values: [String], _ filling: ExecFilling, appending: Bool) -> [String] {
        var arguments: [String] = []
        for word in words {
            switch word.code {
            case "f", "F", "u", "U": arguments += values
            case "i":
                if let icon = filling.icon, !icon.isEmpty { arguments += ["--icon", icon] }
            default:
                arguments.append(
                    word.pieces.reduce(into: "") { text, piece in
                        switch piece {
                        case .text(let literal): text += literal
                        case .code("c"): text += filling.name
                        case .code("k"): text += filling.path
                        case .code: text += values.first ?? ""
                        }
                    })
            }
        }
        return appending ? arguments + values : arguments
    }
}

/// Addresses of local files (RFC 8089).
enum FileAddress {
    /// The absolute path; nil of anything else.
    static func path(of text: String) -> String? {
        if text.utf8.first == UInt8(ascii: "/") { return text.utf8.contains(0) ? nil : text }
        var rest = Substring(text)
        guard rest.utf8.count > 5, rest.prefix(5).lowercased() == "file:" else { return nil }
        rest = rest.dropFirst(5)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
            let host = rest[..<slash].lowercased()
            guard host.isEmpty || host == "localhost" else { return nil }
            rest = rest[slash...]
        }
        guard rest.utf8.first == UInt8(ascii: "/") else { return nil }
        var bytes: [UInt8] = []
        var source = rest.utf8.makeIterator()
        while let byte = source.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = source.next().flatMap(digit), let low = source.next().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "#"), UInt8(ascii: "?"): return nil
            default: bytes.append(byte)
            }
        }
        if bytes.contains(0) { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
