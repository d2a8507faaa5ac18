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
            checkName(Spanned(value: member.key, region: member.keyRegion), of: "the name of a hook")
            if let first = hookPlaces[member.key] {
                reader.report(
                    .hookName, at: member.keyRegion, "there are two hooks with the name \(TOMLText.quoted(member.key))",
                    help: "give one of them another name; several hooks may share a `path`", related: first)
                continue
            }
            hookPlaces[member.key] = location
            let errors = reader.errorCount
            guard let hook = readHook(member.key, members, region: member.keyRegion) else { continue }
            settings.hooks.append(hook)
            // What it takes is known when it can be read.
            guard reader.errorCount == errors else { continue }
            let earlier = pathHooks[hook.path] ?? []
            if let first = earlier.first(where: { $0.takesAll(of: hook) }) {
                reader.warn(
                    .shadowed, at: member.keyRegion,
                    "no event reaches this hook: \(TOMLText.quoted(first.name)) has the same path, comes first, and takes all "
                        + "that this one would take",
                    help: "put the hook with more conditions (`when`) first, or give one of them another `path`",
                    related: first.location)
            }
            // A few are compared with all; more would take the square of their number.
            if earlier.count < 64 { pathHooks[hook.path, default: []].append(hook) }
        }
    }

    /// A name and a path are a part of a URL, as they are.
    private mutating func checkName(_ name: Spanned<String>, of what: String) {
        let isPlain = name.value.utf8.allSatisfy { $0.isASCIILetterOrDigit || ".-_".utf8.contains($0) }
        guard
            !isPlain || name.value.isEmpty || name.value.utf8.count > 64 || name.value == "." || name.value == ".."
        else { return }
        reader.report(
            .hookName, at: name.region, "\(TOMLText.quoted(name.value)) cannot be \(what)",
            help: "up to 64 letters, digits, `.`, `-` and `_`: senders post to /hooks/NAME")
    }

    /// A hook; nil where it has no signature that can be used, which has then been said.
    private mutating func readHook(_ name: String, _ members: [TOMLMember], region: SourceRegion) -> HookDefinition? {
        let table = reader.check(members, SettingsSchema.hook, region: region)
        let path = reader.string("path", of: table)
        if let path { checkName(path, of: "the path of a hook") }
        let signature = readSignature(of: table, path: path?.value ?? name, region: region)
        var hook = HookDefinition(name: name, signature: signature ?? .none, location: location(region))
        hook.path = path?.value ?? name
        hook.folder = folder
        if let vendor = hook.signature.vendor { hook.takeDefaults(of: vendor) }
        readInput(of: table, into: &hook)
        hook.conditions = readConditions("when", of: table).map { $0.inWholeBody }
        hook.each = readEach(of: table)
        hook.values = readValues(reader.members("values", of: table) ?? [])
        readTemplates(of: table, into: &hook)
        hook.run = readRun(of: table, names: hook.values.map(\.name))
        hook.answers = readAnswers(of: table) + hook.answers
        readReplies(of: table, into: &hook)
        hook.expectations = readExpectations(of: table, hook)
        if !["target", "title", "body", "run", "answers"].contains(where: table.written.contains) {
            reader.report(
                .missingKey, at: region, "a hook needs a `target`, or at least a `title`, a `body` or a `run`",
                help: "add a line such as: target = \"https://github.example/{+repo}/pull/{number}\"")
        }
        return signature == nil ? nil : hook
    }

    /// The signature of a hook; the later hooks of a path have that of the first.
    private mutating func readSignature(
        of table: CheckedTable, path: String, region: SourceRegion
    ) -> HookSignature? {
        let earlier = pathSignatures[path]
        guard table.written.contains("signature") else {
            if let replays = table.members["replays"] {
                reader.report(
                    .noEffect, at: replays.keyRegion, "`replays` has no effect without `signature`",
                    help: "write it in the first hook of the path")
            }
            if let earlier { return earlier }
            return reader.refuse(
                .missingKey, at: region, "a [hooks.NAME] table must have `signature`",
                help: "add a line such as: signature = { scheme = \"github\", secret-file = \"github.secret\" }")
        }
        guard let signature = readSignature(of: table) else { return nil }
        if let earlier, earlier != signature {
            return reader.refuse(
                .hookSignature, at: table.members["signature"]?.keyRegion ?? region,
                "the hooks at /hooks/\(path) have different signatures",
                help: "leave `signature` out here: the first hook of the path has it for all of them")
        }
        pathSignatures[path] = signature
        return signature
    }

    private mutating func readInput(of table: CheckedTable, into hook: inout HookDefinition) {
        guard let member = table.members["input"], case .array(let elements) = member.value.content else { return }
        var input: [HookInput] = []
        for element in elements {
            switch element.content {
            case .string("json"): input.append(.json)
            case .string("form"): input.append(.form)
            case .string("query"): input.append(.query)
            case .table(let members):
                let inner = reader.check(members, SettingsSchema.formInput, region: element.region)
                if let field = reader.string("form-json", of: inner) { input.append(.formJSON(field: field.value)) }
            default:
                let text = if case .string(let text) = element.content { text } else { "" }
                reader.report(
                    .invalidValue, at: element.region, "this is no input of a hook",
                    help: Spelling.help(text, among: ["json", "form", "query"]) {
                        "it can be \"json\", \"form\", \"query\" or { form-json = \"payload\" }"
                    })
            }
        }
        if elements.isEmpty {
            reader.report(
                .invalidValue, at: member.value.region, "a hook without input accepts nothing",
                help: "write it so: input = [\"json\"]")
        }
        if !input.isEmpty { hook.input = input }
    }

    private mutating func readEach(of table: CheckedTable) -> HookElements? {
        guard let inner = reader.table("each", of: table, SettingsSchema.each) else {
            return reader.string("each", of: table, mayBeEmpty: true).flatMap { reference($0) }.map { HookElements($0) }
        }
        let pointer = reader.string("pointer", of: inner, mayBeEmpty: true)
        let conditions = readConditions("when", of: inner)
        return pointer.flatMap { reference($0) }.map { HookElements($0, conditions: conditions) }
    }

    // MARK: Templates

    private mutating func readTemplates(of table: CheckedTable, into hook: inout HookDefinition) {
        let names = hook.values.map(\.name)
        hook.id = readIdentity(of: table, among: names)
        hook.target = readTarget(of: table, among: names)
        hook.title = text("title", of: table, among: names)
        hook.subtitle = text("subtitle", of: table, among: names)
        hook.body = text("body", of: table, among: names)
        hook.thread = text("thread", of: table, among: names)
        hook.collapse = text("collapse", of: table, among: names)
        hook.session = text("session", of: table, among: names)
        hook.app = text("app", of: table, among: names)
        if let app = hook.app, app.names.isEmpty, let member = table.members["app"] {
            apps.append(Spanned(value: app.expand([:]), region: member.value.region))
        }
        if hook.app == nil, !table.written.contains("run"), let target = hook.target,
            let member = table.members["target"]
        {
            targets.append(Spanned(value: target.text, region: member.value.region))
        }
        hook.level = text("level", of: table, among: names)
        if let level = hook.level, level.names.isEmpty {
            _ = reader.choice("level", of: table, as: Notification.InterruptionLevel.self)
        }
        hook.expires = text("expires", of: table, among: names)
        if let expires = hook.expires, expires.names.isEmpty, let member = table.members["expires"] {
            let isNumber = !expires.text.isEmpty && expires.text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            if !isNumber, InternetDate.secondsSince1970(expires.text) == nil {
                reader.report(
                    .invalidValue, at: member.value.region, "`expires` is no number of seconds and no date",
                    help: "seconds from now, or a date of RFC 3339: expires = \"3600\"")
            }
        }
    }

    private mutating func readTarget(of table: CheckedTable, among names: [String]) -> URITemplate? {
        guard let text = reader.string("target", of: table) else { return nil }
        do {
            let template = try URITemplate(text.value)
            for name in template.variableNames where !names.contains(name) {
                reportUnknown(name, at: text.region, names)
            }
            return template
        } catch {
            reader.report(error, inStringAt: text.region)
            return nil
        }
    }

    private mutating func text(_ key: String, of table: CheckedTable, among names: [String]) -> HookText? {
        reader.string(key, of: table).map { checked($0, among: names) }
    }

    private mutating func checked(_ text: Spanned<String>, among names: [String], hasGroups: Bool = false) -> HookText {
        for place in Placeholders.occurrences(in: text.value, hasGroups: hasGroups) where !names.contains(place.name) {
            let region = reader.region(ofBytes: place.offset, count: place.count, inStringAt: text.region)
            reportUnknown(place.name, at: region, names)
        }
        reader.warn(ofDoubled: names, in: text, .hookTemplate)
        return HookText(text.value, hasGroups: hasGroups)
    }

    private mutating func reportUnknown(_ name: String, at region: SourceRegion, _ names: [String]) {
        let help: String
        if let meant = names.first(where: { $0 == "value." + name }) ?? Spelling.closest(to: name, among: names) {
            help = "did you mean {\(meant)}?"
        } else if names.isEmpty {
            help = "say where it is: values = { \(name) = \"/pointer/to/it\" }"
        } else {
            help = "add it to `values`, which has \(names.map { "`\($0)`" }.joined(separator: ", "))"
        }
        reader.report(.hookTemplate, at: region, "there is no value `\(name)`", help: help)
    }

    private mutating func readIdentity(of table: CheckedTable, among names: [String]) -> HookIdentity? {
        guard let inner = reader.table("id", of: table, SettingsSchema.identity) else { return nil }
        if inner.written.contains("template"), inner.written.count == 1 {
            return reader.string("template", of: inner).map { .template(checked($0, among: names)) }
        }
        return place(in: inner, keys: ["header", "pointer", "query", "template"], named: "`id`").map { .place($0) }
    }

    // MARK: Values

    private mutating func readValues(_ members: [TOMLMember]) -> [HookValue] {
        var values: [HookValue] = []
        for member in members {
            // Templates can name letters, digits, `-` and `_`; a command has the others in its environment.
            let isName = member.key.unicodeScalars.allSatisfy {
                $0.value > 0x1F && $0.value != 0x7F && !"{}.".unicodeScalars.contains($0)
            }
            guard isName, (1...64).contains(member.key.utf8.count) else {
                reader.report(
                    .invalidValue, at: member.keyRegion, "\(TOMLText.quoted(member.key)) cannot be the name of a value",
                    help: "up to 64 letters, digits, `-` and `_`")
                continue
            }
            var sources: [HookSource] = []
            switch member.value.content {
            case .array(let elements):
                if elements.isEmpty {
                    reader.report(.hookCondition, at: member.value.region, "nothing is in an empty list")
                }
                for element in elements { if let source = readSource(element) { sources.append(source) } }
            default: if let source = readSource(member.value) { sources.append(source) }
            }
            values.append(HookValue(name: member.key, sources: sources))
        }
        return values
    }

    private mutating func readSource(_ value: TOMLValue) -> HookSource? {
        switch value.content {
        case .string(let text):
            return reference(Spanned(value: text, region: value.region)).map { HookSource([.pointer($0)]) }
        case .table(let members):
            let inner = reader.check(members, SettingsSchema.value, region: value.region)
            let places = places(in: inner)
            var source = HookSource(places)
            source.fallback = reader.string("default", of: inner, mayBeEmpty: true)?.value
            readMap(of: inner, into: &source)
            readDecoding(of: inner, into: &source)
            return places.isEmpty ? nil : source
        default:
            return reader.refuse(
                .wrongType, at: value.region, "a value is a JSON pointer, a table or a list, found \(value.kind)",
                help: "write it so: repo = \"/repository/full_name\"")
        }
    }

    private mutating func readMap(of table: CheckedTable, into source: inout HookSource) {
        for member in reader.members("map", of: table) ?? [] {
            if case .string(let text) = member.value.content {
                source.map[member.key] = text
            } else {
                reader.report(
                    .wrongType, at: member.value.region, "`map` has strings, found \(member.value.kind)",
                    help: "write it so: map = { firing = \"critical\" }")
            }
        }
        source.mapDefault = reader.string("map-default", of: table, mayBeEmpty: true)?.value
        if let member = table.members["map-default"], source.map.isEmpty {
            reader.report(
                .noEffect, at: member.keyRegion, "`map-default` has no effect without `map`", help: "remove it")
        }
    }

    private mutating func readDecoding(of table: CheckedTable, into source: inout HookSource) {
        let at = reader.string("at", of: table, mayBeEmpty: true)
        guard let decoding = reader.choice("decode", of: table, as: HookDecoding.self), decoding != .base64 else {
            if table.written.contains("decode") { source.decoding = .base64 }
            guard let at else { return }
            reader.report(
                .noEffect, at: at.region, "`at` has no effect without `decode = \"json\"`", help: "remove it")
            return
        }
        let place = at.map { reference($0) } ?? JSONReference("")
        source.decoding = place.map { .json(at: $0, isBase64: decoding == .base64JSON) }
    }

    /// The places of a value: of one kind, one or a list.
    private mutating func places(in table: CheckedTable) -> [HookSelector] {
        guard let key = onlyKey(of: ["pointer", "body-pointer", "header", "query"], in: table, named: "a value"),
            let member = table.members[key]
        else { return [] }
        let texts: [Spanned<String>]
        switch member.value.content {
        case .array: texts = reader.strings(key, of: table) ?? []
        default:
            texts = reader.string(key, of: table, mayBeEmpty: key.hasSuffix("pointer")).map { [$0] } ?? []
        }
        return texts.compactMap { place(key, $0) }
    }

    /// The one place that a table names.
    private mutating func place(in table: CheckedTable, keys: [String], named name: String) -> HookSelector? {
        guard let key = onlyKey(of: keys, in: table, named: name),
            let text = reader.string(key, of: table, mayBeEmpty: key.hasSuffix("pointer"))
        else { return nil }
        return place(key, text)
    }

    /// The one of some keys that is there. Where there are several, the report is at the second or at the table.
    private mutating func onlyKey(
        of keys: [String], in table: CheckedTable, named name: String, marksSecond: Bool = true
    ) -> String? {
        let present = keys.filter(table.written.contains)
        if present.count == 1 { return present[0] }
        if present.isEmpty, table.hasUnknownKeys { return nil }
        let choices = keys.map { "`\($0)`" }.joined(separator: ", ")
        let second = marksSecond && present.count > 1 ? table.members[present[1]]?.keyRegion : nil
        return reader.refuse(
            .hookCondition, at: second ?? table.region,
            "\(name) needs one of \(choices)" + (present.isEmpty ? "" : ", and has \(present.count)"))
    }

    private mutating func place(_ key: String, _ text: Spanned<String>) -> HookSelector? {
        switch key {
        case "header": headerName(text).map { .header($0) }
        case "query": .query(text.value)
        case "body-pointer": reference(text).map { .bodyPointer($0) }
        default: reference(text).map { .pointer($0) }
        }
    }

    mutating func headerName(_ text: Spanned<String>) -> String? {
        let isToken = text.value.utf8.allSatisfy { $0.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
        if isToken { return text.value }
        return reader.refuse(
            .invalidValue, at: text.region, "\(TOMLText.quoted(text.value)) cannot be the name of a header")
    }

    mutating func reference(_ text: Spanned<String>) -> JSONReference? {
        if let reference = JSONReference(text.value) { return reference }
        let isPath = !text.value.hasPrefix("/")
        let parts = text.value.split { $0 == "." || $0 == "[" || $0 == "]" || $0 == "$" }
        let guess = "/" + parts.joined(separator: "/")
        return reader.refuse(
            .hookPointer, at: text.region, "\(TOMLText.quoted(text.value)) is no JSON pointer",
            help: isPath
                ? "it begins with a slash, and slashes part its names: \(TOMLText.quoted(guess))"
                : "`~` is written ~0, and a slash within a name ~1")
    }
}

