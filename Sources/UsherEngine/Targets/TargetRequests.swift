internal import UsherConfiguration
internal import UsherJSON
internal import UsherLog
public import UsherOperation
public import UsherPayload
public import UsherScene
public import UsherTarget
internal import UsherText

/// Builds, matches and judges target content identifiers, a line of JSON at a time.
///
/// The answers of `usher target … --cases` and `POST /v1/targets/…`, which are the same for both. The methods are pure
/// functions. Members of a line that an answer does not name are copied to the answer, in their places.
public struct TargetRequests: Sendable {
    /// One line, without its end.
    public struct Answer: Sendable {
        public var bytes: [UInt8]
        /// Whether it has an `error`; of `lint`, a finding.
        public var hasFinding: Bool
        /// What its `error` says.
        public var error: ControlError?
        /// Whether the line was no request: not JSON, or without what is asked about.
        public var isMalformed = false
    }

    /// The templates of one app.
    private struct AppTemplates: Sendable {
        var app: String
        var catalog: TargetCatalog
    }

    private let apps: [AppTemplates]

    /// - Parameter apps: the apps that have the templates that lines may name and that identifiers are matched with.
    ///   None are needed for templates in the lines.
    public init(apps: [App] = []) {
        self.apps = apps.map { app in
            AppTemplates(
                app: app.id,
                catalog: TargetCatalog(app.targets.map { TargetCatalog.Entry(name: $0.name, template: $0.template) }))
        }
    }

    // MARK: Lines

    /// The members of a line, or why it has none.
    private static func members(of line: [UInt8]) throws(TargetProblem) -> [JSONValue.Member] {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: line)
        } catch {
            throw TargetProblem(PayloadError(error))
        }
        // A bare string is an identifier.
        if case .string = value { return [.init("id", value)] }
        guard let members = value.members else {
            throw .member("", "the line is \(value.kind.phrase), not an object")
        }
        return members
    }

    /// A member that has to be a string; nil where it is missing or null.
    private static func text(_ name: String, of members: [JSONValue.Member]) throws(TargetProblem) -> String? {
        guard let value = JSONValue.object(members)[name], value.kind != .null else { return nil }
        guard let text = value.string else { throw .member(name, "\(name) is \(value.kind.phrase), not a string") }
        return text
    }

    /// The members of the line in their order; those that the answer names are replaced where they stand.
    private static func answer(
        _ members: [JSONValue.Member], hasFinding: Bool, problem: TargetProblem? = nil,
        _ own: KeyValuePairs<String, (inout JSONWriter) -> Void>
    ) -> Answer {
        var json = JSONWriter()
        json.beginObject()
        for member in members {
            json.key(member.name)
            if let write = own.first(where: { $0.key == member.name })?.value {
                write(&json)
            } else {
                json.value(member.value)
            }
        }
        for (name, write) in own where !members.contains(where: { $0.name == name }) {
            json.key(name)
            write(&json)
        }
        json.endObject()
        let error = problem.map { ControlError($0.diagnostic, status: .finding) }
        return Answer(
            bytes: json.bytes, hasFinding: hasFinding, error: error, isMalformed: problem?.isMalformed ?? false)
    }
}

// MARK: - Build

extension TargetRequests {
    /// A template of an app by its name.
    public struct NamedTemplate: Sendable {
        public var app: String
        public var name: String
        public var template: URITemplate
    }

    /// The template of that name, of one app or of the only one that has it.
    public func template(named name: String, app: String?) throws(TargetProblem) -> NamedTemplate {
        let candidates = apps.filter { app == nil || $0.app == app }
        if let app, candidates.isEmpty {
            let close = Spelling.closest(to: app, among: apps.map(\.app)).map { "did you mean '\($0)'?" }
            throw TargetProblem(
                Diagnostic(.buildUnknownTemplate, "there is no app '\(app)'", at: "/app", help: close))
        }
        let found = candidates.compactMap { templates in
            templates.catalog.entries.first { $0.name == name }.map {
                NamedTemplate(app: templates.app, name: $0.name, template: $0.template)
            }
        }
        if found.count > 1 {
            throw TargetProblem(
                Diagnostic(
                    .buildAmbiguousTemplate, "several apps have a template '\(name)'", at: "/app",
                    help: "name the app: \(found.map(\.app).joined(separator: ", "))"))
        }
        if let template = found.first { return template }
        // The catalog of all of them finds the closest name.
        do throws(TargetError) {
            _ = try TargetCatalog(candidates.flatMap(\.catalog.entries)).template(named: name)
        } catch {
            throw TargetProblem(error)
        }
        throw .member("name", "there is no template '\(name)'")
    }

