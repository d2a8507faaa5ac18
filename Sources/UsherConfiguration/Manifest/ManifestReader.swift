import UsherPredicate
import UsherScene
import UsherTarget
internal import UsherText

/// Turns one manifest into an app, and says everything that is wrong with it.
struct ManifestReader: Sendable {
    var reader: TableReader
    /// Of the manifest, absolute: what relative paths in it start from.
    let folder: String
    let programs: ProgramSearch
    /// What is looked into instead of files.
    let kept: KeptManifests?
    /// Read beside the manifest: they belong into the digest.
    var includedFiles: [IncludedFile] = []
    /// The regions of what is judged once all is read.
    var places = Regions()
    /// Whether a scene has a template, an `opens`, a `can` or a `prefers` that could not be read, and is said to be wrong.
    var hasUnreadConditions = false

    struct IncludedFile: Sendable {
        /// As the manifest names it.
        var name: String
        var bytes: [UInt8]
        /// The text of the file, from which the places in diagnostics are found.
        var source: SourceFile?
        var diagnostics: [ConfigurationDiagnostic] = []
    }

    struct Regions: Sendable {
        var id: SourceRegion?
        var topics: [Spanned<String>] = []
        var domains: [Spanned<String>] = []
        var schemes: [Spanned<String>] = []
        /// As the app's scenes and targets, one for one.
        var scenes: [SourceRegion] = []
        var targets: [SourceRegion] = []
        /// Of the app's first shortcuts, those of the manifest: where each has its target.
        var shortcuts: [SourceRegion] = []
    }

    init(file: SourceFile, folder: String, programs: ProgramSearch, kept: KeptManifests? = nil) {
        self.kept = kept
        self.reader = TableReader(file: file, schemas: ManifestSchema.all)
        self.folder = folder
        self.programs = programs
    }

    /// The app, as far as it could be read; nil when it has no usable id.
    mutating func read(_ members: [TOMLMember]) -> App? {
        let table = reader.check(members, ManifestSchema.app, region: .start)
        let id = identifier(of: table)
        var app = App(
            id: id?.value ?? "", name: id?.value ?? "", location: location(id?.region.begin ?? .start))
        places.id = id?.region
        if let name = reader.string("name", of: table) { app.name = name.value }
        if let topics = reader.strings("topics", of: table) {
            app.topics = unique(topics, of: "topics").map(\.value)
            places.topics = topics
        }
        readDomains(of: table, into: &app)
        readSchemes(of: table, into: &app)
        readAssociation(of: table, into: &app)
        let types = unique(reader.strings("activity-types", of: table) ?? [], of: "activity-types")
        app.activityTypes = types.map(located)
        check(activityTypes: types)
        readVersions(of: table, into: &app)
        app.website = reader.boolean("website", of: table).map(located)
        if let several = reader.boolean("multiple-scenes", of: table) { app.multipleScenes = several.value }
        app.scenesLimit = reader.integer("scenes-limit", of: table, in: 1...10_000).map(located)
        readNotifications(of: table, into: &app)
        readSuggestions(of: table, into: &app)
        readTargets(of: table, into: &app)
        readScenes(of: table, into: &app)
        readHandlers(of: table, into: &app)
        readShortcuts(of: table, into: &app)
        readPropertyList(of: table, into: &app)
        readExpectations(of: table, into: &app)
        checkReachability(of: app, sceneTables: table.written.contains("scenes"))
        return id == nil ? nil : app
    }

    func location(_ position: SourcePosition) -> SourceLocation { reader.file.location(position) }

    func located<Value>(_ placed: Spanned<Value>) -> Located<Value> {
        Located(placed.value, at: location(placed.region.begin))
    }

    private mutating func identifier(of table: CheckedTable) -> Spanned<String>? {
        guard let id = reader.string("id", of: table) else { return nil }
        let isPlain = id.value.utf8.allSatisfy { $0.isASCIILetterOrDigit || ".-_".utf8.contains($0) }
        guard isPlain else {
            return reader.refuse(
                .invalidValue, at: id.region, "an app's id has letters, digits, `.`, `-` and `_` only",
                help: "in reverse-DNS form: id = \"example.clowntown\"")
        }
        return id
    }

    /// Reports empty and repeated strings of a list, and gives the others.
    mutating func unique(_ strings: [Spanned<String>], of key: String) -> [Spanned<String>] {
        var first = NameMap<SourceRegion>()
        return strings.filter { string in
            if string.value.isEmpty {
                reader.report(.invalidValue, at: string.region, "`\(key)` must not have an empty string")
                return false
            }
            if let place = first[string.value] {
                reader.report(
                    .duplicateValue, at: string.region, "\(TOMLText.quoted(string.value)) is in `\(key)` twice",
                    related: location(place.begin))
                return false
            }
            first[string.value] = string.region
            return true
        }
    }

