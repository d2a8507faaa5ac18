import UsherJSON
import UsherPayload
import UsherPredicate
import UsherScene
internal import UsherSystem
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
    var places = Places()

    struct IncludedFile: Sendable {
        /// As the manifest names it.
        var name: String
        var bytes: [UInt8]
        /// The text of the file, from which the places in diagnostics are found.
        var source: SourceFile?
        var diagnostics: [ConfigurationDiagnostic] = []
    }

    struct Places: Sendable {
        var id: SourceRegion?
        var topics: [Placed<String>] = []
        var domains: [Placed<String>] = []
        var schemes: [Placed<String>] = []
        /// As the app's scenes and targets, one for one.
        var scenes: [SourceRegion] = []
        var targets: [SourceRegion] = []
    }

    init(file: SourceFile, folder: String, programs: ProgramSearch, kept: KeptManifests? = nil) {
        self.kept = kept
        self.reader = TableReader(file: file, schemas: ManifestSchema.all)
        self.folder = folder
        self.programs = programs
    }

    /// The app, as far as it could be read; nil when it has no usable id.
    mutating func read(_ members: [TOMLMember]) -> App? {
        let start = SourcePosition(line: 1, column: 1)
        let table = reader.check(members, ManifestSchema.app, region: SourceRegion(begin: start, end: start))
        let id = identifier(of: table)
        var app = App(
            id: id?.value ?? "", name: id?.value ?? "", location: location(id?.region.begin ?? start))
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

    private func located<Value>(_ placed: Placed<Value>) -> Located<Value> {
        Located(placed.value, at: location(placed.region.begin))
    }

    private mutating func identifier(of table: CheckedTable) -> Placed<String>? {
        guard let id = reader.string("id", of: table) else { return nil }
        let isPlain = id.value.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isPlain else {
            reader.report(
                .invalidValue, at: id.region, "an app's id has letters, digits, `.`, `-` and `_` only",
                help: "in reverse-DNS form: id = \"example.clowntown\"")
            return nil
        }
        return id
    }

    /// Reports empty and repeated strings of a list, and gives the others.
    mutating func unique(_ strings: [Placed<String>], of key: String) -> [Placed<String>] {
        var first: [[UInt8]: SourceRegion] = [:]
        return strings.filter { string in
            if string.value.isEmpty {
                reader.report(.invalidValue, at: string.region, "`\(key)` must not have an empty string")
                return false
            }
            if let place = first.updateValue(string.region, forKey: Array(string.value.utf8)) {
                first[Array(string.value.utf8)] = place
                reader.report(
                    .duplicateValue, at: string.region, "\(TOMLText.quoted(string.value)) is in `\(key)` twice",
                    related: location(place.begin))
                return false
            }
            return true
        }
    }

    private mutating func readDomains(of table: CheckedTable, into app: inout App) {
        for domain in unique(reader.strings("domains", of: table) ?? [], of: "domains") {
            let text = domain.value.loweringHost()
            if text.isHostWithPath {
                app.domains.append(Located(text, at: location(domain.region.begin)))
                places.domains.append(Placed(value: text, region: domain.region))
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
        let small = host.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
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
    private mutating func readScenes(of table: CheckedTable, into app: inout App) {
        var first: [[UInt8]: SourceLocation] = [:]
        for element in reader.tables("scenes", of: table) {
            let scene = reader.check(element.value, ManifestSchema.scene, region: element.region)
            guard let name = reader.string("name", of: scene) else {
                // Its other mistakes are worth saying all the same.
                _ = configuration(named: "", of: scene, in: app)
                continue
            }
            if let place = first[Array(name.value.utf8)] {
                reader.report(
                    .duplicateScene, at: name.region, "there are two scenes named \(TOMLText.quoted(name.value))",
                    help: "give one of them another name", related: place)
                continue
            }
            first[Array(name.value.utf8)] = location(name.region.begin)
            app.scenes.append(configuration(named: name.value, of: scene, in: app))
            places.scenes.append(element.region)
        }
    }

    private mutating func configuration(
        named name: String, of table: CheckedTable, in app: App
    ) -> SceneConfiguration {
        var scene = SceneConfiguration(name: name, location: location(table.region.begin))
        readRole(of: table, into: &scene)
        let template = target(of: table, in: app)
        scene.target = template?.name
        scene.opens = condition("opens", of: table) { text throws(PredicateError) in
            try ScenePredicate(parsing: text)
        }
        let variables = SessionVariables(
            template: template, targets: app.targets, isTemplateUnknown: table.written.contains("target"))
        scene.canActivate = sessionCondition("can", of: table, variables)
        scene.prefersToActivate = sessionCondition("prefers", of: table, variables)
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
        if let meant = Suggestion.closest(to: role.value, among: [SceneRole.windowApplication.rawValue]),
            meant != role.value
        {
            reader.report(
                .invalidValue, at: role.region, "there is no role \(TOMLText.quoted(role.value))",
                help: "did you mean \(TOMLText.quoted(meant))?")
        }
    }

    private mutating func target(of table: CheckedTable, in app: App) -> TargetTemplate? {
        guard let name = reader.string("target", of: table) else { return nil }
        if let template = app.targets.first(where: { $0.name.utf8.elementsEqual(name.value.utf8) }) { return template }
        let names = app.targets.map(\.name)
        let help: String
        if let meant = Suggestion.closest(to: name.value, among: names) {
            help = "did you mean \(TOMLText.quoted(meant))?"
        } else if names.isEmpty {
            help = "declare it under [targets]: \(name.value) = \"https://clowntown.example/clowns/{clown}\""
        } else {
            help = "[targets] has " + names.map(TOMLText.quoted).joined(separator: ", ")
        }
        reader.report(
            .unknownTarget, at: name.region, "[targets] has no template named \(TOMLText.quoted(name.value))",
            help: help)
        return nil
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
        condition(key, of: table, variables) { text throws(PredicateError) in
            do throws(PredicateError) {
                return try ScenePredicateTemplate(parsing: text, variables: variables.known(in: text))
            } catch {
                throw variables.leadingToTemplate(error)
            }
        }
    }

    private mutating func condition<Predicate>(
        _ key: String, of table: CheckedTable, _ variables: SessionVariables? = nil,
        parse: (String) throws(PredicateError) -> Predicate
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
            return predicate
        } catch {
            reader.report(
                .predicate(error.code),
                at: reader.region(ofBytes: error.offset, count: error.length, inStringAt: text.region), error.message,
                help: error.hint)
            return nil
        }
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
                reader.report(
                    .template(error.code.rawValue),
                    at: reader.region(ofBytes: error.offset, count: 1, inStringAt: member.value.region),
                    error.message, help: error.hint)
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
                reader.report(.duplicateVariable, at: region, message, help: "rename one of the variables")
            } else {
                names[key] = name
                isOwn.insert(key)
            }
        }
    }
}

