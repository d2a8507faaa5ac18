public import UsherOperation
public import UsherScene
internal import UsherTarget
internal import UsherText

/// The templates of `[targets]` in manifests.
public struct TargetList: PerformedCall {
    public var app: String?

    public init() {}
    public init(app: String?) { self.app = app }

    public typealias Answer = [TargetListed]
    public static let name = "target.list"
    public static let operation = Operation<Self>(
        "the templates that identifiers are built from", .read, [Field("app", \.app, "of this app only")],
        http: [HTTPForm(.get, "/v1/targets")])

    public func perform(in context: OperationContext) throws(ControlError) -> [TargetListed] {
        try TargetListed.all(in: context.configuration, app: app)
    }
}

/// A template of an app.
public struct TargetListed: AnswerRecord {
    public var app = ""
    public var name = ""
    public var template = ""
    public var variables: [String] = []
    public var at = ""

    public init() {}

    public static let fields: [Field<Self>] = [
        Field(always: "app", \.app), Field(always: "name", \.name, "Its key in `[targets]`"),
        Field(always: "template", \.template, "RFC 6570"),
        Field(always: "variables", \.variables, "In the order of the template"),
        Field(always: "at", \.at, "FILE:LINE:COLUMN"),
    ]

    /// All of them, in the order of the files.
    ///
    /// - Throws: `resolution.no-app` where no manifest has the app's id.
    public static func all(in configuration: Configuration, app: String?) throws(ControlError) -> [TargetListed] {
        let apps = configuration.manifestApps
        if let app, !apps.contains(where: { $0.id.hasSameBytes(as: app) }) {
            throw ControlError(
                .noApp, "there is no app \(QuotedText.text(app))", at: "/app",
                help: Spelling.closest(to: app, among: apps.map(\.id)).map { "did you mean \($0)?" })
        }
        return apps.filter { app == nil || app?.hasSameBytes(as: $0.id) == true }.flatMap { app in
            app.targets.map { target in
                var listed = TargetListed()
                (listed.app, listed.name, listed.template) = (app.id, target.name, target.template.text)
                (listed.variables, listed.at) = (target.template.variableNames, target.location.description)
                return listed
            }
        }
    }
}
