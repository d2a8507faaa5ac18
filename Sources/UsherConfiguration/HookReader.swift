import UsherHook
import UsherJSON
import UsherPayload
import UsherScene
import UsherTarget
import UsherText

/// Reads `[hooks.NAME]`.
extension SettingsReader {
    mutating func readHooks(of root: CheckedTable) {
        for member in reader.members("hooks", of: root) ?? [] {
            guard case .table(let members) = member.value.content else {
                reader.report(
                    .wrongType, at: member.value.region, "a hook is a table, found \(member.value.kind)",
                    help: "write it so: [hooks.reviews]")
                continue
            }
            let location = reader.file.location(member.keyRegion.begin)
            checkName(of: member)
            if let first = hookPlaces[member.key] {
                reader.report(
                    .hookName, at: member.keyRegion, "there are two hooks with the name \(TOMLText.quoted(member.key))",
                    help: "give one of them another name: it is the last part of its path", related: first)
                continue
            }
            hookPlaces[member.key] = location
            if let hook = readHook(member.key, members, region: member.keyRegion) { settings.hooks.append(hook) }
        }
    }

    /// A name is a part of a path, as it is.
    private mutating func checkName(of member: TOMLMember) {
        let isPlain = member.key.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard !isPlain || member.key.isEmpty || member.key.utf8.count > 64 || member.key == "." || member.key == ".."
        else { return }
        reader.report(
            .hookName, at: member.keyRegion, "\(TOMLText.quoted(member.key)) cannot be the name of a hook",
            help: "up to 64 letters, digits, `.`, `-` and `_`: senders post to /hooks/NAME")
    }

    /// A hook; nil where it has no signature that can be used, which has then been said.
    private mutating func readHook(_ name: String, _ members: [TOMLMember], region: SourceRegion) -> HookDefinition? {
        let table = reader.check(members, SettingsSchema.hook, region: region)
        let signature = readSignature(of: table)
        var hook = HookDefinition(name: name, signature: signature ?? .none, location: location(region))
        if let app = reader.string("app", of: table) {
            hook.app = app.value
            note(app: app)
        }
        if let each = reader.string("each", of: table, mayBeEmpty: true) { hook.each = reference(each) }
        hook.conditions = readConditions(of: table)
        hook.values = readValues(of: table, hasEach: hook.each != nil)
        let names = hook.values.map(\.name)
        hook.id = readIdentity(of: table, among: names)
        hook.target = readTarget(of: table, among: names)
        hook.title = text("title", of: table, among: names)
        hook.subtitle = text("subtitle", of: table, among: names)
        hook.body = text("body", of: table, among: names)
        hook.thread = text("thread", of: table, among: names)
        hook.collapse = text("collapse", of: table, among: names)
        hook.level = reader.choice("level", of: table, as: Notification.InterruptionLevel.self)
        if !["target", "title", "body"].contains(where: table.written.contains) {
            reader.report(
                .missingKey, at: region, "a hook needs a `target`, or at least a `title` or a `body`",
                help: "add a line such as: target = \"https://github.example/{+repo}/pull/{number}\"")
        }
        return signature == nil ? nil : hook
    }

    private mutating func readTarget(of table: CheckedTable, among names: [String]) -> URITemplate? {
        guard let text = reader.string("target", of: table) else { return nil }
        do {
            let template = try URITemplate(text.value)
            for name in template.variableNames where !names.contains(name) { reportUnknown(name, at: text, names) }
            return template
        } catch {
            reader.report(
                .template(error.code.rawValue),
                at: reader.region(ofBytes: error.offset, count: 1, inStringAt: text.region), error.message,
                help: error.hint)
            return nil
        }
    }

    private mutating func text(_ key: String, of table: CheckedTable, among names: [String]) -> HookText? {
        reader.string(key, of: table).map { checked($0, among: names) }
    }

    private mutating func checked(_ text: Placed<String>, among names: [String]) -> HookText {
        for place in Placeholders.occurrences(in: text.value) where !names.contains(place.name) {
            let region = reader.region(ofBytes: place.offset, count: place.count, inStringAt: text.region)
            reportUnknown(place.name, at: Placed(value: text.value, region: region), names)
        }
        return HookText(text.value)
    }