// MARK: - Association

extension ManifestReader {
    /// `site-association`: a file that says which addresses of the app's `domains` are the app's.
    private mutating func readAssociation(of table: CheckedTable, into app: inout App) {
        guard let member = table.members["site-association"] else { return }
        var name = reader.string("site-association", of: table)
        var appID: Placed<String>?
        if let members = reader.members("site-association", of: table) {
            let inner = reader.check(members, ManifestSchema.association, region: member.keyRegion)
            name = reader.string("file", of: inner)
            appID = reader.string("app-id", of: inner)
        }
        guard let name else { return }
        if !table.written.contains("domains") {
            reader.report(
                .associationWithoutDomains, at: member.keyRegion,
                "`site-association` needs `domains`: an association file does not name the hosts that serve it",
                help: "add the hosts: domains = [\"clowntown.example\"]")
        }
        let bytes: [UInt8]
        do {
            bytes = try FileSystem.read(
                FilePath.resolve(name.value, from: folder), limit: ConfigurationLoader.maximumFileSize,
                insteadFrom: kept)
        } catch {
            let reason =
                switch error {
                case .notFound: "there is no such file"
                case .notAFile: "it is not a file"
                case .tooLarge: "it has more than \(ConfigurationLoader.maximumFileSize) bytes"
                case .system(let text): text
                }
            reader.report(
                .associationUnreadable, at: name.region, "\(TOMLText.quoted(name.value)) cannot be read: \(reason)",
                help: "the path is relative to the manifest's folder")
            return
        }
        let source = SourceFile(
            path: FilePath.resolve(name.value, from: FilePath.parent(of: reader.file.path)), bytes: bytes)
        var association = AssociationReader(file: source)
        association.read(bytes)
        includedFiles.append(
            IncludedFile(name: name.value, bytes: bytes, source: source, diagnostics: association.diagnostics))
        let isBroken = association.diagnostics.contains { $0.severity == .error }
        let entries = association.entries.filter { entry in entry.appIDs.contains { isOurs($0, app, appID?.value) } }
        if entries.isEmpty, !isBroken {
            reportNoEntry(of: association.entries.flatMap(\.appIDs), app, at: appID ?? name, file: name.value)
        }
        let rules = entries.flatMap(\.rules)
        let size = rules.reduce(0) { $0 + $1.size }
        if size > ManifestReader.maximumAssociationSize {
            reader.report(
                .associationTooComplex, at: name.region,
                "the patterns of \(TOMLText.quoted(name.value)) have \(size) steps: more than "
                    + "\(ManifestReader.maximumAssociationSize) take too long",
                help: "use fewer values with wildcards in substitution variables")
            return
        }
        app.association = SiteAssociation(path: source.path, rules: rules)
    }

    /// Steps of all patterns for each byte of an identifier.
    private static let maximumAssociationSize = 1_000_000

    /// An id of the file is the app's where what follows its prefix is the app's id, or one of its topics.
    private func isOurs(_ id: String, _ app: App, _ wanted: String?) -> Bool {
        if let wanted { return id.utf8.elementsEqual(wanted.utf8) }
        let name = id.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst()
        return name.elementsEqual(app.id.utf8) || app.topics.contains { $0.utf8.elementsEqual(name) }
    }

