internal import UsherJSON
public import UsherOperation
internal import UsherPayload
public import UsherScene
internal import UsherTarget

/// Builds, matches and judges target content identifiers, a line of JSON at a time.
///
/// What `usher target … --cases` and `POST /v1/targets/…` answer; pure, and the same through every door. Members of a
/// line that an answer does not name are passed through, in their places.
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
    struct AppTemplates: Sendable {
        var app: String
        var catalog: TargetCatalog
    }

    let apps: [AppTemplates]

    /// - Parameter apps: whose templates may be named and are matched with; none are needed for templates in the lines.
    public init(apps: [App] = []) {
        self.apps = apps.map { app in
            AppTemplates(
                app: app.id,
                catalog: TargetCatalog(app.targets.map { TargetCatalog.Entry(name: $0.name, template: $0.template) }))
        }
    }

    // MARK: Lines

    /// The members of a line, or why it has none.
    static func members(of line: [UInt8]) throws(TargetProblem) -> [JSONValue.Member] {
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
    static func text(_ name: String, of members: [JSONValue.Member]) throws(TargetProblem) -> String? {
        guard let value = JSONValue.object(members)[name], value.kind != .null else { return nil }
        guard let text = value.string else { throw .member(name, "\(name) is \(value.kind.phrase), not a string") }
        return text
    }

    /// The members of the line in their order; those that the answer names are replaced where they stand.
    static func answer(
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
