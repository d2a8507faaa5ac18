internal import UsherFeatures
internal import UsherHTTP
internal import UsherJSON
internal import UsherOperation
internal import UsherText

/// An operation in one of its HTTP forms.
struct OperationForm {
    let operation: AnyOperation
    let form: HTTPForm

    /// Every form, in the order of the table.
    static let all = OperationTable.usher.all.flatMap { operation in
        operation.http.map { OperationForm(operation: operation, form: $0) }
    }

    /// What the query may have: the names there, and the arguments that they are.
    var parameters: [(name: String, argument: FieldDescription)] {
        operation.arguments.compactMap { argument in
            let isHere =
                form.method.takesBody ? form.query.contains(argument.name) : !form.hidden.contains(argument.name)
            guard isHere, !isInPath(argument) else { return nil }
            let name = form.renamed.first { $0.value == argument.name }?.key ?? argument.name
            return (name, argument)
        }
    }

    /// The arguments that are members of the body.
    var members: [FieldDescription] {
        guard form.method.takesBody else { return [] }
        return operation.arguments.filter {
            !isInPath($0) && !form.hidden.contains($0.name) && !form.query.contains($0.name)
        }
    }

    /// The argument in the address.
    var argumentInPath: FieldDescription? { operation.arguments.first(where: isInPath) }

    private func isInPath(_ argument: FieldDescription) -> Bool { form.path.contains("{\(argument.name)}") }
}

/// A path of the HTTP interface, and the operations that have it as their address.
struct OperationRoute {
    private let path: [String]
    private let entries: [OperationForm]

    /// Every form, with the segments of its address.
    private static let table = OperationForm.all.map { (segments: $0.form.path.split(separator: "/"), entry: $0) }

    /// - Parameter path: decoded segments, `v1` first.
    init?(_ path: [String]) {
        self.path = path
        entries = OperationRoute.table.lazy.filter { segments, _ in
            segments.count == path.count
                && zip(segments, path).allSatisfy { $0.hasPrefix("{") || $0.utf8.elementsEqual($1.utf8) }
        }.map(\.entry)
        if entries.isEmpty { return nil }
    }

    /// The addresses without arguments.
    static let paths = Array(Set(table.map(\.entry.form.path).filter { !$0.contains("{") })).sorted()

    /// Those of the very path; a word that stands there for an id has the methods of an id, too.
    var methods: [String] {
        let exact = entries.filter { !$0.form.path.contains("{") }
        let forms = exact.isEmpty ? entries : exact
        return HTTPForm.Method.allCases.filter { method in forms.contains { $0.form.method == method } }.map(\.rawValue)
    }

    func takes(_ method: String) -> Bool { !entries(for: method).isEmpty }

    /// The parameters of the query.
    func parameters(for method: String) -> [String] {
        entries(for: method).flatMap { $0.parameters.map(\.name) }
    }

    func takesBody(_ method: String) -> Bool { HTTPForm.Method(rawValue: method)?.takesBody ?? false }

    private func entries(for method: String) -> [OperationForm] { entries.filter { $0.form.method.rawValue == method } }

    /// Why a body is not read at all: its media type.
    func refusal(of request: HTTPRequest) -> HTTPResponse? {
        guard takesBody(request.method), !request.body.isEmpty else { return nil }
        let takesLines = entries(for: request.method).contains { if case .list = $0.form.body { true } else { false } }
        let taken = takesLines ? [RequestBody.json] + RequestBody.lines : [RequestBody.json]
        guard !taken.contains(RequestBody.mediaType(of: request) ?? "") else { return nil }
        let error = ControlError(
            .controlArgument,
            "the body is \(request.fields["Content-Type"].map { QuotedText.text($0) } ?? "of no media type"),"
                + " and \(taken.joined(separator: " or ")) is read here",
            help: "send Content-Type: \(RequestBody.json)")
        return error.response(status: 415, fields: [.init("Accept", taken.joined(separator: ", "))])
    }

    // MARK: A request

    /// What a request asks for, and how it is answered.
    struct Meaning {
        var call: any Call
        var form: HTTPForm
        /// The body is one object where a list could be.
        var isOne = false
    }