    /// Builds an identifier.
    ///
    /// - `{"template", "variables"}` is expanded as RFC 6570 says: what is undefined is left out.
    /// - `{"name", "app", "variables"}` names a template of a manifest; there, a variable that is missing, empty or unknown
    ///   is an error, and so is an empty identifier.
    ///
    /// The answer has `expansion` (null where there is none) and `error`.
    public func build(_ line: [UInt8]) -> Answer {
        var members: [JSONValue.Member] = []
        do throws(TargetProblem) {
            members = try Self.members(of: line)
            let expansion = try build(members)
            return Self.answer(
                members, hasFinding: false, ["expansion": { $0.value(expansion) }, "error": { $0.null() }])
        } catch {
            return refuse(error, members)
        }
    }

    /// A line that could not be read at all.
    public func refusedBuild(_ error: PayloadError) -> Answer { refuse(TargetProblem(error), []) }

    private func refuse(_ problem: TargetProblem, _ members: [JSONValue.Member]) -> Answer {
        Self.answer(
            members, hasFinding: true, problem: problem,
            ["expansion": { $0.null() }, "error": { problem.diagnostic.write(to: &$0) }])
    }

    /// Whether a line names a template instead of giving one.
    public static func namesTemplate(_ line: [UInt8]) -> Bool {
        guard let members = try? Self.members(of: line) else { return false }
        let object = JSONValue.object(members)
        return object["template"] == nil && object["name"] != nil
    }

    private func build(_ members: [JSONValue.Member]) throws(TargetProblem) -> String {
        guard let text = try Self.text("template", of: members) else { return try buildNamed(members) }
        let template: URITemplate
        do throws(URITemplateError) {
            template = try URITemplate(text)
        } catch {
            throw TargetProblem(error)
        }
        // Variables that the template does not name are ignored.
        let names = Set(template.variableNames)
        let values = try Self.values(members, where: names.contains)
        do throws(URITemplateError) {
            return try template.expand(values)
        } catch {
            throw TargetProblem(error)
        }
    }

    private func buildNamed(_ members: [JSONValue.Member]) throws(TargetProblem) -> String {
        guard let name = try Self.text("name", of: members) else {
            throw .member(
                "template", "the line has neither a template nor a name", help: "give {\"template\", \"variables\"}")
        }
        let app = try Self.text("app", of: members)
        let values = try Self.values(members, where: { _ in true })
        let named = try template(named: name, app: app)
        do throws(TargetError) {
            return try named.template.build(values)
        } catch {
            throw TargetProblem(error)
        }
    }

    private static func values(
        _ members: [JSONValue.Member], where isWanted: (String) -> Bool
    ) throws(TargetProblem) -> [String: TemplateValue] {
        guard let variables = JSONValue.object(members)["variables"], variables.kind != .null else { return [:] }
        guard let given = variables.members else {
            throw .member("variables", "variables is \(variables.kind.phrase), not an object")
        }
        var values: [String: TemplateValue] = [:]
        for variable in given where isWanted(variable.name) {
            let pointer = JSONPointer.child(variable.name, of: "/variables")
            values[variable.name] = try TemplateValue(variable.value, at: pointer)
        }
        return values
    }
}

// MARK: - Lint

extension TargetRequests {
    /// Judges an identifier: `{"id"}`, or the bare string.
    ///
    /// The answer has `findings`, each with `code`, `name`, `found`, `message` and `suggestion`: see ``TargetLint``. A line
    /// that cannot be judged has `error` besides.
    public func lint(_ line: [UInt8]) -> Answer {
        var members: [JSONValue.Member] = []
        do throws(TargetProblem) {
            members = try Self.members(of: line)
            guard let identifier = try Self.text("id", of: members) else { throw .member("id", "the line has no id") }
            return Self.answer(members, TargetLint.findings(in: identifier))
        } catch {
            return Self.refuse(error, members)
        }
    }

