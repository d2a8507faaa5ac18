import UsherJSON
import UsherPayload
import UsherScene
import UsherTarget
internal import UsherText

extension SettingsReader {
    /// A hook; nil where it has no signature that can be used, which has then been said.
    mutating func readHook(_ name: String, _ members: [TOMLMember], region: SourceRegion) -> HookDefinition? {
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
    mutating func place(in table: CheckedTable, keys: [String], named name: String) -> HookPlace? {
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
