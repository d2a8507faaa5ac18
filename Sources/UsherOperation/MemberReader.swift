public import UsherJSON
internal import UsherText

/// Reads the members of one object: those that it may have, of the kind that they must have.
public struct MemberReader {
    private let members: [JSONValue.Member]
    /// The object's own JSON pointer.
    public let place: String

    /// - Parameters:
    ///   - value: nil and null stand for an object without members.
    ///   - allowed: the members that there may be; nil: any.
    public init(_ value: JSONValue?, at place: String, allowed: [String]?) throws(ControlError) {
        self.place = place
        switch value {
        case nil, .null: members = []
        case .object(let found):
            members = found
            guard let allowed else { return }
            for member in found where !allowed.contains(where: { $0.hasSameBytes(as: member.name) }) {
                let place = JSONPointer.child(member.name, of: place)
                throw .unknown(.controlArgument, "member", member.name, among: allowed, at: place)
            }
        case let value?:
            throw .argument("\(MemberReader.name(place)) is \(value.kind.phrase), not an object", at: place)
        }
    }

    public func value(_ name: String) -> JSONValue? {
        guard let value = members.first(where: { $0.name.hasSameBytes(as: name) })?.value else { return nil }
        // `nil` here would be JSON null; `Optional.none` means that the member is missing.
        return value.kind == .null ? Optional.none : value
    }

    /// Whether it is there, as null perhaps.
    func has(_ name: String) -> Bool { members.contains { $0.name.hasSameBytes(as: name) } }

    public func text(_ name: String) throws(ControlError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw wrong(name, value, "a string") }
        return text
    }

    public func requiredText(_ name: String) throws(ControlError) -> String {
        guard let text = try text(name) else { throw missing(name) }
        return text
    }

    public func flag(_ name: String) throws(ControlError) -> Bool {
        guard let value = value(name) else { return false }
        guard let flag = value.boolean else { throw wrong(name, value, "true or false") }
        return flag
    }

    public func integer(_ name: String, in range: ClosedRange<Int>) throws(ControlError) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = value.int64.flatMap({ Int(exactly: $0) }), range.contains(number) else {
            guard let text = value.numberText else { throw wrong(name, value, "a number") }
            throw MemberReader.outOfRange(name, text, range, at: pointer(name))
        }
        return number
    }

    static func outOfRange(
        _ name: String, _ text: String, _ range: ClosedRange<Int>, at place: String
    ) -> ControlError {
        let most = range.upperBound == .max ? "" : " to \(range.upperBound)"
        return .argument(
            "\(name) is \(text.prefix(40)), not a whole number from \(range.lowerBound)\(most)", at: place)
    }

    public func elements(_ name: String) throws(ControlError) -> [JSONValue]? {
        guard let value = value(name) else { return nil }
        guard let elements = value.elements else { throw wrong(name, value, "an array") }
        return elements
    }

    public func texts(_ name: String) throws(ControlError) -> [String] {
        var texts: [String] = []
        for (index, element) in (try elements(name) ?? []).enumerated() {
            guard let text = element.string else { throw wrong("\(name)/\(index)", element, "a string") }
            texts.append(text)
        }
        return texts
    }

    public func pointer(_ name: String) -> String { "\(place)/\(name)" }

    public func missing(_ name: String) -> ControlError { .argument("\(name) is missing", at: place) }

    private func wrong(_ name: String, _ value: JSONValue, _ expected: String) -> ControlError {
        Self.wrong(name, value, expected, at: pointer(name))
    }

    static func wrong(_ name: String, _ value: JSONValue, _ expected: String, at place: String) -> ControlError {
        .argument("\(name) is \(value.kind.phrase), not \(expected)", at: place)
    }

    private static func name(_ place: String) -> String {
        place.isEmpty ? "the request" : String(place.split(separator: "/").last ?? "")
    }
}