    private mutating func reportUnknown(_ name: String, at text: Placed<String>, _ names: [String]) {
        let help: String
        if let meant = Suggestion.closest(to: name, among: names) {
            help = "did you mean {\(meant)}?"
        } else if names.isEmpty {
            help = "say where it is: values = { \(name) = \"/pointer/to/it\" }"
        } else {
            help = "add it to `values`, which has \(names.map { "`\($0)`" }.joined(separator: ", "))"
        }
        reader.report(.hookTemplate, at: text.region, "there is no value `\(name)`", help: help)
    }

    private mutating func readValues(of table: CheckedTable, hasEach: Bool) -> [HookValue] {
        var values: [HookValue] = []
        for member in reader.members("values", of: table) ?? [] {
            let isName = member.key.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
                default: false
                }
            }
            guard isName, !member.key.isEmpty else {
                reader.report(
                    .invalidValue, at: member.keyRegion, "\(TOMLText.quoted(member.key)) cannot be used in templates",
                    help: "letters, digits and `_`")
                continue
            }
            switch member.value.content {
            case .string(let text):
                if let pointer = reference(Placed(value: text, region: member.value.region)) {
                    values.append(HookValue(name: member.key, place: .pointer(pointer)))
                }
            case .table(let members):
                let inner = reader.check(members, SettingsSchema.value, region: member.keyRegion)
                let fallback = reader.string("default", of: inner, mayBeEmpty: true)?.value
                if let place = place(in: inner, keys: ["pointer", "body-pointer", "header", "query"], named: "a value")
                {
                    values.append(HookValue(name: member.key, place: place, fallback: fallback))
                }
            default:
                reader.report(
                    .wrongType, at: member.value.region,
                    "a value is a JSON pointer or a table, found \(member.value.kind)",
                    help: "write it so: \(member.key) = \"/repository/full_name\"")
            }
        }
        return values
    }

    private mutating func readIdentity(of table: CheckedTable, among names: [String]) -> HookIdentity? {
        guard let member = table.members["id"], let members = reader.members("id", of: table) else { return nil }
        let inner = reader.check(members, SettingsSchema.identity, region: member.keyRegion)
        if inner.written.contains("template"), inner.written.count == 1 {
            return reader.string("template", of: inner).map { .template(checked($0, among: names)) }
        }
        return place(in: inner, keys: ["header", "pointer", "query", "template"], named: "`id`").map { .place($0) }
    }

    /// The one place that a table names.
    private mutating func place(in table: CheckedTable, keys: [String], named name: String) -> HookPlace? {
        let present = keys.filter(table.written.contains)
        guard present.count == 1, let key = present.first else {
            if present.isEmpty, table.hasUnknownKeys { return nil }
            let choices = keys.map { "`\($0)`" }.joined(separator: ", ")
            reader.report(
                .hookCondition,
                at: present.count < 2 ? table.region : table.members[present[1]]?.keyRegion ?? table.region,
                "\(name) needs one of \(choices)" + (present.isEmpty ? "" : ", and has \(present.count)"))
            return nil
        }
        guard let text = reader.string(key, of: table, mayBeEmpty: key.hasSuffix("pointer")) else { return nil }
        switch key {
        case "header": return headerName(text).map { .header($0) }
        case "query": return .query(text.value)
        case "body-pointer": return reference(text).map { .bodyPointer($0) }
        default: return reference(text).map { .pointer($0) }
        }
    }

    mutating func headerName(_ text: Placed<String>) -> String? {
        let isToken = text.value.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        if isToken { return text.value }
        reader.report(
            .invalidValue, at: text.region, "\(TOMLText.quoted(text.value)) cannot be the name of a header")
        return nil
    }

    mutating func reference(_ text: Placed<String>) -> JSONReference? {
        if let reference = JSONReference(text.value) { return reference }
        let isPath = !text.value.hasPrefix("/")
        let parts = text.value.split { $0 == "." || $0 == "[" || $0 == "]" || $0 == "$" }
        let guess = "/" + parts.joined(separator: "/")
        reader.report(
            .hookPointer, at: text.region, "\(TOMLText.quoted(text.value)) is no JSON pointer",
            help: isPath
                ? "it begins with a slash, and slashes part its names: \(TOMLText.quoted(guess))"
                : "`~` is written ~0, and a slash within a name ~1")
        return nil
    }
}

// MARK: - Conditions

extension SettingsReader {
    private mutating func readConditions(of hook: CheckedTable) -> [HookCondition] {
        var conditions: [HookCondition] = []
        for table in reader.tables("when", of: hook) {
            let inner = reader.check(table.value, SettingsSchema.condition, region: table.region)
            let place = place(in: inner, keys: ["header", "pointer", "query"], named: "a condition")
            let test = test(of: inner)
            guard let place, let test else { continue }
            let written = HookCondition(
                SettingsReader.bodyPlace(place), test, location: reader.file.location(table.region.begin))
            conditions.append(written)
        }
        return conditions
    }