    /// The same for an identifier that is not JSON.
    public func lint(identifier: String) -> Answer {
        Self.answer([.init("id", .string(identifier))], TargetLint.findings(in: identifier))
    }

    /// A line that could not be read at all.
    public func refusedLint(_ error: PayloadError) -> Answer { Self.refuse(TargetProblem(error), []) }

    private static func answer(_ members: [JSONValue.Member], _ findings: [LintFinding]) -> Answer {
        answer(members, hasFinding: !findings.isEmpty, ["findings": { write(findings, to: &$0) }])
    }

    private static func refuse(_ problem: TargetProblem, _ members: [JSONValue.Member]) -> Answer {
        answer(
            members, hasFinding: true, problem: problem,
            ["findings": { write([], to: &$0) }, "error": { problem.diagnostic.write(to: &$0) }])
    }

    private static func write(_ findings: [LintFinding], to json: inout JSONWriter) {
        json.objects(findings) { json, finding in
            json.member("code", finding.code.number)
            json.member("name", finding.code.rawValue)
            json.member("found", finding.found)
            json.member("message", finding.message)
            json.member("suggestion", finding.suggestion)
        }
    }
}

// MARK: - Canonical addresses

extension TargetRequests {
    /// The canonical form of an address: `{"id"}`, or the bare string.
    ///
    /// The answer has `canonical` and `rules`; null and [] where the identifier is no http or https address. A line that
    /// cannot be judged has `error` besides. See ``CanonicalAddress``.
    public static func canonical(_ line: [UInt8], settings: AddressSettings) -> Answer {
        var members: [JSONValue.Member] = []
        do throws(TargetProblem) {
            members = try Self.members(of: line)
            guard let identifier = try text("id", of: members) else { throw .member("id", "the line has no id") }
            return answer(members, CanonicalAddress(identifier, settings: settings), problem: nil)
        } catch {
            return answer(members, nil, problem: error)
        }
    }

    /// The same for an identifier that is not JSON.
    public static func canonical(identifier: String, settings: AddressSettings) -> Answer {
        answer(
            [.init("id", .string(identifier))], CanonicalAddress(identifier, settings: settings), problem: nil)
    }

    /// A line that could not be read at all.
    public static func refusedCanonical(_ error: PayloadError) -> Answer {
        answer([], nil, problem: TargetProblem(error))
    }

    private static func answer(
        _ members: [JSONValue.Member], _ address: CanonicalAddress?, problem: TargetProblem?
    ) -> Answer {
        let canonical: (inout JSONWriter) -> Void = { json in
            if let address { json.value(address.text) } else { json.null() }
        }
        let rules: (inout JSONWriter) -> Void = { json in
            json.beginArray()
            for rule in address?.rules ?? [] { json.value(rule) }
            json.endArray()
        }
        guard let problem else {
            return answer(members, hasFinding: false, ["canonical": canonical, "rules": rules])
        }
        return answer(
            members, hasFinding: true, problem: problem,
            ["canonical": canonical, "rules": rules, "error": { problem.diagnostic.write(to: &$0) }])
    }
}

// MARK: - Match

extension TargetRequests {
    /// A template of an app that an identifier fits.
    public struct Reading: Sendable {
        public var app: String
        /// The template's name in the manifest.
        public var name: String
        public var template: URITemplate
        public var match: TemplateMatch
    }

    /// Every template of any app that the identifier fits, the best first: see ``TargetCatalog/matches(_:)``.
    public func readings(of identifier: String) -> [Reading] {
        let all = apps.flatMap { templates in
            templates.catalog.matches(identifier).map { (templates.app, $0) }
        }
        // In the order of the apps where nothing else decides.
        return all.enumerated().sorted { left, right in
            let (one, other) = (left.element.1, right.element.1)
            if one.isBetter(than: other) { return true }
            return !other.isBetter(than: one) && left.offset < right.offset
        }.map { _, found in
            Reading(app: found.0, name: found.1.name, template: found.1.template, match: found.1.match)
        }
    }

