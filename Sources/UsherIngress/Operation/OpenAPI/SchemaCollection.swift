internal import UsherJSON
internal import UsherOperation

/// The JSON Schemas of answers, as their types describe them. Objects and words with names are collected, each once.
struct SchemaCollection {
    private(set) var named: [JSONValue.Member] = []
    private var names: Set<String> = []

    static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

    mutating func add(_ name: String, _ schema: JSONValue) {
        if names.insert(name).inserted { named.append(.init(name, schema)) }
    }

    /// - Parameter help: what it is.
    mutating func schema(_ shape: ValueShape, help: String = "") -> JSONValue {
        var members = basis(shape).members ?? []
        if shape.isNullable { members = Self.nullable(members) }
        for keyword in shape.keywords {
            members.removeAll { $0.name == keyword.name }
            members.append(keyword)
        }
        if !help.isEmpty { members.append(.init("description", .string(help))) }
        return .object(members)
    }

    private mutating func basis(_ shape: ValueShape) -> JSONValue {
        switch shape.kind {
        case .text: text(shape)
        case .flag: ["type": "boolean"]
        case .number: ["type": "integer"]
        case .decimal: ["type": "number"]
        case .texts: ["type": "array", "items": text(shape)]
        case .record: object(shape.object)
        case .records: ["type": "array", "items": object(shape.object)]
        case .json: [:]
        }
    }

    private mutating func text(_ shape: ValueShape) -> JSONValue {
        guard !shape.choices.isEmpty else { return ["type": "string"] }
        let schema: JSONValue = ["type": "string", "enum": .array(shape.choices.map { .string($0) })]
        guard let name = shape.choicesName else { return schema }
        add(name, schema)
        return Self.reference(name)
    }

    private mutating func object(_ shape: ObjectShape?) -> JSONValue {
        guard let shape else { return ["type": "object"] }
        guard let name = shape.name else { return described(shape) }
        // Before its members, which may have it in turn.
        guard names.insert(name).inserted else { return Self.reference(name) }
        let schema = described(shape)
        named.append(.init(name, schema))
        return Self.reference(name)
    }

    private mutating func described(_ shape: ObjectShape) -> JSONValue {
        var members: [JSONValue.Member] = [.init("type", "object")]
        if !shape.help.isEmpty { members.append(.init("description", .string(shape.help))) }
        let fields = shape.fields
        let required = fields.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { members.append(.init("required", .array(required))) }
        var properties: [JSONValue.Member] = []
        for field in fields { properties.append(.init(field.name, schema(field.shape, help: field.help))) }
        if !properties.isEmpty { members.append(.init("properties", .object(properties))) }
        return .object(members + shape.keywords)
    }

    /// The same, or null.
    private static func nullable(_ schema: [JSONValue.Member]) -> [JSONValue.Member] {
        if schema.contains(where: { $0.name == "$ref" }) {
            return [.init("oneOf", [.object(schema), ["type": "null"]])]
        }
        return schema.map { member in
            switch (member.name, member.value) {
            case ("type", .string(let type)): .init("type", [.string(type), "null"])
            case ("enum", .array(let words)): .init("enum", .array(words + [.null]))
            default: member
            }
        }
    }
}