    /// Conditions are about the whole body, also where there is `each`.
    private static func bodyPlace(_ place: HookPlace) -> HookPlace {
        if case .pointer(let reference) = place { .bodyPointer(reference) } else { place }
    }

    private mutating func test(of table: CheckedTable) -> HookCondition.Test? {
        let keys = ["equals", "in", "exists", "prefix"]
        let present = keys.filter(table.written.contains)
        guard present.count == 1 else {
            if present.isEmpty, table.hasUnknownKeys { return nil }
            let names = keys.map { "`\($0)`" }.joined(separator: ", ")
            reader.report(
                .hookCondition, at: table.region,
                "a condition needs one of \(names)" + (present.isEmpty ? "" : ", and has \(present.count)"))
            return nil
        }
        if let value = reader.boolean("exists", of: table) { return .exists(value.value) }
        if let prefix = reader.string("prefix", of: table) { return .prefix(prefix.value) }
        if let member = table.members["equals"] { return SettingsReader.constant(member.value).map { .equals([$0]) } }
        guard let member = table.members["in"], case .array(let elements) = member.value.content else { return nil }
        if elements.isEmpty {
            reader.report(
                .hookCondition, at: member.value.region, "nothing is in an empty list",
                help: "write it so: in = [\"opened\", \"reopened\"]")
        }
        var constants: [HookCondition.Constant] = []
        for element in elements {
            if let constant = SettingsReader.constant(element) {
                constants.append(constant)
            } else {
                reader.report(
                    .wrongType, at: element.region,
                    "`in` is a list of strings, integers or booleans, found \(element.kind)")
            }
        }
        return constants.count == elements.count ? .equals(constants) : nil
    }

    private static func constant(_ value: TOMLValue) -> HookCondition.Constant? {
        switch value.content {
        case .string(let text): .string(text)
        case .integer(let value): .integer(value)
        case .boolean(let value): .boolean(value)
        default: nil
        }
    }
}

// MARK: - Schema

extension SettingsSchema {
    static let hook = TableSchema(
        title: "a [hooks.NAME] table",
        keys: [
            KeySchema("app", .string, #"app = "example.reviews""#),
            KeySchema(
                "signature", .table, #"signature = { scheme = "github", secret-file = "github.secret" }"#,
                required: true),
            replays,
            KeySchema("when", .tables, #"when = [{ header = "X-GitHub-Event", equals = "pull_request" }]"#),
            KeySchema("each", .string, #"each = "/alerts""#),
            KeySchema("values", .anyTable, #"values = { repo = "/repository/full_name" }"#),
            KeySchema("id", .table, #"id = { header = "X-GitHub-Delivery" }"#),
            KeySchema("target", .string, #"target = "https://github.example/{+repo}/pull/{number}""#),
            KeySchema("title", .string, #"title = "{title}""#),
            KeySchema("subtitle", .string, #"subtitle = "{repo}""#),
            KeySchema("body", .string, #"body = "{summary}""#),
            KeySchema("level", .string, #"level = "time-sensitive""#),
            KeySchema("thread", .string, #"thread = "{repo}""#),
            KeySchema("collapse", .string, #"collapse = "{repo}-{number}""#),
        ])

    private static let header = KeySchema("header", .string, #"header = "X-GitHub-Event""#)
    private static let pointer = KeySchema("pointer", .string, #"pointer = "/action""#)
    private static let query = KeySchema("query", .string, #"query = "room""#)

    static let condition = TableSchema(
        title: "a condition",
        keys: [
            header, pointer, query,
            KeySchema("equals", .constant, #"equals = "opened""#),
            KeySchema("in", .constants, #"in = ["opened", "reopened"]"#),
            KeySchema("exists", .boolean, "exists = true"),
            KeySchema("prefix", .string, #"prefix = "v1.""#),
        ])

    static let value = TableSchema(
        title: "a value",
        keys: [
            header, pointer, query,
            KeySchema("body-pointer", .string, #"body-pointer = "/receiver""#),
            KeySchema("default", .string, #"default = """#),
        ])

    static let identity = TableSchema(
        title: "an `id` table",
        keys: [
            header, pointer, query,
            KeySchema("template", .string, #"template = "{repo}-{number}""#),
        ])
}