    private mutating func reportNoEntry(of ids: [String], _ app: App, at place: Placed<String>, file: String) {
        var known: [String] = []
        for id in ids where !known.contains(id) && known.count < 8 { known.append(id) }
        let close =
            known.first { isOurs($0, app, nil) } ?? Suggestion.closest(to: "ABCDE12345." + app.id, among: known)
            ?? known.first
        reader.report(
            .associationNoEntry, at: place.region,
            "\(TOMLText.quoted(file)) has no entry for \(place.value == file ? app.id : place.value)"
                + (known.isEmpty ? "" : ": its apps are \(known.joined(separator: ", "))"),
            help: close.map {
                "where one of them is meant, name it: "
                    + "site-association = { file = \(TOMLText.quoted(file)), app-id = \(TOMLText.quoted($0)) }"
            } ?? "add an entry to `details` whose `appIDs` has \(TOMLText.quoted("ABCDE12345." + app.id))")
    }
}

// MARK: - Continuation

/// How an app takes user activities: its versions, and the handlers of `[handlers]` that are about them.
extension ManifestReader {
    private mutating func readVersions(of table: CheckedTable, into app: inout App) {
        if let version = reader.string("version", of: table) {
            if DottedVersion(version.value) == nil {
                reader.report(
                    .invalidValue, at: version.region,
                    "`version` is numbers with dots between them, found \(TOMLText.quoted(version.value))",
                    help: "write it so: version = \"2.1\"; activities of other versions are compared with it")
            } else {
                app.continuation.version = located(version)
            }
        }
        if let schema = reader.integer("activity-schema", of: table, in: 0...1_000_000_000) {
            app.continuation.schemaVersion = located(schema)
        }
        if let newer = reader.choice("newer", of: table, as: Continuation.Newer.self) {
            app.continuation.newer = newer
            if let member = table.members["newer"], !table.namesVersion {
                reader.warn(
                    .noEffect, at: member.keyRegion, "`newer` has no effect: the manifest names no version",
                    help: "add `version` or `activity-schema`, which an activity's are compared with")
            }
        }
    }

    /// - Parameter app: the manifest itself.
    mutating func readContinuation(
        of handlers: CheckedTable, in app: CheckedTable, into continuation: inout Continuation
    ) {
        continuation.willContinue = tellingHandler("will-continue", of: handlers, ManifestSchema.continuation)
        continuation.continue = tellingHandler("continue", of: handlers, ManifestSchema.continuation)
        continuation.didFail = tellingHandler("did-fail", of: handlers, ManifestSchema.continuation)
        continuation.save = handler("save", of: handlers)
        continuation.upgrade = handler("upgrade", of: handlers)
        if let member = handlers.members["will-continue"], !handlers.written.contains("continue") {
            reader.warn(
                .noEffect, at: member.keyRegion,
                "`will-continue` announces an activity that nothing continues: there is no `continue`",
                help: "add a line such as: continue = { exec = [\"clowntown-continue\"] }")
        }
        if let member = handlers.members["upgrade"], !app.namesVersion {
            reader.warn(
                .noEffect, at: member.keyRegion, "`upgrade` has no effect: the manifest names no version",
                help: "add `version` or `activity-schema`: an activity that is older is given to it")
        }
        let commands = [
            ("will-continue", continuation.willContinue?.command), ("did-fail", continuation.didFail?.command),
            ("save", continuation.save), ("upgrade", continuation.upgrade),
        ]
        for (key, command) in commands where command?.retry != nil {
            reader.report(
                .noEffect, at: handlers.members[key]?.keyRegion ?? handlers.region,
                "`\(key)` is run once for each try of the whole: `retry` has no effect there",
                help: "put retry into the `continue` table")
        }
    }
}

extension CheckedTable {
    /// Whether a manifest says which version of its app it is for.
    fileprivate var namesVersion: Bool { written.contains("version") || written.contains("activity-schema") }
}

// MARK: - Shortcuts

extension ManifestReader {
    private mutating func readShortcuts(of table: CheckedTable, into app: inout App) {
        var first: [[UInt8]: SourceLocation] = [:]
        for element in reader.tables("shortcuts", of: table) {
            let shortcut = reader.check(element.value, ManifestSchema.shortcut, region: element.region)
            let type = reader.string("type", of: shortcut)
            let title = reader.string("title", of: shortcut)
            var definition = ShortcutDefinition(
                type: type?.value ?? "", title: title?.value ?? "", location: location(element.region.begin))
            definition.subtitle = reader.string("subtitle", of: shortcut)?.value
            definition.icon = reader.string("icon", of: shortcut).map { ShortcutIcon(manifest: $0.value) }
            definition.target = target("target-content-id", of: shortcut)
            definition.userInfo = userInfo(of: shortcut)
            guard let type, title != nil else { continue }
            if let place = first[Array(type.value.utf8)] {
                reader.report(
                    .duplicateShortcut, at: type.region,
                    "there are two shortcuts of type \(TOMLText.quoted(type.value))",
                    help: "a shortcut is asked for by its type: give one of them another", related: place)
                continue
            }
            first[Array(type.value.utf8)] = location(type.region.begin)
            app.shortcuts.append(definition)
        }
    }

    /// A target content identifier: not empty, and not longer than one may be.
    mutating func target(_ key: String, of table: CheckedTable) -> TargetContentIdentifier? {
        guard let text = reader.string(key, of: table) else { return nil }
        guard text.value.utf8.count <= TargetContentIdentifier.maximumLength else {
            reader.report(
                .invalidValue, at: text.region,
                "an identifier has at most \(TargetContentIdentifier.maximumLength) bytes")
            return nil
        }
        return TargetContentIdentifier(text.value)
    }