    /// Takes an identifier apart: `{"id"}`, or the bare string.
    ///
    /// The answer has `app`, `template` (its name), `text` (the template itself), `variables`, and `ambiguous`: the other
    /// readings. One of the same template has `open`, the names of the variables that could have other values; one of
    /// another template has `variables`. All are null where nothing fits, which is an `error`.
    public func match(_ line: [UInt8]) -> Answer {
        var members: [JSONValue.Member] = []
        do throws(TargetProblem) {
            members = try Self.members(of: line)
            guard let identifier = try Self.text("id", of: members) else { throw .member("id", "the line has no id") }
            let readings = readings(of: identifier)
            guard !readings.isEmpty else {
                throw TargetProblem(
                    Diagnostic(
                        .targetNoMatch, "no template fits the identifier", at: "/id",
                        help: "the templates are those of [targets] in the manifests"))
            }
            return Self.answer(members, readings, error: nil)
        } catch {
            return Self.answer(members, [], error: error)
        }
    }

    /// A line that could not be read at all.
    public func refusedMatch(_ error: PayloadError) -> Answer { Self.answer([], [], error: TargetProblem(error)) }

    private static func answer(_ members: [JSONValue.Member], _ readings: [Reading], error: TargetProblem?) -> Answer {
        let best = readings.first
        return answer(
            members, hasFinding: best == nil, problem: error,
            [
                "app": { if let best { $0.value(best.app) } else { $0.null() } },
                "template": { if let best { $0.value(best.name) } else { $0.null() } },
                "text": { if let best { $0.value(best.template.text) } else { $0.null() } },
                "variables": { if let best { write(best, to: &$0) } else { $0.null() } },
                "ambiguous": { writeOthers(readings, to: &$0) },
                "error": { if let error { error.diagnostic.write(to: &$0) } else { $0.null() } },
            ])
    }

    private static func writeOthers(_ readings: [Reading], to json: inout JSONWriter) {
        let others = readings.enumerated().filter { $0.offset > 0 || !$0.element.match.ambiguousVariables.isEmpty }
        json.objects(others) { json, other in
            let (index, reading) = other
            json.member("app", reading.app)
            json.member("template", reading.name)
            json.member("text", reading.template.text)
            if index > 0 {
                json.key("variables")
                write(reading, to: &json)
            }
            json.member("open", reading.match.ambiguousVariables)
        }
    }

    private static func write(_ reading: Reading, to json: inout JSONWriter) {
        json.beginObject()
        for name in reading.template.variableNames {
            guard let value = reading.match.values[name] else { continue }
            json.key(name)
            json.value(value)
        }
        json.endObject()
    }
}

/// Why nothing can be built or matched: of a line of a bulk request, the `error` member in its place. An offset counts bytes
/// into the line where it is no JSON, else into the template.
public struct TargetProblem: Error, Sendable {
    public var diagnostic: Diagnostic
    /// Whether the line is no request at all, in contrast to one without an answer.
    var isMalformed = false

    init(_ diagnostic: Diagnostic, isMalformed: Bool = false) {
        self.diagnostic = diagnostic
        self.isMalformed = isMalformed
    }

    init(_ error: PayloadError) { self.init(Diagnostic(error), isMalformed: true) }

    /// What is wrong with a template by itself.
    public init(_ error: URITemplateError) {
        self.init(
            Diagnostic(
                .template(error.code), error.message, at: "/template", offset: error.offset, help: error.hint))
    }

    /// What is wrong with a template, or with what it was given.
    public init(_ error: TargetError) {
        if let templateError = error.templateError {
            self.init(templateError)
            return
        }
        let pointer =
            switch error.code {
            case .unknownTemplate: "/name"
            case .unknownVariable, .missingVariable, .emptyVariable: JSONPointer.child(error.name, of: "/variables")
            case .empty, .template: "/template"
            }
        self.init(Diagnostic(.building(error), error.message, at: pointer, help: error.hint))
    }

    static func member(_ name: String, _ message: String, help: String? = nil) -> TargetProblem {
        TargetProblem(
            Diagnostic(.targetRequest, message, at: name.isEmpty ? "" : "/" + name, help: help), isMalformed: true)
    }
}