    private mutating func readDomains(of table: CheckedTable, into app: inout App) {
        for domain in unique(reader.strings("domains", of: table) ?? [], of: "domains") {
            let text = domain.value.loweringHost()
            if text.isHostWithPath {
                app.domains.append(Located(text, at: location(domain.region.begin)))
                places.domains.append(Spanned(value: text, region: domain.region))
            } else if let host = text.hostOfAddress {
                reader.report(
                    .invalidValue, at: domain.region, "`domains` has hosts, not whole addresses",
                    help: "write \(TOMLText.quoted(host))")
            } else {
                reader.report(
                    .invalidValue, at: domain.region, "\(TOMLText.quoted(domain.value)) is not the name of a host",
                    help: "name each host by itself: domains = [\"clowntown.example\", \"www.clowntown.example\"]")
            }
        }
    }
}

extension String {
    /// With the capitals before the first slash made small: hosts have no case, paths do.
    fileprivate func loweringHost() -> String {
        let host = utf8.prefix { $0 != UInt8(ascii: "/") }
        let small = host.map { $0.lowercasedASCII }
        return String(decoding: small + utf8.dropFirst(host.count), as: UTF8.self)
    }

    /// `clowntown.example`, `*.clowntown.example` or `shop.example/clowns`.
    fileprivate var isHostWithPath: Bool {
        var rest = Array(utf8)[...]
        if rest.starts(with: "*.".utf8) { rest = rest.dropFirst(2) }
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        let isHost = host.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), 0x80...: true
            default: false
            }
        }
        guard isHost, !host.isEmpty, host.first != UInt8(ascii: "."), host.last != UInt8(ascii: ".") else {
            return false
        }
        return !rest.contains { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    }

    /// The host of `https://host:port/path`; nil for anything else.
    fileprivate var hostOfAddress: String? {
        let bytes = Array(utf8)
        guard let scheme = bytes.indices.first(where: { bytes[$0...].starts(with: "://".utf8) }) else { return nil }
        let host = bytes[(scheme + 3)...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
        let text = String(decoding: host, as: UTF8.self)
        return text.isHostWithPath ? text : nil
    }
}

// MARK: - Scenes

extension ManifestReader {
    /// Whether a name is the first of its kind; reports a second one with the place of the first.
    mutating func isFirst(
        _ name: Spanned<String>, in first: inout NameMap<SourceLocation>, _ code: DiagnosticCode, _ message: String,
        help: String
    ) -> Bool {
        if let place = first[name.value] {
            reader.report(
                code, at: name.region, "\(message) \(TOMLText.quoted(name.value))", help: help, related: place)
            return false
        }
        first[name.value] = location(name.region.begin)
        return true
    }

    private mutating func readScenes(of table: CheckedTable, into app: inout App) {
        var targetPlaces = NameMap<Int>()
        for (place, target) in app.targets.enumerated() {
            targetPlaces[target.name] = targetPlaces[target.name] ?? place
        }
        var first = NameMap<SourceLocation>()
        for element in reader.tables("scenes", of: table) {
            let scene = reader.check(element.value, ManifestSchema.scene, region: element.region)
            guard let name = reader.string("name", of: scene) else {
                // Its other mistakes are worth saying all the same.
                _ = configuration(named: "", of: scene, in: app, targetPlaces)
                continue
            }
            let alike = first.alike(name.value)
            guard
                isFirst(
                    name, in: &first, .duplicateValue, "there are two scenes named",
                    help: "give one of them another name")
            else { continue }
            // A person cannot tell apart two names that Unicode writes in two ways.
            if let alike {
                reader.report(
                    .duplicateValue, at: name.region,
                    "another scene's name looks the same: \(TOMLText.quoted(name.value))",
                    help: "give one of them another name", related: alike)
                continue
            }
            app.scenes.append(configuration(named: name.value, of: scene, in: app, targetPlaces))
            places.scenes.append(element.region)
        }
    }