    private mutating func userInfo(of table: CheckedTable) -> String? {
        guard let members = reader.members("user-info", of: table), let member = table.members["user-info"] else {
            return nil
        }
        do {
            return try JSONText.object(members, region: member.value.region)
        } catch {
            reader.report(
                .invalidValue, at: error.region, "`user-info` is handed over as JSON, which cannot have \(error.kind)",
                help: "put it in quotes")
            return nil
        }
    }
}

// MARK: - Notifications

/// How an app's notifications are delivered and look: `deliver` and `[notifications]`.
extension ManifestReader {
    private mutating func readNotifications(of table: CheckedTable, into app: inout App) {
        var settings = NotificationSettings()
        if let deliver = deliveryRule(of: table) { settings.deliver = deliver }
        settings.rate = rate(of: table, settings.deliver)
        settings.quiet = reader.quietRule(of: table)
        if let member = table.members["notifications"], let members = reader.members("notifications", of: table) {
            let own = reader.check(members, ManifestSchema.notifications, region: member.keyRegion)
            readLooks(of: own, into: &settings)
            readCategories(of: own, into: &settings)
            if !settings.quiet.acts.values.contains(.notify),
                !DeliveryRule.Level.allCases.contains(where: { settings.deliver.delivery(of: $0) == .notify })
            {
                reader.warn(
                    .noEffect, at: member.keyRegion,
                    "`notifications` has no effect: this app's notifications are never shown",
                    help: "say deliver = \"notify\", and they are shown first")
            }
        }
        app.notifications = settings
    }

    /// `deliver = "notify"`, or a table by interruption level.
    private mutating func deliveryRule(of table: CheckedTable) -> DeliveryRule? {
        guard let member = table.members["deliver"] else { return nil }
        guard let members = reader.members("deliver", of: table) else {
            return reader.choice("deliver", of: table, as: DeliveryRule.Delivery.self).map { DeliveryRule($0) }
        }
        let own = reader.check(members, ManifestSchema.delivery, region: member.keyRegion)
        var rule = DeliveryRule(reader.choice("default", of: own, as: DeliveryRule.Delivery.self) ?? .tapped)
        for level in DeliveryRule.Level.allCases {
            guard let delivery = reader.choice(level.rawValue, of: own, as: DeliveryRule.Delivery.self) else {
                continue
            }
            if level == .passive, delivery == .tapped, let place = own.members[level.rawValue] {
                reader.report(
                    .invalidValue, at: place.value.region,
                    "a passive notification does not interrupt the user: its window cannot come forward by itself",
                    help: "say passive = \"notify\" or passive = \"none\"")
                rule.levels[level] = .notify
                continue
            }
            rule.levels[level] = delivery
        }
        return rule
    }

    /// `rate = { limit = 5, per = "1m" }`.
    private mutating func rate(of table: CheckedTable, _ deliver: DeliveryRule) -> InterruptionRate? {
        guard let member = table.members["rate"], let members = reader.members("rate", of: table) else { return nil }
        let own = reader.check(members, ManifestSchema.rate, region: member.keyRegion)
        let limit = reader.integer("limit", of: own, in: 1...10_000)
        let time = reader.duration("per", of: own)
        if DeliveryRule.Level.allCases.allSatisfy({ deliver.delivery(of: $0) == .none }) {
            reader.warn(
                .noEffect, at: member.keyRegion, "`rate` has no effect: this app's pushes never interrupt",
                help: "`deliver` says \"none\" for all of them")
        }
        guard let limit, let time else { return nil }
        return InterruptionRate(limit: limit.value, milliseconds: time)
    }

    private mutating func readLooks(of table: CheckedTable, into settings: inout NotificationSettings) {
        if let icon = reader.string("icon", of: table) {
            // A name has no slash (Icon Naming Specification).
            settings.icon =
                icon.value.utf8.contains(UInt8(ascii: "/")) ? FilePath.resolve(icon.value, from: folder) : icon.value
        }
        settings.image = reader.string("image", of: table).map { FilePath.resolve($0.value, from: folder) }
        if let entry = reader.string("desktop-entry", of: table) {
            if entry.value.utf8.contains(UInt8(ascii: "/")) {
                reader.report(
                    .invalidValue, at: entry.region, "a desktop entry is named by its id, not by its path",
                    help: "as in desktop-entry = \"org.gnome.TextEditor\"")
            } else {
                let isWhole = entry.value.hasSuffix(".desktop") && entry.value != ".desktop"
                settings.desktopEntry = isWhole ? String(entry.value.dropLast(8)) : entry.value
            }
        }
        settings.isSilent = reader.boolean("silent", of: table)?.value ?? false
        if let sound = reader.string("sound", of: table) {
            settings.sound = sound.value
            if settings.isSilent {
                reader.report(
                    .noEffect, at: sound.region, "`sound` has no effect: the notifications are silent",
                    help: "keep one of `sound` and `silent`")
            }
        }
        if let member = table.members["expires"], case .string("never") = member.value.content {
            settings.expires = 0
        } else if let expires = reader.duration("expires", of: table) {
            settings.expires = Int32(clamping: expires)
        }
    }

