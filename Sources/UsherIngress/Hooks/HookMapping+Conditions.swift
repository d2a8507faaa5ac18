internal import UsherConfiguration
internal import UsherHTTP
internal import UsherJSON
internal import UsherScene

extension HookMapping {
    /// What is found at a place, with its kind.
    private enum Found {
        case nothing
        case text(String)
        case number(Int64?, String)
        case boolean(Bool)
        case container(JSONKind)
    }

    /// Throws what was found and what was wanted, where a condition does not hold.
    func judge(_ condition: HookCondition, _ document: JSONDocument, _ root: JSONElement) throws(Refusal) {
        let found = found(condition.place, document, root)
        let holds =
            switch condition.test {
            case .exists(let isWanted): if case .nothing = found { !isWanted } else { isWanted }
            case .prefix(let prefix):
                if case .text(let text) = found { text.utf8.starts(with: prefix.utf8) } else { false }
            case .equals(let constants): constants.contains { HookMapping.isSame(found, $0, condition.place) }
            }
        guard !holds else { return }
        throw Refusal(
            422, .hookNoMatch,
            "\(condition.place) is \(HookMapping.phrase(found)), and \(HookMapping.phrase(condition.test)) is wanted",
            at: condition.place.pointer,
            help: "this is the condition at \(condition.location); nothing was done")
    }

    private func found(_ place: HookPlace, _ document: JSONDocument, _ root: JSONElement) -> Found {
        switch place {
        case .header(let name): return request.fields[name].map { .text($0) } ?? .nothing
        case .query(let name): return query[name].map { .text($0) } ?? .nothing
        case .pointer(let reference), .bodyPointer(let reference):
            guard let element = document.value(at: reference, from: root) else { return .nothing }
            switch document.kind(element) {
            case .null: return .nothing
            case .string: return .text(document.string(element) ?? "")
            case .number: return .number(document.int64(element), document.numberText(element) ?? "")
            case .boolean: return .boolean(document.boolean(element) ?? false)
            case .array, .object: return .container(document.kind(element))
            }
        }
    }

    private static func isSame(_ found: Found, _ constant: HookCondition.Constant, _ place: HookPlace) -> Bool {
        switch (found, constant) {
        case (.text(let text), .string(let wanted)): text.utf8.elementsEqual(wanted.utf8)
        case (.number(let number, _), .integer(let wanted)): number == wanted
        case (.boolean(let value), .boolean(let wanted)): value == wanted
        // Headers and queries have text only.
        case (.text(let text), _) where place.pointer == nil: text.utf8.elementsEqual(constant.text.utf8)
        default: false
        }
    }

    private static func phrase(_ found: Found) -> String {
        switch found {
        case .nothing: "missing"
        case .text(let text): "\"\(Refusal.printable(text))\""
        case .number(_, let text): Refusal.printable(text)
        case .boolean(let value): String(value)
        case .container(let kind): kind.phrase
        }
    }

    private static func phrase(_ test: HookCondition.Test) -> String {
        switch test {
        case .exists(let isWanted): isWanted ? "anything" : "nothing"
        case .prefix(let prefix): "text that begins with \"\(prefix)\""
        case .equals(let constants):
            (constants.count > 1 ? "one of " : "") + constants.map(\.description).joined(separator: ", ")
        }
    }
}