/// `decode` of a value.
private enum HookDecoding: String, CaseIterable, Sendable {
    case base64, json
    case base64JSON = "base64-json"
}

// MARK: - Conditions

extension HookDefinition {
    /// Whether it accepts, or fails to map, each event that another hook of its path would accept.
    fileprivate func takesAll(of other: HookDefinition) -> Bool {
        guard input == other.input, conditions.allHold(where: other.conditions) else { return false }
        guard let each else { return true }
        guard let others = other.each else { return false }
        return each.pointer == others.pointer && each.conditions.allHold(where: others.conditions)
    }
}

extension [HookCondition] {
    /// Whether each of them is among those that hold.
    fileprivate func allHold(where holding: [HookCondition]) -> Bool {
        let holding = Set(holding.map { $0.withoutPlaces.form })
        return allSatisfy { holding.contains($0.withoutPlaces.form) }
    }
}

extension HookCondition {
    /// The same, wherever it stands.
    fileprivate var withoutPlaces: HookCondition {
        var condition = self
        condition.location = SourceLocation(path: "", line: 0, column: 0)
        switch form {
        case .test: break
        case .not(let inner): condition.form = .not(inner.withoutPlaces)
        case .any(let inner): condition.form = .any(inner.map(\.withoutPlaces))
        case .all(let inner): condition.form = .all(inner.map(\.withoutPlaces))
        }
        return condition
    }

