internal import UsherConfiguration
internal import UsherDispatch
internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherTarget
internal import UsherText

/// `usher target build`: an identifier from a template and values.
enum TargetBuildCommand {
    private static let template = Option("template", "TEMPLATE", "a URI template (RFC 6570) instead of a name")
    private static let app = Option("app", "ID", "the app whose template is named")
    private static let cases = Option("cases", "FILE|-", "JSON Lines {\"template\", \"variables\"} to expand")

    static let description = CommandDescription(
        "target build", "build a target content identifier from a template and values",
        operands: [.init("NAME|KEY=VALUE", .any)], options: [template, app, cases],
        discussion: [
            "NAME is a template of a manifest's [targets]. A KEY given several times is a list; KEY.NAME=VALUE is a member of",
            "an object. With a NAME every variable must have a value; with --template what is missing is left out, as RFC",
            "6570 says. --cases writes each line with \"expansion\" (null where there is none) and \"error\"; a line with",
            "\"name\" and perhaps \"app\" instead of \"template\" names a manifest's template.",
        ],
        examples: [
            .init("usher target build clown clown=crusty", "a template of the configuration"),
            .init(
                "usher target build --template 'https://shop.example/s{?q,tag*}' q='red nose' tag=a tag=b",
                "a template on the line, with a list"),
            .init(
                "echo '{\"template\":\"/clowns/{clown}\",\"variables\":{\"clown\":\"crusty\"}}' | usher target build --cases -",
                "many, a line each"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        if let path = arguments.value(cases) {
            guard arguments.operands.isEmpty, !arguments.has(template), !arguments.has(app) else {
                throw .usage("--cases takes everything from its lines")
            }
            return try runCases(path, context)
        }
        if let text = arguments.value(template) {
            guard !arguments.has(app) else { throw .usage("--app goes with the name of a template") }
            return try expand(text, arguments.operands, context)
        }
        guard let name = arguments.operands.first, !name.contains("=") else {
            throw .usage(
                "target build needs the name of a template, or --template",
                help: "usage: usher target build NAME KEY=VALUE..., with a NAME of [targets] in a manifest")
        }
        let requests = TargetRequests(apps: try context.loadConfiguration().configuration.manifestApps)
        let named: TargetRequests.NamedTemplate
        do throws(TargetProblem) {
            named = try requests.template(named: name, app: arguments.value(app))
        } catch {
            throw .target(error)
        }
        let values = try TargetValues(Array(arguments.operands.dropFirst()), for: named.template).values
        do throws(TargetError) {
            show(try named.template.build(values), named, context)
        } catch {
            throw .target(TargetProblem(error))
        }
        return .handled
    }

    /// The bare identifier, so that a shell can take it; more with `--json`.
    private static func show(_ identifier: String, _ named: TargetRequests.NamedTemplate?, _ context: Context) {
        guard context.asksForJSON else { return context.output.write(identifier + "\n") }
        var json = JSONWriter()
        json.beginObject()
        json.member("id", identifier)
        json.member("app", named?.app)
        json.member("template", named?.name)
        json.endObject()
        json.newline()
        context.output.write(json.bytes)
    }

    private static func expand(_ text: String, _ operands: [String], _ context: Context) throws(CommandFailure)
        -> ExitStatus
    {
        let template: URITemplate
        do throws(URITemplateError) {
            template = try URITemplate(text)
        } catch {
            throw .template(error, in: text)
        }
        let values = try TargetValues(operands, for: template).values
        let identifier: String
        do throws(URITemplateError) {
            identifier = try template.expand(values)
        } catch {
            throw .template(error, in: text)
        }
        guard !identifier.isEmpty else { throw .usage("the identifier is empty", help: "give its variables values") }
        show(identifier, nil, context)
        return .handled
    }

    private static func runCases(_ path: String, _ context: Context) throws(CommandFailure) -> ExitStatus {
        // A configuration is read only when a line names one of its templates.
        var requests = TargetRequests()
        var hasConfiguration = false
        var status = ExitStatus.handled
        try InputFile(path).forEachLine { (line, _) throws(CommandFailure) in
            let answer: TargetRequests.Answer
            switch line {
            case .success(let bytes):
                if !hasConfiguration, TargetRequests.namesTemplate(bytes) {
                    requests = TargetRequests(apps: try context.loadConfiguration().configuration.manifestApps)
                    hasConfiguration = true
                }
                answer = requests.build(bytes)
            case .failure(let error): answer = requests.refusedBuild(error)
            }
            if answer.hasFinding { status = .finding }
            context.output.write(answer.bytes)
            context.output.write("\n")
        }
        return status
    }
}

extension CommandFailure {
    /// An identifier that cannot be built.
    fileprivate static func target(_ problem: TargetProblem) -> CommandFailure {
        let refusal = problem.diagnostic
        return .usage("\(refusal.message) [\(refusal.code)]", help: refusal.help)
    }

    /// A template on the command line that cannot be read or expanded.
    fileprivate static func template(_ error: URITemplateError, in text: String) -> CommandFailure {
        let refusal = TargetProblem(error).diagnostic
        return CommandFailure(
            .usage, "\(refusal.message) [\(refusal.code)]", excerpt: CaretText.lines(text, offset: error.offset),
            help: refusal.help)
    }
}