    private mutating func readCategories(of table: CheckedTable, into settings: inout NotificationSettings) {
        var first: [[UInt8]: SourceLocation] = [:]
        for element in reader.tables("categories", of: table) {
            let own = reader.check(element.value, ManifestSchema.notificationCategory, region: element.region)
            let id = reader.string("id", of: own)
            var category = NotificationCategory(id: id?.value ?? "", location: location(element.region.begin))
            category.desktopCategory = reader.string("desktop-category", of: own)?.value
            category.actions = actions(of: own)
            guard let id else { continue }
            if let place = first[Array(id.value.utf8)] {
                reader.report(
                    .duplicateValue, at: id.region,
                    "there are two categories with the id \(TOMLText.quoted(id.value))",
                    help: "a payload names one by `category`: give one of them another id", related: place)
                continue
            }
            first[Array(id.value.utf8)] = location(id.region.begin)
            settings.categories.append(category)
        }
    }

    private mutating func actions(of category: CheckedTable) -> [NotificationAction] {
        var first: [[UInt8]: SourceLocation] = [:]
        var actions: [NotificationAction] = []
        for element in reader.tables("actions", of: category) {
            let own = reader.check(element.value, ManifestSchema.notificationAction, region: element.region)
            let id = reader.string("id", of: own)
            let title = reader.string("title", of: own)
            var action = NotificationAction(
                id: id?.value ?? "", title: title?.value ?? "", location: location(element.region.begin))
            action.target = target("target-content-id", of: own)
            action.background = laneHandler("background", of: own)
            if let member = own.members["background"], own.written.contains("target-content-id") {
                reader.report(
                    .commandChoice, at: member.keyRegion,
                    "an action cannot have both `target-content-id` and `background`",
                    help: "with `background` no window comes forward; keep one of them")
            }
            guard let id, title != nil else { continue }
            if id.value == NotificationAction.click {
                reader.report(
                    .invalidValue, at: id.region, "`default` is the click on the notification itself",
                    help: "give the action another id; the click needs none: it goes to the payload's window")
                continue
            }
            if let place = first[Array(id.value.utf8)] {
                reader.report(
                    .duplicateValue, at: id.region, "there are two actions with the id \(TOMLText.quoted(id.value))",
                    help: "give one of them another id", related: place)
                continue
            }
            first[Array(id.value.utf8)] = location(id.region.begin)
            actions.append(action)
        }
        return actions
    }
}

// MARK: - Schemes

extension ManifestReader {
    /// `schemes`: the URL schemes (RFC 3986, 3.1) whose identifiers are the app's.
    private mutating func readSchemes(of table: CheckedTable, into app: inout App) {
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
            if let first = app.schemes.first(where: { $0.value == name }) {
                reader.report(
                    .duplicateValue, at: scheme.region, "\(TOMLText.quoted(scheme.value)) is in `schemes` twice",
                    help: "schemes have no case", related: first.location)
                continue
            }
            app.schemes.append(Located(name, at: location(scheme.region.begin)))
            places.schemes.append(Placed(value: name, region: scheme.region))
        }
    }
}

extension String {
    /// The name of a scheme in lower case; nil for what is none.
    fileprivate var schemeName: String? {
        let bytes = Array(utf8)
        guard TargetContentIdentifier.isScheme(bytes[...]) else { return nil }
        return String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }
}

// MARK: - Property list

extension ManifestReader {
    /// `info-plist`: its `UIApplicationShortcutItems` and `NSUserActivityTypes` join the app's. A shortcut of the manifest
    /// goes before one of the same type there.
    private mutating func readPropertyList(of table: CheckedTable, into app: inout App) {
        guard let (name, settingsName) = propertyListNames(of: table) else { return }
        let bytes: [UInt8]
        do {
            bytes = try FileSystem.read(
                FilePath.resolve(name.value, from: folder), limit: PropertyList.maximumSize, insteadFrom: kept)
        } catch {
            let reason =
                switch error {
                case .notFound: "there is no such file"
                case .notAFile: "it is not a file"
                case .tooLarge: "it has more than \(PropertyList.maximumSize) bytes"
                case .system(let text): text
                }
            reader.report(
                .propertyList, at: name.region, "\(TOMLText.quoted(name.value)) cannot be read: \(reason)",
                help: "the path is relative to the manifest's folder")
            return
        }
        let listPlace = includedFiles.count
        includedFiles.append(IncludedFile(name: name.value, bytes: bytes))
        let tree: JSONValue
        do {
            tree = try PropertyList.value(of: bytes)
        } catch {
            reader.report(
                .propertyList, at: name.region,
                "\(TOMLText.quoted(name.value)) is not a property list: \(error.message)",
                help: "convert it to XML or binary form: plutil -convert xml1 Info.plist")
            return
        }
        var settings = BuildSettings()
        if let settingsName, let read = buildSettings(settingsName) { settings = read }
        settings.setDefault("PRODUCT_BUNDLE_IDENTIFIER", app.id)
        let (expanded, unknown) = settings.expand(tree, used: InfoPropertyList.used)
        reportVariables(unknown, inFileAt: listPlace)
        let list = InfoPropertyList(reading: expanded)
        for error in list.errors {
            reader.report(
                .propertyList, at: name.region, "in \(name.value), \(error.pointer): \(error.message)", help: error.help
            )
        }
        for warning in list.warnings {
            reader.warn(
                .propertyList, at: name.region, "in \(name.value), \(warning.pointer): \(warning.message)",
                help: warning.help)
        }
        let place = location(name.region.begin)
        readVersion(of: list, name, table, into: &app)
        readSchemes(of: list, name, into: &app)
        for type in list.activityTypes
        where !app.activityTypes.contains(where: { $0.value.utf8.elementsEqual(type.utf8) }) {
            app.activityTypes.append(Located(type, at: place))
        }
        for item in list.shortcutItems
        where !app.shortcuts.contains(where: { $0.type.utf8.elementsEqual(item.type.utf8) }) {
            if item.localizedTitle?.isEmpty ?? true {
                reader.report(
                    .propertyList, at: name.region,
                    "in \(name.value): the title of \(TOMLText.quoted(item.type)) is empty")
            } else {
                app.shortcuts.append(ShortcutDefinition(item, at: place))
            }
        }
    }
}