    /// With every `pointer` starting at the body, also where the hook has `each`.
    fileprivate var inWholeBody: HookCondition {
        var condition = self
        switch form {
        case .test(.pointer(let reference), let test): condition.form = .test(.bodyPointer(reference), test)
        case .test: break
        case .not(let inner): condition.form = .not(inner.inWholeBody)
        case .any(let inner): condition.form = .any(inner.map(\.inWholeBody))
        case .all(let inner): condition.form = .all(inner.map(\.inWholeBody))
        }
        return condition
    }
}

extension SettingsReader {
    private mutating func readConditions(_ key: String, of table: CheckedTable, depth: Int = 1) -> [HookCondition] {
        reader.tables(key, of: table).compactMap { readCondition($0.value, region: $0.region, depth: depth) }
    }

    /// Recursive up to `HookCondition.maximumDepth`.
    private mutating func readCondition(
        _ members: [TOMLMember], region: SourceRegion, depth: Int
    ) -> HookCondition? {
        let table = reader.check(members, SettingsSchema.condition, region: region)
        let location = reader.file.location(region.begin)
        let combinations = ["not", "any", "all"].filter(table.written.contains)
        guard let combination = combinations.first else {
            let place = place(
                in: table, keys: ["header", "pointer", "body-pointer", "query"], named: "a condition")
            let test = test(of: table)
            guard let place, let test else { return nil }
            return HookCondition(place, test, location: location)
        }
        guard table.written.count == 1, !table.hasUnknownKeys else {
            return reader.refuse(
                .hookCondition, at: region, "a condition with `\(combination)` has nothing else",
                help: "put the other conditions beside it, or into `all`")
        }
        guard depth < HookCondition.maximumDepth else {
            return reader.refuse(
                .hookCondition, at: region, "conditions nest more than \(HookCondition.maximumDepth) deep",
                help: "write them side by side")
        }
        if combination == "not" {
            guard let member = table.members["not"], case .table(let inner) = member.value.content else { return nil }
            return readCondition(inner, region: member.value.region, depth: depth + 1).map {
                HookCondition(.not($0), location: location)
            }
        }
        let inner = readConditions(combination, of: table, depth: depth + 1)
        if case .array(let elements)? = table.members[combination]?.value.content, elements.isEmpty {
            reader.report(.hookCondition, at: region, "`\(combination)` is a list of conditions, and has none")
        }
        return HookCondition(combination == "any" ? .any(inner) : .all(inner), location: location)
    }

