internal import UsherJSON
internal import UsherLog
public import UsherPayload
internal import UsherScene
public import UsherTarget
internal import UsherText

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
            let close = Suggestion.closest(to: app, among: apps.map(\.app)).map { "did you mean '\($0)'?" }
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
        // The catalog of all of them knows the closest name.
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
        // Variables that the template does not name are nobody's business.
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
