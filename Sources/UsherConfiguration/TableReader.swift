import UsherScene
internal import UsherText

/// Reads the tables of one file against their schemas, and collects what is wrong with them.
struct TableReader: Sendable {
    let file: SourceFile
    /// Every table that the file may have, the file itself first: a key in the wrong one is led to its own.
    private let schemas: [TableSchema]
    private var collected: [ConfigurationDiagnostic] = []
    /// Lines that are not shown: they have secrets in them.
    private var hiddenLines: Set<Int> = []

    /// More than these are not reported one by one; the last report says that there are more.
    static let maximumDiagnostics = 100

    init(file: SourceFile, schemas: [TableSchema]) {
        self.file = file
        self.schemas = schemas
    }

    /// What is wrong, in the order in which it was found.
    var diagnostics: [ConfigurationDiagnostic] {
        collected.map { diagnostic in
            guard let line = diagnostic.location?.line, hiddenLines.contains(line) else { return diagnostic }
            var hidden = diagnostic
            hidden.sourceLine = nil
            return hidden
        }
    }

    /// How many errors were reported.
    var errorCount: Int { collected.count { $0.severity == .error } }

    /// Adds what another reader found in the same file.
    mutating func report(_ diagnostics: [ConfigurationDiagnostic]) { collected += diagnostics }

    /// Keeps a member's lines out of every message.
    mutating func hide(_ member: TOMLMember) {
        hiddenLines.formUnion(
            member.keyRegion.begin.line...max(member.keyRegion.begin.line, member.value.region.end.line))
    }

    mutating func report(
        _ code: DiagnosticCode, at region: SourceRegion, _ message: String, help: String? = nil,
        related: SourceLocation? = nil
    ) {
        append(.error, code, at: region, message, help: help, related: related)
    }

    /// Reports why there is no value.
    mutating func refuse<Value>(
        _ code: DiagnosticCode, at region: SourceRegion, _ message: String, help: String? = nil
    ) -> Value? {
        report(code, at: region, message, help: help)
        return nil
    }

    mutating func warn(
        _ code: DiagnosticCode, at region: SourceRegion, _ message: String, help: String? = nil,
        related: SourceLocation? = nil
    ) {
        append(.warning, code, at: region, message, help: help, related: related)
    }

    /// Warns of names in doubled braces, which are text, though values have these names.
    mutating func warn(ofDoubled names: [String], in text: Spanned<String>, _ code: DiagnosticCode) {
        for place in Placeholders.doubled(in: text.value) where names.contains(place.name) {
            warn(
                code, at: region(ofBytes: place.offset, count: place.count, inStringAt: text.region),
                "doubled braces are text: this stays `{\(place.name)}`, and no value takes its place",
                help: "write `{\(place.name)}`")
        }
    }

    private mutating func append(
        _ severity: ConfigurationDiagnostic.Severity, _ code: DiagnosticCode, at region: SourceRegion,
        _ message: String, help: String?, related: SourceLocation?
    ) {
        guard collected.count <= TableReader.maximumDiagnostics else {
            // Warnings alone keep no configuration from being used, however many there are.
            if severity == .error { collected[TableReader.maximumDiagnostics].severity = .error }
            return
        }
        let isLast = collected.count == TableReader.maximumDiagnostics
        collected.append(
            ConfigurationDiagnostic(
                severity, isLast ? .tooManyDiagnostics : code, path: file.path,
                location: file.location(region.begin), length: region.length,
                message: isLast ? "there are more mistakes in this file" : message, help: isLast ? nil : help,
                related: isLast ? nil : related,
                sourceLine: String(decoding: file.line(region.begin.line), as: UTF8.self)))
    }

    /// The members of a table that are as its schema says; everything else is reported.
    mutating func check(_ members: [TOMLMember], _ schema: TableSchema, region: SourceRegion) -> CheckedTable {
        var table = CheckedTable(region: region)
        for member in members {
            guard let key = schema.key(member.key) else {
                table.hasUnknownKeys = true
                // What was meant is not missed as well.
                if let meant = reportUnknown(member, in: schema) { table.written.insert(meant) }
                continue
            }
            table.written.insert(key.name)
            if key.accepts(member.value) {
                table.members[key.name] = member
            } else {
                reportType(of: member, key)
            }
        }
        for key in schema.keys where key.isRequired && !table.written.contains(key.name) {
            report(
                .missingKey, at: region, "\(schema.title) must have `\(key.name)`",
                help: "add a line such as: \(key.example)")
        }
        return table
    }

