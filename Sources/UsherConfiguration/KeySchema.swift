/// A key that a table may have: what it holds, and an example for the error message.
struct KeySchema: Sendable {
    enum Kind: Sendable {
        case string, strings, boolean, integer
        /// Of its own keys.
        case table
        case tables
        case tableOrTables
        /// Of any keys with strings.
        case stringTable
        /// Of any keys with anything.
        case anyTable
        /// An integer of milliseconds, or a string with a unit.
        case duration
        case stringOrStrings
        /// An integer or a floating-point number.
        case number
        /// A string, an integer or a boolean.
        case constant
        case constants
        case stringOrTable
        /// An integer, or a table of its own keys.
        case integerOrTable
        /// A number, or a string with a unit.
        case numberOrString
        /// A list of what the text says; its elements are judged one by one.
        case list(String)
    }

    var name: String
    var kind: Kind
    /// A whole line of TOML.
    var example: String
    var isRequired = false

    init(_ name: String, _ kind: Kind, _ example: String, required: Bool = false) {
        self.name = name
        self.kind = kind
        self.example = example
        self.isRequired = required
    }

    func accepts(_ value: TOMLValue) -> Bool {
        switch (kind, value.content) {
        case (.string, .string), (.boolean, .boolean), (.integer, .integer), (.anyTable, .table), (.table, .table),
            (.stringTable, .table), (.duration, .integer), (.duration, .string), (.stringOrStrings, .string),
            (.stringOrTable, .string), (.stringOrTable, .table), (.integerOrTable, .integer),
            (.integerOrTable, .table), (.tableOrTables, .table):
            true
        // The elements are judged one by one.
        case (.strings, .array), (.stringOrStrings, .array), (.tables, .array), (.tableOrTables, .array),
            (.constants, .array), (.list, .array):
            true
        case (.number, .integer), (.number, .float), (.numberOrString, .integer), (.numberOrString, .float),
            (.numberOrString, .string):
            true
        case (.constant, .string), (.constant, .integer), (.constant, .boolean): true
        default: false
        }
    }

    /// What it holds, for people.
    var expectation: String {
        switch kind {
        case .string: "a string"
        case .strings: "a list of strings"
        case .boolean: "true or false"
        case .integer: "an integer"
        case .table, .anyTable: "a table"
        case .tables: "a list of tables"
        case .tableOrTables: "a table or a list of tables"
        case .stringTable: "a table of strings"
        case .duration: "a duration"
        case .stringOrStrings: "a string or a list of strings"
        case .number: "a number"
        case .constant: "a string, an integer or a boolean"
        case .constants: "a list of strings, integers or booleans"
        case .stringOrTable: "a string or a table"
        case .integerOrTable: "an integer or a table"
        case .numberOrString: "a number of seconds or a string with a unit"
        case .list(let what): what
        }
    }
}

/// A kind of table: how it is called, and its keys.
struct TableSchema: Sendable {
    /// With its article: `a [[scenes]] table`.
    var title: String
    var keys: [KeySchema]

    func key(_ name: String) -> KeySchema? { keys.first { $0.name == name } }
}
