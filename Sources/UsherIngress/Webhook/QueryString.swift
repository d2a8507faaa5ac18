internal import UsherHTTP
internal import UsherScene
internal import UsherText

/// The parameters of a request target's query, in order (URL Standard, application/x-www-form-urlencoded).
struct QueryString: Sendable {
    let parameters: [(name: String, value: String)]

    init(of request: HTTPRequest) {
        parameters = (request.query ?? "").split(separator: "&").map { part in
            let name = part.prefix { $0 != "=" }
            return (QueryString.decode(name), QueryString.decode(part.dropFirst(name.count).dropFirst()))
        }
    }

    /// The value of the first parameter of that name.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Refuses a parameter that means nothing here, or is there twice.
    func check(among known: [String]) throws(Refusal) {
        var seen: Set<String> = []
        for (name, _) in parameters {
            guard known.contains(name) else {
                throw Refusal(
                    400, .webhookQuery, "there is no parameter \(Refusal.printable(name))",
                    help: Suggestion.closest(to: name, among: known).map { "did you mean \($0)?" }
                        ?? "there are " + known.joined(separator: ", "))
            }
            guard seen.insert(name).inserted else {
                throw Refusal(400, .webhookQuery, "the parameter \(name) is there twice", help: "keep one of them")
            }
        }
    }

    /// `?wait=1`.
    func waits() throws(Refusal) -> Bool {
        switch self["wait"] {
        case nil, "0", "false": return false
        case "1", "true", "": return true
        default: throw Refusal(400, .webhookQuery, "wait is neither 0 nor 1", help: "write wait=1")
        }
    }

    /// `+` and `%XX` undone; what is no escape stays.
    private static func decode(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
