internal import UsherJSON
internal import UsherLog
public import UsherPayload
internal import UsherScene
public import UsherTarget

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
        json.beginArray()
        for (index, reading) in readings.enumerated() {
            let open = reading.match.ambiguousVariables
            guard index > 0 || !open.isEmpty else { continue }
            json.beginObject()
            json.member("app", reading.app)
            json.member("template", reading.name)
            json.member("text", reading.template.text)
            if index > 0 {
                json.key("variables")
                write(reading, to: &json)
            }
            json.member("open", open)
            json.endObject()
        }
        json.endArray()
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
