internal import UsherConfiguration
internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
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
        operands: [.init("NAME|KEY=VALUE", .any, of: .templates)], options: [template, app, cases],
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
        let named = try Result { () throws(TargetProblem) in
            try requests.template(named: name, app: arguments.value(app))
        }.mapError { CommandFailure.target($0) }.get()
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
        context.printJSON { json in
            json.beginObject()
            json.member("id", identifier)
            json.member("app", named?.app)
            json.member("template", named?.name)
            json.endObject()
        }
    }

    private static func expand(_ text: String, _ operands: [String], _ context: Context) throws(CommandFailure)
        -> ExitStatus
    {
        let template = try Result { () throws(URITemplateError) in try URITemplate(text) }
            .mapError { CommandFailure.template($0, in: text) }.get()
        let values = try TargetValues(operands, for: template).values
        let identifier = try Result { () throws(URITemplateError) in try template.expand(values) }
            .mapError { CommandFailure.template($0, in: text) }.get()
        guard !identifier.isEmpty else { throw .usage("the identifier is empty", help: "give its variables values") }
        show(identifier, nil, context)
        return .handled
    }

    private static func runCases(_ path: String, _ context: Context) throws(CommandFailure) -> ExitStatus {
        // A configuration is read only when a line names one of its templates.
        var requests = TargetRequests()
        var hasConfiguration = false
        return try context.answerLines(of: path) { (line) throws(CommandFailure) in
            if !hasConfiguration, TargetRequests.namesTemplate(line) {
                requests = TargetRequests(apps: try context.loadConfiguration().configuration.manifestApps)
                hasConfiguration = true
            }
            return requests.build(line)
        } otherwise: {
            requests.refusedBuild($0)
        }
    }
}

extension CommandFailure {
    /// An identifier that cannot be built.
    fileprivate static func target(_ problem: TargetProblem) -> CommandFailure {
        let refusal = problem.diagnostic
        return .usage(refusal.message, help: refusal.help, code: refusal.code)
    }

    /// A template on the command line that cannot be read or expanded.
    fileprivate static func template(_ error: URITemplateError, in text: String) -> CommandFailure {
        let refusal = TargetProblem(error).diagnostic
        return CommandFailure(
            .usage, "\(refusal.message) [\(refusal.code)]", excerpt: CaretText.lines(text, offset: error.offset),
            help: refusal.help)
    }
}

/// `usher target match`: the template and the values that an identifier was built from.
enum TargetMatchCommand {
    private static let cases = Option("cases", "FILE|-", "JSON Lines {\"id\"}, or strings")

    static let description = CommandDescription(
        "target match", "take a target content identifier apart: app, template and values",
        operands: [.init("ID", .optional)], options: [cases],
        discussion: [
            "The templates are those of [targets] in the manifests of all apps; the one with the most literal text wins.",
            "Other readings are listed as ambiguous. Exit status 1: no template fits.",
        ],
        examples: [
            .init("usher target match https://clowntown.example/clowns/crusty", "one identifier"),
            .init(
                "echo '\"https://clowntown.example/clowns/crusty\"' | usher target match --cases -", "many, a line each"
            ),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        guard (arguments.operands.first != nil) != arguments.has(cases) else {
            throw .usage("target match takes an ID or --cases", help: "usage: usher target match ID")
        }
        let requests = TargetRequests(apps: try context.loadConfiguration().configuration.manifestApps)
        if let path = arguments.value(cases) {
            return try context.answerLines(of: path, requests.match, otherwise: requests.refusedMatch)
        }
        let identifier = arguments.operands.first ?? ""
        if context.writesJSON {
            let answer = requests.match(Array(JSONValue.string(identifier).text(escaping: .minimal).utf8))
            context.printJSON { $0.raw(answer.bytes) }
            return answer.hasFinding ? .finding : .handled
        }
        let readings = requests.readings(of: identifier)
        guard let best = readings.first else {
            context.errors.report(
                CommandFailure(
                    .finding, "no template fits \(QuotedText.text(identifier))",
                    help: "the templates are those of [targets] in the manifests"))
            return .finding
        }
        show(best, context)
        for reading in readings.dropFirst() {
            context.output.write("also fits:\n")
            show(reading, context)
        }
        return .handled
    }

    private static func show(_ reading: TargetRequests.Reading, _ context: Context) {
        var text = "\(reading.name)  \(reading.app)  \(reading.template.text)\n"
        for name in reading.template.variableNames {
            guard let value = reading.match.values[name] else { continue }
            let isOpen = reading.match.ambiguousVariables.contains(name)
            text += "  \(name) = \(value.text)\(isOpen ? "  (could be another)" : "")\n"
        }
        context.output.write(Printable.escaped(text, keeping: "\n"))
    }
}

extension TemplateValue {
    /// For people.
    fileprivate var text: String {
        switch self {
        case .undefined: ""
        case .string(let text): text
        case .list(let members): members.joined(separator: ", ")
        case .associative(let members): members.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        }
    }
}

extension Context {
    /// Answers a file of JSON Lines, one line for each.
    fileprivate func answerLines(
        of path: String, _ answer: ([UInt8]) throws(CommandFailure) -> TargetRequests.Answer,
        otherwise refuse: (PayloadError) -> TargetRequests.Answer
    ) throws(CommandFailure) -> ExitStatus {
        try answerLines(of: try InputFile(path)) { (line, _, json) throws(CommandFailure) in
            let answered =
                switch line {
                case .success(let bytes): try answer(bytes)
                case .failure(let error): refuse(error)
                }
            json.raw(answered.bytes)
            return !answered.hasFinding
        }
    }
}

/// `usher target list`: what identifiers are built from.
enum TargetListCommand {
    private static let app = Option("app", "ID", "of this app only")