    /// - Returns: the key that was probably meant; nil where none is similar.
    private mutating func reportUnknown(_ member: TOMLMember, in schema: TableSchema) -> String? {
        let name = member.key
        let title = schema.title
        let own = schema.keys.map(\.name)
        if let instead = SettingsSchema.retired[name] {
            return refuse(.unknownKey, at: member.keyRegion, "\(title) has no key `\(name)` any more", help: instead)
        }
        if let meant = Spelling.closest(to: name, among: own) {
            report(
                .unknownKey, at: member.keyRegion, "\(title) has no key `\(name)`", help: "did you mean `\(meant)`?")
            return meant
        }
        if let meant = ManifestSchema.synonyms[name], own.contains(meant) {
            report(
                .unknownKey, at: member.keyRegion, "\(title) has no key `\(name)`", help: "it is called `\(meant)` here"
            )
            return meant
        }
        // Other formats join words by `_`.
        let dashed = name.utf8.contains(UInt8(ascii: "_")) ? String(name.map { $0 == "_" ? "-" : $0 }) : name
        if let home = schemas.first(where: { $0.key(dashed) != nil }), let key = home.key(dashed) {
            let correction = dashed == name ? "" : "did you mean `\(dashed)`? "
            report(
                .misplacedKey, at: member.keyRegion, "\(title) has no key `\(name)`",
                help: correction + "it belongs " + place(of: key, in: home))
        } else {
            let names = own.map { "`\($0)`" }.joined(separator: ", ")
            report(.unknownKey, at: member.keyRegion, "\(title) has no key `\(name)`", help: "its keys are \(names)")
        }
        return nil
    }

    /// Where a key stands: a key of the file itself cannot follow a table, which would take it for its own.
    private func place(of key: KeySchema, in home: TableSchema) -> String {
        guard home.title == schemas.first?.title else { return "into \(home.title)" }
        return switch key.kind {
        case .tables: "to the file itself: write [[\(key.name)]]"
        case .table, .anyTable, .stringTable: "to the file itself: write [\(key.name)]"
        default: "to the file itself: move it up, before the first [table]"
        }
    }

    private mutating func reportType(of member: TOMLMember, _ key: KeySchema) {
        var help = "write it so: \(key.example)"
        if case .strings = key.kind, case .string(let text) = member.value.content {
            let words =
                key.name == "exec" || key.name == "tmux" ? text.split(separator: " ").map(String.init) : [text]
            let list = words.map(TOMLText.quoted).joined(separator: ", ")
            help = "a list, even of one: \(key.name) = [\(list)]"
        } else if case .string = key.kind, case .array(let elements) = member.value.content, elements.count == 1,
            case .string(let text) = elements[0].content
        {
            help = "drop the brackets: \(key.name) = \(TOMLText.quoted(text))"
        } else if case .tables = key.kind, case .table = member.value.content, key.example.hasPrefix("[[") {
            help = "double the brackets: \(key.example)"
        } else if case .boolean = key.kind, case .string(let text) = member.value.content,
            text == "true" || text == "false"
        {
            help = "drop the quotes: \(key.name) = \(text)"
        }
        report(
            .wrongType, at: member.value.region,
            "`\(key.name)` is \(key.expectation), found \(member.value.kind)", help: help)
    }
}

/// The members of a table that have the type they should have.
struct CheckedTable: Sendable {
    /// Of the table's header.
    var region: SourceRegion
    var members: [String: TOMLMember] = [:]
    /// The keys of the schema that are there at all, or were meant to be.
    var written: Set<String> = []
    var hasUnknownKeys = false
}

extension Spelling {
    /// Asks whether the most similar of some words was meant; where none is similar, there is something else to say.
    ///
    /// - Parameter shown: how a word is written.
    static func help(
        _ word: String, among words: [String], shown: (String) -> String = TOMLText.quoted, otherwise: () -> String
    ) -> String {
        closest(to: word, among: words).map { "did you mean \(shown($0))?" } ?? otherwise()
    }
}

// MARK: - Values

/// A value and its region.
struct Spanned<Value: Sendable>: Sendable {
    var value: Value
    var region: SourceRegion
}

extension TableReader {
    /// A string; where it must not be empty, one that is not.
    mutating func string(_ key: String, of table: CheckedTable, mayBeEmpty: Bool = false) -> Spanned<String>? {
        guard let member = table.members[key], case .string(let text) = member.value.content else { return nil }
        if text.isEmpty, !mayBeEmpty {
            return refuse(.invalidValue, at: member.value.region, "`\(key)` must not be empty")
        }
        return Spanned(value: text, region: member.value.region)
    }

    func boolean(_ key: String, of table: CheckedTable) -> Spanned<Bool>? {
        guard let member = table.members[key], case .boolean(let value) = member.value.content else { return nil }
        return Spanned(value: value, region: member.value.region)
    }

