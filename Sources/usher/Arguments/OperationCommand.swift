internal import UsherEngine
internal import UsherJSON
internal import UsherOperation

extension CommandDescription {
    /// A command that is one operation. Its words are the operation's name; its summary, and its options with their help, their
    /// kinds and their limits, are those of the operation table.
    ///
    /// - Parameters:
    ///   - name: its words, where they are not those of the operation.
    ///   - operands: the arguments that stand on the line without a name, in their order.
    ///   - renamed: options with other names than their arguments.
    ///   - hidden: arguments that are no options.
    ///   - others: options that are no arguments: they say how the answer is shown.
    ///   - prepare: completes the call with data of this process.
    ///   - show: prints the answer, after its warnings.
    init<C: PerformedCall>(
        _ type: C.Type, called name: String? = nil, operands: [(field: String, operand: Operand)] = [],
        renamed: [String: String] = [:],
        hidden: [String] = [], adding others: [Option] = [],
        discussion: @autoclosure @escaping @Sendable () -> [String] = [],
        examples: @autoclosure @escaping @Sendable () -> [Example],
        prepare: @escaping @Sendable (inout C, Context) throws(CommandFailure) -> Void = { _, _ in },
        show: @escaping @Sendable (C.Answer, Arguments, Context) -> Void
    ) {
        let options: @Sendable () -> [(field: FieldDescription, option: Option)] = {
            C.operation.arguments.filter { field in
                !hidden.contains(field.name) && !operands.contains { $0.field == field.name }
            }.map { ($0, Option($0, renamed[$0.name])) }
        }
        let body: Body = { (arguments, context) throws(CommandFailure) in
            var members: [JSONValue.Member] = []
            for (index, (field, operand)) in operands.enumerated() where index < arguments.operands.count {
                // The words of a search are one text.
                let words = operand.count == .atLeastOne ? arguments.operands[index...] : [arguments.operands[index]]
                members.append(.init(field, .string(words.joined(separator: " "))))
            }
            for (field, option) in options() where arguments.has(option) {
                members.append(.init(field.name, try arguments.value(of: option, as: field)))
            }
            var call = try CommandFailure.attempt { [members] () throws(ControlError) in
                try C(reading: .object(members), at: "")
            }
            try prepare(&call, context)
            let answer = try context.service().call(call)
            context.errors.warnings(of: answer)
            show(answer, arguments, context)
            return .handled
        }
        let words = C.name.utf8.map { $0 == UInt8(ascii: ".") ? UInt8(ascii: " ") : $0 }
        self.init(name ?? String(decoding: words, as: UTF8.self), operands: operands.map(\.operand), run: body) {
            Details(
                summary: C.operation.summary, options: options().map(\.option) + others, discussion: discussion(),
                examples: examples())
        }
    }
}

extension Option {
    /// What stands for the value of an argument in help.
    private static let values = [
        "app": "ID", "session": "ID", "target": "ID", "note": "NOTE", "before": "ID", "limit": "N", "webpage": "URL",
        "tag": "WORD", "at": "TIME", "in": "DURATION", "when_opens": "TARGET", "when": "SIGNAL",
        "since": "TIME|DURATION", "source": "APP|HOST", "for": "APP", "perform": "VERB", "signal": "NAME",
        "content_type": "TYPE",
    ]

    /// The option of an operation's argument.
    fileprivate init(_ field: FieldDescription, _ name: String?) {
        let name = name ?? field.name.replacing("_", with: "-")
        switch field.kind {
        case .flag: self.init(flag: name, field.help)
        case .text where !field.choices.isEmpty, .texts where !field.choices.isEmpty:
            self.init(name, oneOf: field.choices, field.help)
        default: self.init(name, Option.values[field.name] ?? "TEXT", field.help, isRepeatable: field.kind == .texts)
        }
    }
}

extension Arguments {
    fileprivate func value(of option: Option, as field: FieldDescription) throws(CommandFailure) -> JSONValue {
        switch field.kind {
        case .flag: return true
        case .texts, .records: return .array(values(option).map { .string($0) })
        case .text, .record, .decimal, .json: return .string(value(option) ?? "")
        case .number: return .number(String(try number(option, in: field.range ?? Int.min...Int.max) ?? 0))
        }
    }
}