    static let description = CommandDescription(
        "target list", "the templates of manifests that identifiers are built from", options: [app],
        examples: [.init("usher target list --config Config", "every template")], run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let configuration = try context.loadConfiguration().configuration
        let targets = try Result { () throws(ControlError) in
            try TargetListed.all(in: configuration, app: arguments.value(app))
        }.mapError { CommandFailure($0) }.get()
        context.print(
            targets, none: "there is no template: [targets] of a manifest has them", indent: 0,
            ["app", "name", "template", "at"]
        ) { [$0.app, $0.name, $0.template, $0.at] }
    }
}

/// `usher target lint`: whether identifiers can lead back to their content.
enum TargetLintCommand {
    private static let cases = Option("cases", "FILE|-", "JSON Lines {\"id\"}, or strings")

    static let description = CommandDescription(
        "target lint", "find mistakes in target content identifiers",
        operands: [.init("ID", .any)], options: [cases],
        discussion: [
            "Reported are numbers that other apps use as well, placeholders without a value, user names and passwords, white",
            "space, invisible characters and faulty percent-encoding. Exit status 1: there is a finding. `-` is --cases -.",
        ],
        examples: [
            .init("usher target lint https://clowntown.example/clowns/crusty", "an identifier that lasts"),
            .init(
                "echo '{\"id\":\"https://clowntown.example/clowns/crusty\"}' | usher target lint -", "many, a line each"
            ),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let requests = TargetRequests()
        let identifiers = arguments.operands
        guard identifiers.isEmpty == arguments.has(cases) else {
            throw .usage("target lint takes IDs or --cases", help: "usage: usher target lint ID...")
        }
        if let path = arguments.value(cases) ?? (identifiers == ["-"] ? "-" : nil) {
            return try context.answerLines(of: path, requests.lint, otherwise: requests.refusedLint)
        }
        if context.writesJSON {
            let answers = identifiers.map(requests.lint(identifier:))
            context.printArray(answers) { answer, json in json.raw(answer.bytes) }
            return answers.contains(where: \.hasFinding) ? .finding : .handled
        }
        var hasFindings = false
        for identifier in identifiers {
            let findings = TargetLint.findings(in: identifier)
            if !findings.isEmpty { hasFindings = true }
            show(identifier, findings, context)
        }
        return hasFindings ? .finding : .handled
    }

    private static func show(_ identifier: String, _ findings: [LintFinding], _ context: Context) {
        let verdict = findings.isEmpty ? "fine" : findings.count == 1 ? "one finding" : "\(findings.count) findings"
        var text = "\(Printable.escaped(identifier))  \(verdict)\n"
        for finding in findings {
            text += "  \(finding.code.number) \(finding.code.rawValue): \(Printable.escaped(finding.message))\n"
            text += "    \(Printable.escaped(finding.suggestion))\n"
        }
        context.output.write(text)
    }
}

/// `usher target canonical`: what an address of a web page is compared as.
enum TargetCanonicalCommand {
    private static let cases = Option("cases", "FILE|-", "JSON Lines {\"id\"}, or strings")