extension ManifestReader {
    /// `info-plist = "Info.plist"`, or `{ file = "Info.plist", build-settings = "App.xcconfig" }`.
    private mutating func propertyListNames(
        of table: CheckedTable
    ) -> (file: Placed<String>, settings: Placed<String>?)? {
        guard let member = table.members["info-plist"] else { return nil }
        guard case .table = member.value.content, let members = reader.members("info-plist", of: table) else {
            return reader.string("info-plist", of: table).map { ($0, nil) }
        }
        let own = reader.check(members, ManifestSchema.infoPlist, region: member.keyRegion)
        guard let file = reader.string("file", of: own) else { return nil }
        return (file, reader.string("build-settings", of: own))
    }

    private mutating func buildSettings(_ name: Placed<String>) -> BuildSettings? {
        do {
            let bytes = try FileSystem.read(
                FilePath.resolve(name.value, from: folder), limit: PropertyList.maximumSize, insteadFrom: kept)
            includedFiles.append(IncludedFile(name: name.value, bytes: bytes))
            do throws(BuildSettings.Fault) {
                return try BuildSettings(reading: bytes)
            } catch {
                reader.report(.propertyList, at: name.region, "\(name.value):\(error.line): \(error.message)")
            }
        } catch {
            reader.report(
                .propertyList, at: name.region, "\(TOMLText.quoted(name.value)) cannot be read",
                help: "the path is relative to the manifest's folder")
        }
        return nil
    }

    /// Reports variables without a value, at their lines of the property list.
    ///
    /// - Parameter place: of the property list among the included files.
    private mutating func reportVariables(_ names: [String], inFileAt place: Int) {
        guard !names.isEmpty else { return }
        let file = includedFiles[place]
        // A binary property list has no lines.
        let isText = !file.bytes.starts(with: "bplist".utf8)
        let source = SourceFile(
            path: FilePath.resolve(file.name, from: FilePath.parent(of: reader.file.path)),
            bytes: isText ? file.bytes : [])
        includedFiles[place].source = source
        for name in names {
            let offset = ["$(\(name))", "${\(name)}"].compactMap { source.bytes.firstRange(of: Array($0.utf8)) }
                .min { $0.lowerBound < $1.lowerBound }
            let position = offset.map { source.position(of: $0.lowerBound) }
            includedFiles[place].diagnostics.append(
                ConfigurationDiagnostic(
                    .error, .propertyListVariable, path: source.path, location: position.map(source.location),
                    length: offset?.count ?? 1, message: "the variable \(TOMLText.quoted(name)) has no value",
                    help: "set it in a file of build settings: info-plist = { file = \(TOMLText.quoted(file.name)), "
                        + "build-settings = \"App.xcconfig\" }",
                    sourceLine: position.map { String(decoding: source.line($0.line), as: UTF8.self) }))
        }
    }

    /// The version and the number of windows. The manifest's own keys go before; where both are there and differ, that is
    /// a warning.
    private mutating func readVersion(
        of list: InfoPropertyList, _ file: Placed<String>, _ table: CheckedTable, into app: inout App
    ) {
        if let version = list.version {
            if let own = app.continuation.version {
                if DottedVersion(own.value) != DottedVersion(version) {
                    warnDifference("version", own.value, version, table, file)
                }
            } else if DottedVersion(version) == nil {
                reader.report(
                    .propertyList, at: file.region,
                    "in \(file.value): CFBundleShortVersionString is \(TOMLText.quoted(version)), not numbers with dots "
                        + "between them")
            } else {
                app.continuation.version = Located(version, at: location(file.region.begin))
            }
        }
        if let several = list.supportsMultipleScenes {
            if table.written.contains("multiple-scenes") {
                if several != app.multipleScenes {
                    warnDifference("multiple-scenes", "\(app.multipleScenes)", "\(several)", table, file)
                }
            } else {
                app.multipleScenes = several
            }
        }
    }

    private mutating func warnDifference(
        _ key: String, _ own: String, _ other: String, _ table: CheckedTable, _ file: Placed<String>
    ) {
        reader.warn(
            .propertyListDiffers, at: table.members[key]?.value.region ?? file.region,
            "`\(key)` is \(own) here and \(other) in \(file.value): \(own) counts",
            help: "remove one of them, or make them the same")
    }