    private mutating func test(of table: CheckedTable) -> HookCondition.Test? {
        let comparisons = HookCondition.Comparison.allCases.map(\.rawValue)
        let keys = ["equals", "in", "exists", "prefix", "starts-with", "ends-with", "contains"] + comparisons
        guard let key = onlyKey(of: keys, in: table, named: "a condition", marksSecond: false) else { return nil }
        switch key {
        case "exists": return reader.boolean(key, of: table).map { .exists($0.value) }
        case "prefix", "starts-with": return reader.string(key, of: table).map { .startsWith($0.value) }
        case "ends-with": return reader.string(key, of: table).map { .endsWith($0.value) }
        case "contains":
            return table.members[key].flatMap { SettingsReader.constant($0.value) }.map { .contains($0) }
        case "equals": return table.members[key].flatMap { SettingsReader.constant($0.value) }.map { .equals([$0]) }
        case "in": return readList(of: table)
        default:
            guard let comparison = HookCondition.Comparison(rawValue: key) else { return nil }
            switch table.members[key]?.value.content {
            case .integer(let value): return .compare(comparison, .integer(value))
            case .float(let value) where value.isFinite: return .compare(comparison, .decimal(value))
            default: return nil
            }
        }
    }

    private mutating func readList(of table: CheckedTable) -> HookCondition.Test? {
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

    static func constant(_ value: TOMLValue) -> HookCondition.Constant? {
        switch value.content {
        case .string(let text): .string(text)
        case .integer(let value): .integer(value)
        case .boolean(let value): .boolean(value)
        default: nil
        }
    }
}

// MARK: - Commands and answers

extension SettingsReader {
    /// The longest time that a command of a hook may take, in seconds.
    private static let longestRun = 3600.0

