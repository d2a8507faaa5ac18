internal import UsherJSON
internal import UsherOperation

/// The paths of the control interface, and the schemas of their bodies, as the operation table has them.
struct OperationPaths {
    private(set) var paths: [JSONValue.Member] = []
    private(set) var bodies: [JSONValue.Member] = []
    private(set) var answers = SchemaCollection()
    private(set) var addresses: [OpenAPIDocument.Operation] = []

    init() {
        for (path, forms) in Self.grouped(OperationForm.all, by: { Self.address($0.form.path) }) {
            var item: [JSONValue.Member] = []
            if let argument = forms.lazy.compactMap(\.argumentInPath).first {
                item.append(.init("parameters", [Self.parameter("id", argument, in: "path")]))
            }
            for (method, forms) in Self.grouped(forms, by: \.form.method) {
                addresses.append(OpenAPIDocument.Operation(method.rawValue, path))
                item.append(.init(method.rawValue.lowercased(), operation(forms)))
            }
            paths.append(.init(path, .object(item)))
        }
    }

    private static func grouped<Key: Hashable>(
        _ forms: [OperationForm], by key: (OperationForm) -> Key
    ) -> [(Key, [OperationForm])] {
        var groups: [(key: Key, forms: [OperationForm])] = []
        for form in forms {
            let key = key(form)
            if let index = groups.firstIndex(where: { $0.key == key }) {
                groups[index].forms.append(form)
            } else {
                groups.append((key, [form]))
            }
        }
        return groups
    }

    /// Several arguments at one place in addresses are one parameter: `/v1/deliveries/{id}`.
    private static func address(_ path: String) -> String {
        path.split(separator: "/").map { $0.hasPrefix("{") ? "/{id}" : "/\($0)" }.joined()
    }

    // MARK: An operation

    /// - Parameter forms: at one address; the first is meant where no parameter chooses another.
    private mutating func operation(_ forms: [OperationForm]) -> JSONValue {
        let first = forms[0]
        var members: [JSONValue.Member] = [
            .init("operationId", .string(Self.id(first))),
            .init("tags", [.string(Self.tag(first.operation))]),
            .init("summary", .string(Self.capitalised(first.operation.summary))),
        ]
        let choices = forms.dropFirst().compactMap { form in
            (form.form.selector ?? form.form.flag).map { "With `\($0)`: \(form.operation.summary)." }
        }
        if !choices.isEmpty { members.append(.init("description", .string(choices.joined(separator: " ")))) }
        let parameters = Self.parameters(forms)
        if !parameters.isEmpty { members.append(.init("parameters", .array(parameters))) }
        if let body = body(forms) { members.append(.init("requestBody", body)) }
        members.append(.init("responses", responses(forms, hasBody: members.last?.name == "requestBody")))
        return .object(members)
    }

    /// `note.edit` is `noteEdit`. Another form of the same operation has its method, or the argument in its address, as
    /// well: `sceneClosePost`, `activityShowSession`, `notificationRemoveDelivered`.
    private static func id(_ form: OperationForm) -> String {
        let words = form.operation.name.split { $0 == "." || $0 == "-" }
        let name = words[0] + words.dropFirst().map(capitalised).joined()
        guard let first = form.operation.http.first, first.path != form.form.path else { return String(name) }
        guard first.method == form.form.method else {
            return name + capitalised(form.form.method.rawValue.lowercased())
        }
        let others = [form.argumentInPath?.name] + form.form.fixed.map(\.value.string)
        return name + others.map { capitalised($0 ?? "") }.joined()
    }

