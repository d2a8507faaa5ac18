/// A value of a TOML document, with its place.
struct TOMLValue: Sendable {
    enum Content: Sendable {
        case string(String)
        case integer(Int64)
        case boolean(Bool)
        case float(Double)
        case date
        case array([TOMLValue])
        case table([TOMLMember])
    }

    var content: Content
    var region: SourceRegion

    /// What it is, for people.
    var kind: String {
        switch content {
        case .string: "a string"
        case .integer: "an integer"
        case .boolean: "a boolean"
        case .float: "a floating-point number"
        case .date: "a date or time"
        case .array(let elements):
            if elements.isEmpty {
                "an empty list"
            } else if elements.allSatisfy({ if case .table = $0.content { true } else { false } }) {
                "a list of tables"
            } else {
                "a list"
            }
        case .table: "a table"
        }
    }
}

/// A key of a table and its value.
struct TOMLMember: Sendable {
    var key: String
    var keyRegion: SourceRegion
    var value: TOMLValue
}