    private mutating func readSchemes(of list: InfoPropertyList, _ file: Placed<String>, into app: inout App) {
        for scheme in list.schemes {
            guard let name = scheme.schemeName, name != "http", name != "https" else {
                reader.report(
                    .propertyList, at: file.region,
                    "in \(file.value): \(TOMLText.quoted(scheme)) of CFBundleURLTypes is not the name of a URL scheme")
                continue
            }
            if app.schemes.contains(where: { $0.value == name }) { continue }
            app.schemes.append(Located(name, at: location(file.region.begin)))
            places.schemes.append(Placed(value: name, region: file.region))
        }
    }
}

extension ShortcutDefinition {
    fileprivate init(_ item: ShortcutItem, at place: SourceLocation) {
        self.init(type: item.type, title: item.localizedTitle ?? "", location: place)
        subtitle = item.localizedSubtitle
        icon = item.icon
        target = item.targetContentIdentifier.map(TargetContentIdentifier.init)
        userInfo = item.userInfo.map { String(decoding: $0, as: UTF8.self) }
    }
}

// MARK: - Expectations

extension ManifestReader {
    /// `[[expect]]`: `scene` where a window is expected; without it `reason` says why there is none.
    private mutating func readExpectations(of table: CheckedTable, into app: inout App) {
        for element in reader.tables("expect", of: table) {
            let expectation = reader.check(element.value, ManifestSchema.expectation, region: element.region)
            let target = target("target", of: expectation)
            var open: [RouteExpectation.OpenScene] = []
            for element in reader.tables("open", of: expectation) {
                let window = reader.check(element.value, ManifestSchema.openScene, region: element.region)
                let target = self.target("target", of: window)
                guard let scene = sceneName("scene", of: window, in: app) else { continue }
                open.append(RouteExpectation.OpenScene(scene: scene, target: target))
            }
            let scene = sceneName("scene", of: expectation, in: app)
            let reason = reason(of: expectation)
            checkConsistency(of: expectation, reason: reason)
            app.expectations.append(
                RouteExpectation(
                    target: target, open: open, scene: scene, reason: reason,
                    location: location(element.region.begin)))
        }
    }

    private mutating func sceneName(_ key: String, of table: CheckedTable, in app: App) -> String? {
        guard let name = reader.string(key, of: table) else { return nil }
        if app.scene(named: name.value) != nil { return name.value }
        let names = app.scenes.map(\.name)
        let help: String
        if let meant = Suggestion.closest(to: name.value, among: names) {
            help = "did you mean \(TOMLText.quoted(meant))?"
        } else if name.value == "none" {
            help = "where no window is expected, leave `scene` out and say why: reason = \"no-scene\""
        } else {
            help = "there are " + names.map(TOMLText.quoted).joined(separator: ", ")
        }
        reader.report(
            .unknownScene, at: name.region, "there is no scene named \(TOMLText.quoted(name.value))",
            help: names.isEmpty && name.value != "none" ? "the manifest has no scenes" : help)
        return nil
    }

    /// The reasons that a manifest alone can lead to, with a window and without.
    private static let withScene: [Reason] = [.prefers, .can, .opens, .default, .single, .limit, .recent]
    private static let withoutScene: [Reason] = [.webFallback, .noScene, .noApp]

    private mutating func reason(of table: CheckedTable) -> Reason? {
        guard let text = reader.string("reason", of: table) else { return nil }
        let known = ManifestReader.withScene + ManifestReader.withoutScene
        if let reason = known.first(where: { $0.rawValue == text.value }) { return reason }
        if let reason = Reason(rawValue: text.value) {
            reader.report(
                .unknownReason, at: text.region, "a route test cannot lead to the reason \"\(reason.rawValue)\"",
                help: "it can lead to " + known.map { TOMLText.quoted($0.rawValue) }.joined(separator: ", "))
        } else {
            reader.report(
                .unknownReason, at: text.region, "there is no reason \(TOMLText.quoted(text.value))",
                help: TableReader.choices(known.map(\.rawValue), nearest: text.value))
        }
        return nil
    }

    private mutating func checkConsistency(of table: CheckedTable, reason: Reason?) {
        let hasScene = table.written.contains("scene")
        guard let reason else {
            if !hasScene, !table.written.contains("reason") {
                reader.report(
                    .missingKey, at: table.region, "an [[expect]] table must have `scene` or `reason`",
                    help: "say what is expected: scene = \"main\", or reason = \"no-scene\"")
            }
            return
        }
        let region = table.members["reason"]?.value.region ?? table.region
        if !hasScene, ManifestReader.withScene.contains(reason) {
            reader.report(
                .contradictoryExpectation, at: region, "with the reason \"\(reason.rawValue)\" there is a window",
                help: "say which: scene = \"main\"")
        } else if hasScene, ManifestReader.withoutScene.contains(reason) {
            reader.report(
                .contradictoryExpectation, at: region, "with the reason \"\(reason.rawValue)\" there is no window",
                help: "drop `scene`, or expect another reason")
        }
    }
}

// MARK: - Reachability