    private mutating func configuration(
        named name: String, of table: CheckedTable, in app: App, _ targetPlaces: NameMap<Int>
    ) -> SceneConfiguration {
        var scene = SceneConfiguration(name: name, location: location(table.region.begin))
        readRole(of: table, into: &scene)
        let template = target(of: table, in: app, targetPlaces)
        scene.target = template?.name
        scene.opens = condition("opens", of: table, doubts: \.doubts) { text throws(PredicateError) in
            try ScenePredicate(parsing: text)
        }
        let variables = SessionVariables(
            template: template, targets: app.targets, isTemplateUnknown: table.written.contains("target"))
        scene.canActivate = sessionCondition("can", of: table, variables)
        scene.prefersToActivate = sessionCondition("prefers", of: table, variables)
        let read = [
            "target": template != nil, "opens": scene.opens != nil, "can": scene.canActivate != nil,
            "prefers": scene.prefersToActivate != nil,
        ]
        if read.contains(where: { !$0.value && table.written.contains($0.key) }) { hasUnreadConditions = true }
        if scene.prefersToActivate?.value.canonicalText == ScenePredicate.always.canonicalText,
            let can = table.members["can"], let condition = scene.canActivate?.value.canonicalText,
            condition != ScenePredicate.always.canonicalText
        {
            reader.warn(
                .shadowed, at: can.keyRegion, "`can` is never asked: `prefers` goes before it, and is always true",
                help: "remove `can`, or say with `prefers` what its windows should show",
                related: scene.prefersToActivate?.location)
        }
        readNewScene(of: table, into: &scene)
        scene.launch = launchHandler(of: table)
        scene.focus = focusHandler(of: table)
        scene.show = showHandler(of: table)
        scene.content = content(of: table)
        if let opens = table.members["opens"], scene.launch == nil, !table.written.contains("launch") {
            reader.warn(
                .sceneWithoutLaunch, at: opens.keyRegion,
                "`opens` has no effect: the scene has no `launch` to open a window with",
                help: "add a line such as: launch = { exec = [\"clowntown\", \"--\", \"{target}\"] }")
        }
        return scene
    }

    private mutating func readRole(of table: CheckedTable, into scene: inout SceneConfiguration) {
        guard let role = reader.string("role", of: table) else { return }
        scene.role = SceneRole(rawValue: role.value)
        if let meant = Spelling.closest(to: role.value, among: [SceneRole.windowApplication.rawValue]),
            meant != role.value
        {
            reader.report(
                .invalidValue, at: role.region, "there is no role \(TOMLText.quoted(role.value))",
                help: "did you mean \(TOMLText.quoted(meant))?")
        }
    }

    /// - Parameter places: where each template is in the app's targets.
    private mutating func target(
        of table: CheckedTable, in app: App, _ places: NameMap<Int>
    ) -> TargetTemplate? {
        guard let name = reader.string("target", of: table) else { return nil }
        if let place = places[name.value] { return app.targets[place] }
        let names = app.targets.map(\.name)
        return reader.refuse(
            .unknownReference, at: name.region, "[targets] has no template named \(TOMLText.quoted(name.value))",
            help: Spelling.help(name.value, among: names) {
                names.isEmpty
                    ? "declare it under [targets]: \(name.value) = \"https://clowntown.example/clowns/{clown}\""
                    : "[targets] has " + names.map(TOMLText.quoted).joined(separator: ", ")
            })
    }

    private mutating func readNewScene(of table: CheckedTable, into scene: inout SceneConfiguration) {
        guard let policy = reader.choice("new-scene", of: table, as: SceneConfiguration.NewScenePolicy.self) else {
            return
        }
        scene.newScene = policy
        if policy == .unlessPreferred, !table.written.contains("opens"), let member = table.members["new-scene"] {
            reader.warn(
                .noEffect, at: member.keyRegion,
                "`new-scene` has no effect: it is about the identifiers that the scene's own `opens` accepts",
                help: "add `opens`")
        }
    }

    /// `can` and `prefers`: conditions of a session, which know its target.
    private mutating func sessionCondition(
        _ key: String, of table: CheckedTable, _ variables: SessionVariables
    ) -> Located<ScenePredicateTemplate>? {
        condition(key, of: table, variables, doubts: \.doubts) { text throws(PredicateError) in
            return try Result { () throws(PredicateError) in
                try ScenePredicateTemplate(parsing: text, variables: variables.known(in: text))
            }.mapError { variables.leadingToTemplate($0) }.get()
        }
    }

    private mutating func condition<Predicate>(
        _ key: String, of table: CheckedTable, _ variables: SessionVariables? = nil,
        doubts: (Predicate) -> [PredicateDoubt], parse: (String) throws(PredicateError) -> Predicate
    ) -> Located<Predicate>? {
        guard let text = reader.string(key, of: table, mayBeEmpty: true) else { return nil }
        do {
            let predicate = Located(try parse(text.value), at: location(text.region.begin))
            for (name, offset) in ScenePredicateTemplate.quotedVariables(in: text.value)
            where variables?.known(in: "").contains(name) ?? false {
                reader.warn(
                    .quotedVariable,
                    at: reader.region(ofBytes: offset, count: name.utf8.count + 1, inStringAt: text.region),
                    "`$\(name)` is in quotes: it is compared as these characters, not as the variable",
                    help: "write it without quotes: \(key) = \"SELF == $\(name)\"")
            }
            for doubt in doubts(predicate.value) { warn(of: doubt, in: text) }
            return predicate
        } catch {
            return reader.refuse(
                .predicate(error.code),
                at: reader.region(ofBytes: error.offset, count: error.length, inStringAt: text.region), error.message,
                help: error.hint)
        }
    }
}

