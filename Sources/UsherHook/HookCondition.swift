public import UsherScene

/// What has to hold for a request to be taken by a hook.
public struct HookCondition: Sendable, Hashable {
    public indirect enum Form: Sendable, Hashable {
        /// A missing place fails every test but `exists(false)`.
        case test(HookSelector, Test)
        case not(HookCondition)
        case any([HookCondition])
        case all([HookCondition])
    }

    public var form: Form
    public var location: SourceLocation

    public enum Test: Sendable, Hashable {
        /// One of these.
        case equals([Constant])
        /// Whether there is anything; null counts as nothing.
        case exists(Bool)
        case startsWith(String)
        case endsWith(String)
        /// Part of a string, or an element of an array.
        case contains(Constant)
        /// A number of JSON; in headers, queries and forms, decimal text.
        case compare(Comparison, Number)
    }

    /// A number; whole ones are compared exactly.
    public enum Number: Sendable, Hashable {
        case integer(Int64)
        case decimal(Double)

        var decimal: Double {
            switch self {
            case .integer(let value): Double(value)
            case .decimal(let value): value
            }
        }
    }

    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        case lessThan = "less-than"
        case atMost = "at-most"
        case greaterThan = "greater-than"
        case atLeast = "at-least"

        func holds(_ one: Number, _ other: Number) -> Bool {
            if case .integer(let one) = one, case .integer(let other) = other { return holds(one, other) }
            return holds(one.decimal, other.decimal)
        }

        private func holds<Value: Comparable>(_ one: Value, _ other: Value) -> Bool {
            switch self {
            case .lessThan: one < other
            case .atMost: one <= other
            case .greaterThan: one > other
            case .atLeast: one >= other
            }
        }

        var phrase: String {
            switch self {
            case .lessThan: "less than"
            case .atMost: "at most"
            case .greaterThan: "greater than"
            case .atLeast: "at least"
            }
        }
    }

    /// A value of a manifest to compare with. Headers, queries and forms are compared with its text.
    public enum Constant: Sendable, Hashable {
        case string(String)
        case integer(Int64)
        case boolean(Bool)
    }

    /// More levels than these are an error of the configuration.
    public static let maximumDepth = 8

    public init(_ form: Form, location: SourceLocation) {
        self.form = form
        self.location = location
    }

    public init(_ place: HookSelector, _ test: Test, location: SourceLocation) {
        self.init(.test(place, test), location: location)
    }
}

extension HookCondition.Constant {
    /// The value itself, without quotes.
    public var text: String {
        switch self {
        case .string(let text): text
        case .integer(let value): String(value)
        case .boolean(let value): String(value)
        }
    }
}

extension HookCondition.Constant: CustomStringConvertible {
    /// As JSON.
    public var description: String {
        if case .string(let text) = self { "\"\(text)\"" } else { text }
    }
}

// MARK: - Judging

extension HookCondition {
    /// Why a condition does not hold.
    struct Violation {
        /// What was found and what is wanted.
        var message: String
        /// The pointer of the place, within the document.
        var at: String?
    }

    /// - Parameters:
    ///   - element: where a `pointer` starts.
    /// - Returns: nil where the condition holds. Recursive up to `maximumDepth`, which the configuration guarantees.
    func violation(in content: HookContent, from element: HookContent.Element) -> Violation? {
        switch form {
        case .test(let place, let test):
            let found = content.found(at: place, from: element)
            if HookCondition.holds(test, of: found) { return nil }
            return Violation(
                message: "\(place) is \(found.phrase), and \(HookCondition.phrase(test)) is wanted",
                at: content.pointer(of: place, from: element))
        case .not(let inner):
            if inner.violation(in: content, from: element) != nil { return nil }
            return Violation(message: "\(inner.phrase(in: content, from: element)), which is not wanted", at: nil)
        case .any(let alternatives):
            var first: Violation?
            for one in alternatives {
                guard let violation = one.violation(in: content, from: element) else { return nil }
                first = first ?? violation
            }
            let count = alternatives.count
            return Violation(
                message: "none of \(count) conditions holds: \(first?.message ?? "there are none")", at: first?.at)
        case .all(let parts):
            for one in parts {
                if let violation = one.violation(in: content, from: element) { return violation }
            }
            return nil
        }
    }

    /// What holds, for the message of `not`.
    private func phrase(in content: HookContent, from element: HookContent.Element) -> String {
        if case .test(let place, _) = form { return "\(place) is \(content.found(at: place, from: element).phrase)" }
        return "the condition at \(location) holds"
    }

    private static func holds(_ test: Test, of found: HookContent.Found) -> Bool {
        switch test {
        case .exists(let isWanted): if case .nothing = found { return !isWanted } else { return isWanted }
        case .startsWith(let prefix): return found.text.map { $0.utf8.starts(with: prefix.utf8) } ?? false
        case .endsWith(let suffix):
            return found.text.map { $0.utf8.reversed().starts(with: suffix.utf8.reversed()) } ?? false
        case .equals(let constants): return constants.contains { found.isSame($0) }
        case .contains(let constant):
            if case .container(_, let elements) = found { return elements.contains { $0.isSame(constant) } }
            guard case .string(let part) = constant, let text = found.text else { return false }
            return HookCondition.contains(Array(text.utf8), Array(part.utf8))
        case .compare(let comparison, let constant):
            return found.number.map { comparison.holds($0, constant) } ?? false
        }
    }

    /// O(bytes × bytes of the part), and both are bounded by the request and the configuration.
    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        guard text.count >= part.count else { return false }
        for start in 0...(text.count - part.count) where text[start] == first {
            if text[start..<start + part.count].elementsEqual(part) { return true }
        }
        return false
    }

    private static func phrase(_ test: Test) -> String {
        switch test {
        case .exists(let isWanted): isWanted ? "anything" : "nothing"
        case .startsWith(let prefix): "text that begins with \"\(prefix)\""
        case .endsWith(let suffix): "text that ends with \"\(suffix)\""
        case .equals(let constants):
            (constants.count > 1 ? "one of " : "") + constants.map(\.description).joined(separator: ", ")
        case .contains(let constant): "text or a list with \(constant) in it"
        case .compare(let comparison, .integer(let number)): "a number \(comparison.phrase) \(number)"
        case .compare(let comparison, .decimal(let number)): "a number \(comparison.phrase) \(number)"
        }
    }
}