    private static func capitalised(_ word: some StringProtocol) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }

    private static func tag(_ operation: AnyOperation) -> String {
        operation.name.split(separator: ".").dropLast().first.map(String.init) ?? "daemon"
    }

    // MARK: Arguments

    private static func parameters(_ forms: [OperationForm]) -> [JSONValue] {
        var names: Set<String> = []
        var parameters: [JSONValue] = []
        for form in forms {
            for (name, argument) in form.parameters where names.insert(name).inserted {
                var argument = argument
                argument.isRequired = argument.isRequired && forms.count == 1
                parameters.append(
                    parameter(name, argument, in: "query", separator: form.form.separators[argument.name]))
            }
            if form.form.isStream {
                parameters.append([
                    "name": "Last-Event-ID", "in": "header",
                    "description": "The same as since: the last event that was seen",
                    "schema": ["type": "string"],
                ])
            }
        }
        return parameters
    }

    private static func parameter(
        _ name: String, _ argument: FieldDescription, in place: String, separator: Character? = nil
    ) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("name", .string(name)), .init("in", .string(place)), .init("description", .string(argument.help)),
        ]
        let isInPath = place == "path"
        if argument.isRequired || isInPath { members.append(.init("required", true)) }
        if separator != nil { members.append(.init("explode", false)) }
        let schema: JSONValue =
            switch argument.kind {
            case .texts where isInPath: ["type": "string"]
            case .flag: ["type": "integer", "enum": [0, 1]]
            default: self.schema(argument)
            }
        members.append(.init("schema", schema))
        return .object(members)
    }

    private static func schema(_ argument: FieldDescription) -> JSONValue {
        switch argument.kind {
        case .text: return text(argument)
        case .flag: return ["type": "boolean"]
        case .texts: return ["type": "array", "items": text(argument)]
        case .records: return ["type": "array", "items": object(argument.elements)]
        case .record: return object(argument.elements)
        case .decimal: return ["type": "number"]
        case .json: return [:]
        case .number:
            var members: [JSONValue.Member] = [.init("type", "integer")]
            if let range = argument.range {
                members.append(.init("minimum", .number(String(range.lowerBound))))
                // A double, which readers of JSON use, ends here.
                if range.upperBound < 1 << 53 { members.append(.init("maximum", .number(String(range.upperBound)))) }
            }
            return .object(members)
        }
    }

    private static func text(_ argument: FieldDescription) -> JSONValue {
        if argument.choices.isEmpty { return ["type": "string"] }
        return ["type": "string", "enum": .array(argument.choices.map { .string($0) })]
    }

    /// - Parameter verbatim: the member that is an object, and text for the operation.
    private static func object(_ arguments: [FieldDescription], verbatim: String? = nil, flag: String? = nil)
        -> JSONValue
    {
        var properties = arguments.map { argument -> JSONValue.Member in
            let help = JSONValue.Member("description", .string(argument.help))
            if argument.name == verbatim {
                let name = argument.name == "payload" ? "Payload" : "UserActivity"
                let schema: JSONValue.Member =
                    argument.isRequired
                    ? .init("$ref", .string("#/components/schemas/\(name)")) : .init("type", "object")
                return .init(argument.name, .object([schema, help]))
            }
            return .init(argument.name, .object((schema(argument).members ?? []) + [help]))
        }
        var required = arguments.filter(\.isRequired).map(\.name)
        if let flag {
            properties.append(.init(flag, ["const": true]))
            required.append(flag)
        }
        var members: [JSONValue.Member] = [.init("type", "object"), .init("additionalProperties", false)]
        if !required.isEmpty { members.append(.init("required", .array(required.map { .string($0) }))) }
        members.append(.init("properties", .object(properties)))
        return .object(members)
    }

    // MARK: Bodies

    private mutating func body(_ forms: [OperationForm]) -> JSONValue? {
        let first = forms[0]
        if case .document = first.form.body {
            let schema: JSONValue = ["schema": ["$ref": "#/components/schemas/Payload"]]
            return ["required": false, "content": ["application/json": schema]]
        }
        let choices = forms.filter { !$0.members.isEmpty }.map { add($0) }
        guard !choices.isEmpty else { return nil }
        var schema = choices.count == 1 ? choices[0] : ["oneOf": .array(choices)]
        var content: [JSONValue.Member] = []
        if case .list = first.form.body {
            content = RequestBody.lines.map {
                .init($0, ["schema": ["type": "string", "description": "One object a line"]])
            }
            schema = ["oneOf": [schema, ["type": "array", "items": schema]]]
        }
        var json: [JSONValue.Member] = [.init("schema", schema)]
        let examples = forms.flatMap(\.form.examples).compactMap { name, text -> JSONValue.Member? in
            (try? JSONValue(parsing: Array(text.utf8))).map { .init(name, ["value": $0]) }
        }
        if !examples.isEmpty { json.append(.init("examples", .object(examples))) }
        content.insert(.init(RequestBody.json, .object(json)), at: 0)
        let isRequired = forms.allSatisfy { $0.members.contains { $0.isRequired } }
        return ["required": .boolean(isRequired), "content": .object(content)]
    }

    /// Adds the body's schema, or that of one element of a list.
    private mutating func add(_ form: OperationForm) -> JSONValue {
        var members = form.members
        if case .list(let name) = form.form.body { members = members.first { $0.name == name }?.elements ?? [] }
        let name = Self.capitalised(Self.id(form))
        bodies.append(.init(name, Self.object(members, verbatim: form.form.verbatim, flag: form.form.flag)))
        return ["$ref": .string("#/components/schemas/\(name)")]
    }

    // MARK: Answers

    private mutating func responses(_ forms: [OperationForm], hasBody: Bool) -> JSONValue {
        let form = forms[0].form
        let shape = forms[0].operation.answer
        var answers: [JSONValue.Member] = []
        if form.made == nil || form.made?.mayExist == true {
            let text = form.made == nil ? nil : "It was so already"
            answers.append(.init("200", answer(form, shape, description: text)))
        }
        if form.made != nil { answers.append(.init("201", answer(form, shape, description: nil))) }
        var refusals = form.refusals
        if hasBody || forms.contains(where: { !$0.operation.arguments.isEmpty }) { refusals.insert(400) }
        if forms[0].argumentInPath != nil { refusals.insert(404) }
        if hasBody { refusals.formUnion([413, 415]) }
        return .object(answers + OpenAPIDocument.problems(refusals))
    }

    private mutating func answer(_ form: HTTPForm, _ shape: ValueShape, description: String?) -> JSONValue {
        var (content, subject): (JSONValue, String)
        if form.isStream {
            subject = "A stream without an end: each event is a decision record, its id the delivery's"
            content = ["text/event-stream": ["schema": ["type": "string", "contentMediaType": "text/event-stream"]]]
        } else {
            let member = form.unwraps.flatMap { name in shape.object?.fields.first { $0.name == name }?.shape }
            var one = member ?? shape
            if member != nil { one.kind = .record }
            subject = one.object?.name ?? ""
            if one.kind == .records { subject = "Array of \(subject)" }
            var schema = answers.schema(one)
            // Several were sent.
            if member != nil, case .list = form.body { schema = ["oneOf": [schema, answers.schema(shape)]] }
            content = [RequestBody.json: ["schema": schema]]
        }
        var members: [JSONValue.Member] = [.init("description", .string(description ?? subject))]
        if form.made?.members.isEmpty == false, description == nil {
            members.append(.init("headers", ["Location": ["$ref": "#/components/headers/Location"]]))
        }
        members.append(.init("content", content))
        return .object(members)
    }
}