    static let description = CommandDescription(
        "target canonical", "show what addresses of web pages are compared as",
        operands: [.init("URL", .any)], options: [cases],
        discussion: [
            "Suggestions, lists of links, searches and guards against loops compare http and https addresses in their",
            "canonical form: without tracking parameters and fragments, http as https. [addresses.\"HOST\"] of usher.toml",
            "changes that for a host. Which window shows a page is decided by the identifier as it is.",
        ],
        examples: [
            .init("usher target canonical 'http://Clowntown.example/clowns/crusty?utm_source=mail'", "one address"),
            .init(
                "echo '{\"id\":\"https://clowntown.example/clowns/crusty#top\"}' | usher target canonical --cases -",
                "many, a line each"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let addresses = arguments.operands
        guard addresses.isEmpty == arguments.has(cases) else {
            throw .usage("target canonical takes URLs or --cases", help: "usage: usher target canonical URL...")
        }
        let settings = try context.loadConfigurationIfPresent()?.settings.addresses ?? AddressSettings()
        if let path = arguments.value(cases) {
            return try context.answerLines(
                of: path, { TargetRequests.canonical($0, settings: settings) },
                otherwise: TargetRequests.refusedCanonical)
        }
        if context.writesJSON {
            let answers = addresses.map { TargetRequests.canonical(identifier: $0, settings: settings) }
            context.printArray(answers) { answer, json in json.raw(answer.bytes) }
            return .handled
        }
        for text in addresses {
            guard let address = CanonicalAddress(text, settings: settings) else {
                context.output.write("\(Printable.escaped(text))  no http or https address: compared as it is\n")
                continue
            }
            let rules = address.rules.isEmpty ? "" : "  (\(address.rules.joined(separator: ", ")))"
            context.output.write(Printable.escaped(address.text + rules) + "\n")
        }
        return .handled
    }
}

/// The values of a template's variables as a command line gives them: `KEY=VALUE`.
///
/// A key that is given several times is a list; `KEY.NAME=VALUE` is a member of an object. A variable whose own name has
/// dots is found first.
private struct TargetValues {
    private(set) var values: [String: TemplateValue] = [:]

    init(_ operands: [String], for template: URITemplate) throws(CommandFailure) {
        for operand in operands {
            let parts = operand.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw .usage(
                    "\(QuotedText.text(operand)) is not KEY=VALUE",
                    help: "the variables are \(template.variableNames.joined(separator: ", "))")
            }
            try add(parts[1], to: parts[0], of: template)
        }
    }

    private mutating func add(_ value: String, to key: String, of template: URITemplate) throws(CommandFailure) {
        if template.variableNames.contains(key) { return try addMember(value, to: key) }
        // The longest variable before a dot.
        var dot = key.lastIndex(of: ".")
        while let place = dot {
            let name = String(key[..<place])
            if template.variableNames.contains(name) {
                return try addMember(.init(key: String(key[key.index(after: place)...]), value: value), to: name)
            }
            dot = key[..<place].lastIndex(of: ".")
        }
        throw .unknown(
            "variable", key, among: template.variableNames,
            otherwise: template.variableNames.isEmpty ? "the template has no variables" : nil,
            code: .buildUnknownVariable)
    }

    private mutating func addMember(_ value: String, to name: String) throws(CommandFailure) {
        switch values[name] {
        case nil: values[name] = .string(value)
        case .string(let first): values[name] = .list([first, value])
        case .list(let members): values[name] = .list(members + [value])
        default: throw .usage("\(name) is given as text and as an object")
        }
    }

    private mutating func addMember(_ member: TemplateValue.Member, to name: String) throws(CommandFailure) {
        switch values[name] {
        case nil: values[name] = .associative([member])
        case .associative(let members): values[name] = .associative(members + [member])
        default: throw .usage("\(name) is given as text and as an object")
        }
    }
}
