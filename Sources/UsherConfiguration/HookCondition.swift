public import UsherScene

/// What has to hold for a request to become a notification.
public struct HookCondition: Sendable, Hashable {
    public var place: HookPlace
    public var test: Test
    public var location: SourceLocation

    public enum Test: Sendable, Hashable {
        /// One of these.
        case equals([Constant])
        /// Whether there is anything; null counts as nothing.
        case exists(Bool)
        case prefix(String)
    }

    /// A value of a manifest to compare with. Headers and queries are compared with its text.
    public enum Constant: Sendable, Hashable {
        case string(String)
        case integer(Int64)
        case boolean(Bool)
    }

    public init(_ place: HookPlace, _ test: Test, location: SourceLocation) {
        self.place = place
        self.test = test
        self.location = location
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