    private mutating func readRun(of table: CheckedTable, names: [String]) -> Command? {
        guard let inner = reader.table("run", of: table, SettingsSchema.run) else { return nil }
        guard let words = reader.strings("exec", of: inner), let program = words.first, !program.value.isEmpty else {
            if inner.members["exec"] != nil {
                reader.report(
                    .emptyCommand, at: inner.region, "`exec` has no program",
                    help: "write it so: exec = [\"bin/deploy\", \"{value.repo}\"]")
            }
            return nil
        }
        let known = names.map { "value." + $0 } + ["target", "delivery"]
        if !Placeholders.occurrences(in: program.value, hasGroups: true).isEmpty {
            reader.report(
                .hookTemplate, at: program.region, "the program may not depend on the request",
                help: "name it without placeholders")
        }
        for word in words.dropFirst() { _ = checked(word, among: known, hasGroups: true) }
        var arguments = words.map(\.value)
        if program.value.utf8.contains(UInt8(ascii: "/")) { arguments[0] = path(program) }
        var command = Command(arguments: arguments, location: location(inner.region))
        command.workingDirectory = folder
        command.timeLimit = 60_000
        if inner.members["time-limit"] != nil {
            if case .string? = inner.members["time-limit"]?.value.content {
                command.timeLimit = reader.duration("time-limit", of: inner) ?? command.timeLimit
            } else if let seconds = reader.number("time-limit", of: inner, in: 0.001...SettingsReader.longestRun) {
                command.timeLimit = Int((seconds.value * 1000).rounded())
            }
        }
        return command
    }