    func meaning(of request: HTTPRequest, _ target: RequestTarget) throws(ControlError) -> Meaning {
        let entries = entries(for: request.method)
        guard let first = entries.first else { throw .protocolViolation("nothing is asked for") }
        var isOne = false
        var found: (entry: OperationForm, members: [JSONValue.Member])
        switch first.form.body {
        case .members where takesBody(request.method): found = try byBody(request, entries)
        case .members: found = try byQuery(target, entries)
        case .list(let argument):
            let list = try RequestBody.list(request)
            isOne = list.isOne
            found = try byQuery(target, entries)
            found.members.append(JSONValue.Member(argument, .array(list.elements)))
        case .document(let argument, let other):
            found = try byQuery(target, entries)
            if !request.body.isEmpty, !found.members.contains(where: { $0.name == other }) {
                guard let text = String(validating: request.body, as: UTF8.self) else {
                    throw .argument("the body is not UTF-8", at: "")
                }
                found.members.append(JSONValue.Member(argument, .string(text)))
            }
        }
        let form = found.entry.form
        do throws(ControlError) {
            let arguments = JSONValue.object(arguments(of: found.entry) + found.members)
            return Meaning(
                call: try found.entry.operation.type.init(reading: arguments, at: ""), form: form, isOne: isOne)
        } catch {
            throw error.placed(in: target, form, isOne: isOne)
        }
    }

    /// Those that the address has.
    private func arguments(of entry: OperationForm) -> [JSONValue.Member] {
        entry.form.fixed
            + zip(entry.form.path.split(separator: "/"), path).compactMap { segment, value in
                guard segment.hasPrefix("{") else { return nil }
                let name = String(segment.dropFirst().dropLast())
                let isList = entry.operation.arguments.contains { $0.name == name && $0.kind == .texts }
                return JSONValue.Member(name, isList ? .array([.string(value)]) : .string(value))
            }
    }

    private func byQuery(
        _ target: RequestTarget, _ entries: [OperationForm]
    ) throws(ControlError) -> (OperationForm, [JSONValue.Member]) {
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
        for (name, argument) in parameters {
            let separator = entry.form.separators[argument.name]
            if let value = try target.argument(name, argument.kind, separator: separator) {
                members.append(JSONValue.Member(argument.name, value))
            }
        }
        return (entry, members)
    }

    private func byBody(
        _ request: HTTPRequest, _ entries: [OperationForm]
    ) throws(ControlError) -> (OperationForm, [JSONValue.Member]) {
        var body = try RequestBody(request, verbatim: entries.lazy.compactMap(\.form.verbatim).first)
        var meant = entries.first { $0.form.flag == nil }
        for entry in entries {
            if let flag = entry.form.flag, try body.takeFlag(flag) { meant = entry }
        }
        guard let entry = meant else { throw .protocolViolation("nothing is asked for") }
        for argument in arguments(of: entry) where body.has(argument.name) {
            throw .argument(
                "\(argument.name) is what the address says", at: "/\(argument.name)", help: "leave \(argument.name) out"
            )
        }
        return (entry, body.members)
    }
}

extension RequestTarget {
    /// A parameter's value as an argument; nil where it is not there.
    fileprivate func argument(_ name: String, _ kind: ValueShape.Kind, separator: Character?) throws(ControlError)
        -> JSONValue?
    {
        switch kind {
        case .text: return try value(name).map { .string($0) }
        case .flag: return try flag(name) ? .boolean(true) : Optional.none
        case .texts:
            var values = values(name)
            if let separator { values = values.flatMap { $0.split(separator: separator).map(String.init) } }
            return values.isEmpty ? Optional.none : .array(values.map { .string($0) })
        case .records, .record, .decimal, .json: return Optional.none
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
    func placed(in target: RequestTarget, _ form: HTTPForm, isOne: Bool = false) -> ControlError {
        guard let at else { return self }
        var error = self
        if case .list(let argument) = form.body {
            let prefix = "/\(argument)" + (isOne ? "/0" : "")
            if at.hasPrefix(prefix) {
                error.at = String(at.dropFirst(prefix.count))
                return error
            }
        }
        let argument = at.split(separator: "/").first.map(String.init) ?? ""
        guard !form.method.takesBody || form.query.contains(argument), !at.utf8.starts(with: "?".utf8) else {
            return self
        }
        let name = form.renamed.first { $0.value == argument }?.key ?? argument
        error.at = target.values(name).isEmpty ? nil : "?\(name)"
        return error
    }
}
