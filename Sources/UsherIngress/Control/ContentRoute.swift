internal import UsherHTTP
internal import UsherJSON
internal import UsherOperation
internal import UsherText

/// An address of activities, notes, links or redirects: the operations that are asked for there.
struct ContentRoute: Equatable {
    private struct Entry {
        var operation: AnyOperation
        var form: HTTPForm

        /// What the query may have: the names there, and the arguments that they are.
        var parameters: [(name: String, argument: String, kind: ArgumentKind)] {
            guard !form.method.takesBody else { return [] }
            return operation.arguments.compactMap { argument in
                guard !form.hidden.contains(argument.name), !form.path.contains("{\(argument.name)}") else {
                    return nil
                }
                let name = form.renamed.first { $0.value == argument.name }?.key ?? argument.name
                return (name, argument.name, argument.kind)
            }
        }
    }

    private let path: [String]
    private let entries: [Entry]

    /// Every form, with the segments of its address.
    private static let table: [(segments: [Substring], entry: Entry)] = ContentOperations.all.flatMap { operation in
        operation.http.map { ($0.path.split(separator: "/"), Entry(operation: operation, form: $0)) }
    }

    /// - Parameter path: decoded segments, `v1` first.
    init?(_ path: [String]) {
        self.path = path
        entries = ContentRoute.table.lazy.filter { segments, _ in
            segments.count == path.count
                && zip(segments, path).allSatisfy { $0.hasPrefix("{") || $0.utf8.elementsEqual($1.utf8) }
        }.map(\.entry)
        if entries.isEmpty { return nil }
    }

    static func == (one: ContentRoute, other: ContentRoute) -> Bool { one.path == other.path }

    var methods: [String] {
        HTTPForm.Method.allCases.filter { method in entries.contains { $0.form.method == method } }.map(\.rawValue)
    }

    /// The parameters of the query.
    func parameters(for method: String) -> [String] {
        entries(for: method).flatMap { $0.parameters.map(\.name) }
    }

    func takesBody(_ method: String) -> Bool { HTTPForm.Method(rawValue: method)?.takesBody ?? false }

    private func entries(for method: String) -> [Entry] { entries.filter { $0.form.method.rawValue == method } }

    // MARK: A request

    /// What a request asks for, and how it is answered.
    struct Meaning {
        var call: any ContentCall
        var form: HTTPForm
    }

    func meaning(of request: HTTPRequest, _ target: RequestTarget) throws(ControlError) -> Meaning {
        let entries = entries(for: request.method)
        let found: (entry: Entry, members: [JSONValue.Member])
        if takesBody(request.method) {
            found = try byBody(request, entries)
        } else {
            found = try byQuery(target, entries)
        }
        let form = found.entry.form
        do throws(ControlError) {
            guard let type = found.entry.operation.type as? any ContentCall.Type else {
                throw .protocolViolation("\(found.entry.operation.name) is about no content")
            }
            return Meaning(call: try type.init(reading: .object(arguments(of: form) + found.members)), form: form)
        } catch {
            throw error.placed(in: target, form)
        }
    }

    /// Those that the address has.
    private func arguments(of form: HTTPForm) -> [JSONValue.Member] {
        zip(form.path.split(separator: "/"), path).compactMap { segment, value in
            segment.hasPrefix("{") ? JSONValue.Member(String(segment.dropFirst().dropLast()), .string(value)) : nil
        }
    }

    private func byQuery(
        _ target: RequestTarget, _ entries: [Entry]
    ) throws(ControlError) -> (Entry, [JSONValue.Member]) {
        let selected = entries.first { $0.form.selector.map { !target.values($0).isEmpty } ?? false }
        guard let entry = selected ?? entries.first(where: { $0.form.selector == nil }) else {
            throw .protocolViolation("nothing is asked for")
        }
        let parameters = entry.parameters
        for item in target.query where !parameters.contains(where: { $0.name == item.name }) {
            if let selector = selected?.form.selector {
                throw .argument("\(selector) and \(item.name) exclude each other", at: "?\(item.name)")
            }
            let selector = entries.lazy.compactMap(\.form.selector).first ?? ""
            throw .argument(
                "\(item.name) goes with \(selector)", at: "?\(item.name)",
                help: "give \(selector) too, or leave \(item.name) out")
        }
        var members: [JSONValue.Member] = []
        for (name, argument, kind) in parameters {
            if let value = try target.argument(name, kind) { members.append(JSONValue.Member(argument, value)) }
        }
        return (entry, members)
    }

    private func byBody(
        _ request: HTTPRequest, _ entries: [Entry]
    ) throws(ControlError) -> (Entry, [JSONValue.Member]) {
        var body = try ContentBody(request, verbatim: entries.lazy.compactMap(\.form.verbatim).first)
        var meant = entries.first { $0.form.flag == nil }
        for entry in entries {
            if let flag = entry.form.flag, try body.takeFlag(flag) { meant = entry }
        }
        guard let entry = meant else { throw .protocolViolation("nothing is asked for") }
        for argument in arguments(of: entry.form) where body.has(argument.name) {
            throw .argument(
                "\(argument.name) is what the address says", at: "/\(argument.name)", help: "leave \(argument.name) out"
            )
        }
        return (entry, body.members)
    }
}

extension RequestTarget {
    /// A parameter's value as an argument; nil where it is not there.
    fileprivate func argument(_ name: String, _ kind: ArgumentKind) throws(ControlError) -> JSONValue? {
        switch kind {
        case .text: return try value(name).map { .string($0) }
        case .flag: return try flag(name) ? .boolean(true) : Optional.none
        case .texts:
            let values = values(name)
            return values.isEmpty ? Optional.none : .array(values.map { .string($0) })
        case .number:
            guard let value = try value(name) else { return Optional.none }
            guard let number = Int(value) else {
                throw .argument("\(name) is \(QuotedText.text(value)), not a number", at: "?\(name)")
            }
            return .number(String(number))
        }
    }
}

extension ControlError {
    /// The same with the place where the argument is in an HTTP request: in the body, or in the query.
    func placed(in target: RequestTarget, _ form: HTTPForm) -> ControlError {
        guard let at, !form.method.takesBody, !at.utf8.starts(with: "?".utf8) else { return self }
        var error = self
        let argument = at.split(separator: "/").first.map(String.init) ?? ""
        let name = form.renamed.first { $0.value == argument }?.key ?? argument
        error.at = target.values(name).isEmpty ? nil : "?\(name)"
        return error
    }
}