    private mutating func readAnswers(of hook: CheckedTable) -> [HookAnswer] {
        var answers: [HookAnswer] = []
        for entry in reader.tables("answers", of: hook) {
            let table = reader.check(entry.value, SettingsSchema.answer, region: entry.region)
            let conditions = readConditions("when", of: table).map(\.inWholeBody)
            let values = readValues(reader.members("values", of: table) ?? [])
            let status = reader.integer("status", of: table, in: 200...599)?.value ?? 200
            let names = values.map(\.name) + values.map { "hmac." + $0.name }
            var content = HookAnswer.Content.text(HookText(""))
            if let text = reader.string("text", of: table, mayBeEmpty: true) {
                content = .text(checked(text, among: names, hasGroups: true))
                if let json = table.members["json"] {
                    reader.report(
                        .hookCondition, at: json.keyRegion, "an answer has `text` or `json`, not both",
                        help: "keep one of them")
                }
            } else if let json = readJSON(of: table) {
                content = .json(json.value)
                checkStrings(of: json, among: names)
            } else if status != 204, !table.written.contains("text"), !table.written.contains("json") {
                reader.report(
                    .hookCondition, at: entry.region, "an answer needs `text` or `json`",
                    help: "write it so: json = { challenge = \"{challenge}\" }; status = 204 has no body")
            }
            answers.append(HookAnswer(conditions: conditions, values: values, content: content, status: status))
        }
        return answers
    }

    private mutating func readJSON(of table: CheckedTable) -> Spanned<JSONValue>? {
        guard let member = table.members["json"], case .table(let members) = member.value.content else { return nil }
        do throws(JSONText.Unrepresentable) {
            let text = try JSONText.object(members, region: member.value.region)
            guard let value = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
            return Spanned(value: value, region: member.value.region)
        } catch {
            return reader.refuse(.wrongType, at: error.region, "JSON has no form for \(error.kind)")
        }
    }

    private mutating func checkStrings(of json: Spanned<JSONValue>, among names: [String]) {
        var pending = [json.value]
        while let value = pending.popLast() {
            switch value {
            case .string(let text):
                for place in Placeholders.occurrences(in: text, hasGroups: true) where !names.contains(place.name) {
                    reportUnknown(place.name, at: json.region, names)
                }
            case .array(let elements): pending += elements
            case .object(let members): pending += members.map(\.value)
            case .null, .boolean, .number: break
            }
        }
    }

    private mutating func readReplies(of table: CheckedTable, into hook: inout HookDefinition) {
        if let member = table.members["accepted"] {
            switch member.value.content {
            case .integer(let status) where [200, 202, 204].contains(status):
                hook.accepted = HookReply(status: Int(status), body: status == 204 ? [] : nil)
            case .table(let members):
                let inner = reader.check(members, SettingsSchema.reply, region: member.keyRegion)
                var reply = HookReply(
                    status: reader.integer("status", of: inner, in: 200...599)?.value ?? 200, body: [])
                if let text = reader.string("text", of: inner, mayBeEmpty: true), !text.value.isEmpty {
                    (reply.type, reply.body) = ("text/plain; charset=utf-8", Array(text.value.utf8))
                } else if let json = readJSON(of: inner) {
                    (reply.type, reply.body) = (
                        "application/json", Array(json.value.text(escaping: .minimal).utf8)
                    )
                }
                hook.accepted = reply
            default:
                reader.report(
                    .invalidValue, at: member.value.region, "`accepted` cannot be this",
                    help: "it can be 202, 200, 204 or a table: { status = 200, text = \"\" }")
            }
        }
        guard let member = table.members["unmatched"] else { return }
        switch member.value.content {
        case .string("ok"), .integer(200): hook.unmatched = .status(200)
        case .integer(202), .string("202"): hook.unmatched = .status(202)
        case .integer(204), .string("204"): hook.unmatched = .status(204)
        case .string("error"): hook.unmatched = .error
        default:
            reader.report(
                .invalidValue, at: member.value.region, "`unmatched` cannot be this",
                help: "it can be \"ok\", 202, 204 or \"error\"")
        }
    }