    mutating func integer(_ key: String, of table: CheckedTable, in range: ClosedRange<Int>) -> Spanned<Int>? {
        guard let member = table.members[key], case .integer(let value) = member.value.content else { return nil }
        guard let value = Int(exactly: value), range.contains(value) else {
            return refuse(
                .invalidValue, at: member.value.region,
                "`\(key)` must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return Spanned(value: value, region: member.value.region)
    }

    /// An integer or a floating-point number.
    mutating func number(_ key: String, of table: CheckedTable, in range: ClosedRange<Double>) -> Spanned<Double>? {
        guard let member = table.members[key] else { return nil }
        let value: Double
        switch member.value.content {
        case .integer(let integer): value = Double(integer)
        case .float(let float): value = float
        default: return nil
        }
        // Not a number is in no range.
        guard range.contains(value) else {
            return refuse(
                .invalidValue, at: member.value.region,
                "`\(key)` must be from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
        }
        return Spanned(value: value, region: member.value.region)
    }

    /// The elements of a list of strings.
    mutating func strings(_ key: String, of table: CheckedTable) -> [Spanned<String>]? {
        guard let member = table.members[key], case .array(let elements) = member.value.content else { return nil }
        var strings: [Spanned<String>] = []
        for element in elements {
            if case .string(let text) = element.content {
                strings.append(Spanned(value: text, region: element.region))
            } else {
                report(
                    .wrongType, at: element.region, "`\(key)` is a list of strings, found \(element.kind)",
                    help: "put it in quotes")
            }
        }
        return strings
    }

    /// A table of its own keys, which is checked too.
    mutating func table(_ key: String, of table: CheckedTable, _ schema: TableSchema) -> CheckedTable? {
        guard let member = table.members[key], let members = members(key, of: table) else { return nil }
        return check(members, schema, region: member.keyRegion)
    }

    func members(_ key: String, of table: CheckedTable) -> [TOMLMember]? {
        guard let member = table.members[key], case .table(let members) = member.value.content else { return nil }
        return members
    }

    /// The tables of a list of tables, each with its region.
    mutating func tables(_ key: String, of table: CheckedTable) -> [Spanned<[TOMLMember]>] {
        guard let member = table.members[key], case .array(let elements) = member.value.content else { return [] }
        var tables: [Spanned<[TOMLMember]>] = []
        for element in elements {
            if case .table(let members) = element.content {
                tables.append(Spanned(value: members, region: element.region))
            } else {
                report(.wrongType, at: element.region, "`\(key)` is a list of tables, found \(element.kind)")
            }
        }
        return tables
    }

    /// One of the names of an enumeration.
    mutating func choice<Value: RawRepresentable & CaseIterable & Sendable>(
        _ key: String, of table: CheckedTable, as type: Value.Type, among values: [Value] = Array(Value.allCases)
    ) -> Value? where Value.RawValue == String {
        guard let text = string(key, of: table) else { return nil }
        if let value = values.first(where: { $0.rawValue.hasSameBytes(as: text.value) }) { return value }
        let names = values.map(\.rawValue)
        return refuse(
            .invalidValue, at: text.region, "`\(key)` cannot be \(TOMLText.quoted(text.value))",
            help: TableReader.choices(names, nearest: text.value))
    }

    static func choices(_ names: [String], nearest word: String) -> String {
        Spelling.help(word, among: names) { "it can be " + names.map(TOMLText.quoted).joined(separator: ", ") }
    }

    /// Milliseconds, written as seconds.
    mutating func seconds(_ key: String, of table: CheckedTable) -> Int? {
        guard let member = table.members[key] else { return nil }
        let seconds: Double? =
            switch member.value.content {
            case .integer(let value): Double(value)
            case .float(let value): value
            default: nil
            }
        guard let seconds, (0.001...3600).contains(seconds) else {
            return refuse(
                .invalidValue, at: member.value.region, "`\(key)` is a number of seconds from 0.001 to 3600",
                help: "write it so: \(key) = 1.5")
        }
        return Int((seconds * 1000).rounded())
    }

    /// Milliseconds: an integer, or a string with `ms`, `s` or `m`.
    mutating func duration(
        _ key: String, of table: CheckedTable, in range: ClosedRange<Int> = 1...3_600_000,
        words: String = "from 1 ms to 1 hour"
    ) -> Int? {
        guard let member = table.members[key] else { return nil }
        let milliseconds: Int? =
            switch member.value.content {
            case .integer(let value): Int(exactly: value)
            case .string(let text): TableReader.milliseconds(text)
            default: nil
            }
        guard let milliseconds, range.contains(milliseconds) else {
            return refuse(
                .invalidValue, at: member.value.region, "`\(key)` is a duration \(words)",
                help: "write it as \"5s\", \"500ms\" or \"2m\", or as an integer of milliseconds")
        }
        return milliseconds
    }

    private static func milliseconds(_ text: String) -> Int? {
        for (unit, factor) in [("ms", 1), ("s", 1000), ("m", 60_000)] where text.hasSuffix(unit) {
            let digits = text.dropLast(unit.utf8.count)
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits)
            else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: factor)
            return overflow ? nil : product
        }
        return nil
    }

    /// The region of a part of a string's value, given by its UTF-8 bytes.
    func region(ofBytes offset: Int, count: Int, inStringAt region: SourceRegion) -> SourceRegion {
        let begin = file.position(ofValueOffset: offset, inStringAt: region.begin)
        let end = file.position(ofValueOffset: offset + max(1, count), inStringAt: region.begin)
        return SourceRegion(begin: begin, end: max(begin, end))
    }
}