extension ManifestReader {
    /// Types are compared over all apps, so each has to be unique.
    private mutating func check(activityTypes types: [Placed<String>]) {
        for type in types where !type.value.utf8.contains(UInt8(ascii: ".")) {
            reader.warn(
                DiagnosticCode(ActivityLintCode.activityType.number, ActivityLintCode.activityType.rawValue),
                at: type.region,
                "the activity type \(TOMLText.quoted(type.value)) has no dot: another app may declare the same",
                help: "begin it with the app's id")
        }
    }

    /// Warns of rules that can never do what they say.
    private mutating func checkReachability(of app: App, sceneTables: Bool) {
        if !sceneTables, app.website?.value != true, let id = places.id {
            reader.warn(
                .noEffect, at: id, "the app has no scenes and no website: nothing can be opened",
                help: "add a [[scenes]] table, or website = true")
        }
        for (place, region) in zip(app.scenes.indices, places.scenes) {
            let scene = app.scenes[place]
            let creator = creator(insteadOf: place, in: app)
            let prefers = scene.prefersToActivate?.value.canonicalText
            guard isNever(scene.canActivate?.value.canonicalText), prefers == nil || isNever(prefers) else { continue }
            if isNever(scene.opens?.value.canonicalText) || creator != nil {
                let opens =
                    creator.map { "`\($0)`, which comes first, opens instead, and it can nothing" }
                    ?? "it opens for nothing, can nothing"
                reader.warn(
                    .sceneUnreachable, at: region,
                    "nothing ever leads to the scene \(TOMLText.quoted(scene.name)): \(opens) and prefers nothing",
                    help: "give it an `opens`, a `can` or a `prefers` that holds for something"
                )
            } else if scene.launch != nil {
                reader.warn(
                    .sceneAlwaysNew, at: region,
                    "each request for the scene \(TOMLText.quoted(scene.name)) makes a new window: its `can` is "
                        + "FALSEPREDICATE, and it has no `prefers`",
                    help: "to use its windows again, add prefers = 'SELF == $TARGET'")
            }
        }
        checkDomains(of: app)
        let acceptsAnything = app.scenes.contains { $0.opens == nil }
        guard !acceptsAnything, !app.scenes.isEmpty else { return }
        for (target, region) in zip(app.targets, places.targets) {
            if app.scenes.contains(where: { $0.target?.utf8.elementsEqual(target.name.utf8) ?? false }) { continue }
            let sample = TemplateSample.identifier(of: target.template)
            if app.scenes.contains(where: { $0.opens?.value.evaluate(sample) ?? false }) { continue }
            reader.report(
                .templateNeverOpened, at: region,
                "no scene opens what `\(target.name)` builds, such as \(TOMLText.quoted(sample))",
                help: "give a scene target = \(TOMLText.quoted(target.name)), or an `opens` that accepts it")
        }
    }

    /// Where several apps are configured, an identifier on a host that none of them has belongs to no app.
    private mutating func checkDomains(of app: App) {
        guard !app.domains.isEmpty else { return }
        for (target, region) in zip(app.targets, places.targets) {
            // A host with a variable in it may become one of the app's.
            guard let host = TargetContentIdentifier(target.template.text).webHost?.host,
                !host.utf8.contains(UInt8(ascii: "{")),
                !app.has(host: host)
            else {
                checkAssociation(of: target, region, app)
                continue
            }
            reader.warn(
                .templateWithoutOwner, at: region,
                "what `\(target.name)` builds is outside the app's `domains`: beside other apps, it belongs to none",
                help: "add \(TOMLText.quoted(host)) to `domains`")
        }
    }

    /// An association file may leave to the browser what the app's own backends build.
    private mutating func checkAssociation(of target: TargetTemplate, _ region: SourceRegion, _ app: App) {
        let sample = TemplateSample.identifier(of: target.template)
        switch app.verdict(on: TargetContentIdentifier(sample)) {
        case .included, nil: return
        case .excluded(let rule):
            reader.warn(
                .templateWithoutOwner, at: region,
                "what `\(target.name)` builds, such as \(TOMLText.quoted(sample)), is excluded by \(rule.summary)",
                help: "let a component before it include these, \(rule.location)")
        case .unmatched:
            // A sample has letters where the pattern may want digits: only a pattern that can never match is reported.
            let path = Array((TargetContentIdentifier(sample).webHost?.rest ?? "").utf8)
            let rules = app.association?.rules ?? []
            guard !rules.contains(where: { !$0.excludes && path.starts(with: $0.pathPrefix) }) else { return }
            reader.warn(
                .templateWithoutOwner, at: region,
                "what `\(target.name)` builds, such as \(TOMLText.quoted(sample)), matches no component of the app's "
                    + "association file", help: "add a component that includes these")
        }
    }

    private func isNever(_ condition: String?) -> Bool { condition == ScenePredicate.never.canonicalText }

    /// The scene before this one that opens for whatever this one would open for; nil if there is none.
    private func creator(insteadOf place: Int, in app: App) -> String? {
        let scene = app.scenes[place]
        return app.scenes[..<place].first { other in
            guard other.role == scene.role, !other.needsTarget || scene.needsTarget else { return false }
            guard let opens = other.opens else { return scene.opens == nil }
            return opens.value == .always
        }?.name
    }
}