    private mutating func readExpectations(of hook: CheckedTable, _ definition: HookDefinition) -> [HookExpectation] {
        var expectations: [HookExpectation] = []
        for entry in reader.tables("expect", of: hook) {
            let table = reader.check(entry.value, SettingsSchema.hookExpectation, region: entry.region)
            let request = reader.string("request", of: table)
            let body = reader.string("body", of: table)
            guard let file = request ?? body, request == nil || body == nil else {
                reader.report(
                    .hookCondition, at: entry.region, "an expectation needs one of `request`, `body`",
                    help: "`request` is a file that `usher hook listen` wrote, `body` the body alone")
                continue
            }
            var one = HookExpectation(
                file: path(file), isRequest: request != nil, location: reader.file.location(entry.region.begin))
            for member in reader.members("headers", of: table) ?? [] {
                if case .string(let value) = member.value.content { one.headers.append(.init(member.key, value)) }
            }
            one.query = reader.string("query", of: table, mayBeEmpty: true)?.value
            one.method = reader.string("method", of: table)?.value
            one.hook = reader.string("hook", of: table)?.value
            one.result = reader.choice("result", of: table, as: HookExpectation.Result.self)
            one.target = reader.string("target", of: table)?.value
            one.title = reader.string("title", of: table, mayBeEmpty: true)?.value
            one.count = reader.integer("count", of: table, in: 0...1000)?.value
            one.error = reader.string("error", of: table)?.value
            if one.hook == nil, one.result == nil, one.target == nil, one.title == nil, one.count == nil,
                one.error == nil
            {
                reader.report(
                    .missingKey, at: entry.region, "this expects nothing",
                    help: "add a line such as: result = \"accepted\"")
            }
            expectations.append(one)
        }
        return expectations
    }
}

// MARK: - Schema

extension SettingsSchema {
    static let hook = TableSchema(
        title: "a [hooks.NAME] table",
        keys: [
            KeySchema("app", .string, #"app = "example.reviews""#),
            KeySchema("path", .string, #"path = "github""#),
            KeySchema("signature", .table, #"signature = { scheme = "github", secret-file = "github.secret" }"#),
            KeySchema("input", .list("a list of inputs"), #"input = ["json", "form"]"#),
            KeySchema("answers", .tables, "[[hooks.NAME.answers]]"),
            replays,
            KeySchema("when", .tables, #"when = [{ header = "X-GitHub-Event", equals = "pull_request" }]"#),
            KeySchema("each", .stringOrTable, #"each = "/alerts""#),
            KeySchema("values", .anyTable, #"values = { repo = "/repository/full_name" }"#),
            KeySchema("id", .table, #"id = { header = "X-GitHub-Delivery" }"#),
            KeySchema("target", .string, #"target = "https://github.example/{+repo}/pull/{number}""#),
            KeySchema("session", .string, #"session = "{window}""#),
            KeySchema("title", .string, #"title = "{title}""#),
            KeySchema("subtitle", .string, #"subtitle = "{repo}""#),
            KeySchema("body", .string, #"body = "{summary}""#),
            KeySchema("level", .string, #"level = "time-sensitive""#),
            KeySchema("thread", .string, #"thread = "{repo}""#),
            KeySchema("collapse", .string, #"collapse = "{repo}-{number}""#),
            KeySchema("expires", .string, #"expires = "3600""#),
            KeySchema("run", .table, #"run = { exec = ["bin/deploy", "--", "{value.repo}"] }"#),
            KeySchema("accepted", .integerOrTable, "accepted = 204"),
            KeySchema("unmatched", .constant, #"unmatched = "error""#),
            KeySchema("expect", .tables, "[[hooks.NAME.expect]]"),
        ])

    private static let header = KeySchema("header", .string, #"header = "X-GitHub-Event""#)
    private static let pointer = KeySchema("pointer", .string, #"pointer = "/action""#)
    private static let query = KeySchema("query", .string, #"query = "room""#)
    private static let bodyPointer = KeySchema("body-pointer", .string, #"body-pointer = "/receiver""#)
    private static let when = KeySchema("when", .tables, #"when = [{ pointer = "/status", equals = "firing" }]"#)
    private static let values = KeySchema("values", .anyTable, #"values = { challenge = "/challenge" }"#)
    private static let status = KeySchema("status", .integer, "status = 200")
    private static let text = KeySchema("text", .string, #"text = "{challenge}""#)
    private static let json = KeySchema("json", .anyTable, #"json = { challenge = "{challenge}" }"#)

    static let condition = TableSchema(
        title: "a condition",
        keys: [
            header, pointer, query, bodyPointer,
            KeySchema("equals", .constant, #"equals = "opened""#),
            KeySchema("in", .constants, #"in = ["opened", "reopened"]"#),
            KeySchema("exists", .boolean, "exists = true"),
            KeySchema("prefix", .string, #"prefix = "v1.""#),
            KeySchema("starts-with", .string, #"starts-with = "refs/heads/""#),
            KeySchema("ends-with", .string, #"ends-with = "/main""#),
            KeySchema("contains", .constant, #"contains = "urgent""#),
            KeySchema("less-than", .number, "less-than = 5"),
            KeySchema("at-most", .number, "at-most = 5"),
            KeySchema("greater-than", .number, "greater-than = 5"),
            KeySchema("at-least", .number, "at-least = 5"),
            KeySchema("not", .table, #"not = { pointer = "/draft", equals = true }"#),
            KeySchema("any", .tables, #"any = [{ pointer = "/draft", equals = true }]"#),
            KeySchema("all", .tables, #"all = [{ pointer = "/draft", equals = true }]"#),
        ])

    static let each = TableSchema(
        title: "an `each` table",
        keys: [KeySchema("pointer", .string, #"pointer = "/alerts""#, required: true), when])

    static let formInput = TableSchema(
        title: "a table of `input`",
        keys: [KeySchema("form-json", .string, #"form-json = "payload""#, required: true)])

    static let value = TableSchema(
        title: "a value",
        keys: [
            KeySchema("header", .stringOrStrings, header.example), KeySchema("query", .stringOrStrings, query.example),
            KeySchema("pointer", .stringOrStrings, pointer.example),
            KeySchema("body-pointer", .stringOrStrings, bodyPointer.example),
            KeySchema("default", .string, #"default = """#),
            KeySchema("map", .anyTable, #"map = { firing = "critical" }"#),
            KeySchema("map-default", .string, #"map-default = "active""#),
            KeySchema("decode", .string, #"decode = "base64-json""#),
            KeySchema("at", .string, #"at = "/name""#),
        ])

    static let identity = TableSchema(
        title: "an `id` table",
        keys: [
            header, pointer, query,
            KeySchema("template", .string, #"template = "{repo}-{number}""#),
        ])

    static let run = TableSchema(
        title: "a `run` table",
        keys: [
            KeySchema("exec", .strings, #"exec = ["bin/deploy", "--", "{value.repo}"]"#, required: true),
            KeySchema("time-limit", .numberOrString, "time-limit = 60"),
        ])

    static let answer = TableSchema(title: "an `answers` table", keys: [when, values, text, json, status])

    static let reply = TableSchema(title: "an `accepted` table", keys: [status, text, json])

    static let hookExpectation = TableSchema(
        title: "an `expect` table of a hook",
        keys: [
            KeySchema("request", .string, #"request = "captures/issue.json""#),
            KeySchema("body", .string, #"body = "captures/issue.json""#),
            KeySchema("headers", .stringTable, #"headers = { X-GitHub-Event = "ping" }"#),
            KeySchema("query", .string, #"query = "room=1""#),
            KeySchema("method", .string, #"method = "POST""#),
            KeySchema("hook", .string, #"hook = "github""#),
            KeySchema("result", .string, #"result = "accepted""#),
            KeySchema("target", .string, #"target = "https://github.com/o/r/issues/1""#),
            KeySchema("title", .string, #"title = "It breaks""#),
            KeySchema("count", .integer, "count = 1"),
            KeySchema("error", .string, #"error = "hook.value-missing""#),
        ])

    /// Every table of a hook.
    static let ofHooks = [
        hook, signature, condition, each, formInput, value, identity, run, answer, reply, hookExpectation,
    ]
}