extension ManifestReader {
    private mutating func warn(of doubt: PredicateDoubt, in text: Spanned<String>) {
        let region = reader.region(ofBytes: doubt.offset, count: 1, inStringAt: text.region)
        switch doubt.kind {
        case .contradiction:
            reader.warn(
                .contradiction, at: region, "no identifier fulfils \(ManifestReader.shortened(doubt.text))",
                help: "join alternatives by OR; where it is never to be true, write FALSEPREDICATE")
        case .questionMark:
            reader.warn(
                .questionMark, at: region,
                "`?` stands for any one character in a pattern, also in place of a URL's question mark",
                help:
                    "to mean the question mark itself, write LIKE \(doubt.remedy ?? "\"\"") (in a TOML string in double "
                    + "quotes each backslash twice); or use BEGINSWITH")
        }
    }

    /// A condition may have 64 KiB.
    private static func shortened(_ text: String) -> String {
        text.utf8.count > 200 ? String(text.prefix(200)) + "…" : text
    }
}

// MARK: - Targets

extension ManifestReader {
    /// `[targets]`: a template a key.
    private mutating func readTargets(of table: CheckedTable, into app: inout App) {
        for member in reader.members("targets", of: table) ?? [] {
            guard case .string(let text) = member.value.content else {
                reader.report(
                    .wrongType, at: member.value.region, "a template is a string, found \(member.value.kind)",
                    help: "write it so: \(member.key) = \"https://clowntown.example/clowns/{clown}\"")
                continue
            }
            do {
                let template = try URITemplate(text)
                checkVariables(of: template, at: member.value.region)
                app.targets.append(
                    TargetTemplate(
                        name: member.key, template: template, location: location(member.value.region.begin)))
                places.targets.append(member.value.region)
            } catch {
                reader.report(error, inStringAt: member.value.region)
            }
        }
    }

    /// In conditions a variable is known by its key, so keys must differ from each other and from `$TARGET`.
    private mutating func checkVariables(of template: URITemplate, at region: SourceRegion) {
        var names = ["TARGET": "target"]
        var isOwn: Set<String> = []
        for name in template.variableNames {
            let key = URITemplate.variableKey(name)
            if let other = names[key] {
                let message =
                    isOwn.contains(key)
                    ? "`\(other)` and `\(name)` would both be $\(key) in conditions"
                    : "`\(name)` would be $TARGET in conditions, which is the whole identifier"
                reader.report(.duplicateValue, at: region, message, help: "rename one of the variables")
            } else {
                names[key] = name
                isOwn.insert(key)
            }
        }
    }
}

// MARK: - Schemes

extension ManifestReader {
    /// `schemes`: the URL schemes (RFC 3986, 3.1) whose identifiers are the app's.
    private mutating func readSchemes(of table: CheckedTable, into app: inout App) {
        var known: [String: SourceLocation] = [:]
        for scheme in unique(reader.strings("schemes", of: table) ?? [], of: "schemes") {
            guard let name = scheme.value.schemeName else {
                let rest = scheme.value.utf8.prefix { $0 != UInt8(ascii: ":") }
                reader.report(
                    .invalidValue, at: scheme.region,
                    "\(TOMLText.quoted(scheme.value)) is not the name of a URL scheme",
                    help: String(Substring(rest)).schemeName.map {
                        "write it without the colon: \(TOMLText.quoted($0))"
                    }
                        ?? "it begins with a letter and has letters, digits, `+`, `-` and `.`: schemes = [\"clowntown\"]"
                )
                continue
            }
            guard name != "http", name != "https" else {
                reader.report(
                    .invalidValue, at: scheme.region, "`\(name)` is the scheme of all web addresses: no app can own it",
                    help: "name the app's hosts: domains = [\"clowntown.example\"]")
                continue
            }
            if let first = known[name] {
                reader.report(
                    .duplicateValue, at: scheme.region, "\(TOMLText.quoted(scheme.value)) is in `schemes` twice",
                    help: "schemes have no case", related: first)
                continue
            }
            known[name] = location(scheme.region.begin)
            app.schemes.append(Located(name, at: location(scheme.region.begin)))
            places.schemes.append(Spanned(value: name, region: scheme.region))
        }
    }
}

extension String {
    /// The name of a scheme in lower case; nil for what is none.
    var schemeName: String? {
        let bytes = Array(utf8)
        guard TargetContentIdentifier.isScheme(bytes[...]) else { return nil }
        return String(decoding: bytes.map { $0.lowercasedASCII }, as: UTF8.self)
    }
}

extension TableReader {
    mutating func report(_ error: URITemplateError, inStringAt region: SourceRegion) {
        report(
            .template(error.code), at: self.region(ofBytes: error.offset, count: 1, inStringAt: region),
            error.message, help: error.hint)
    }
}
