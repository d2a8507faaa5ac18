import UsherScene
internal import UsherText

/// Reads the tables of one file against their schemas, and collects what is wrong with them.
struct TableReader: Sendable {
    let file: SourceFile
    /// Every table that the file may have, the file itself first: a key in the wrong one is led to its own.
    let schemas: [TableSchema]
    private var collected: [ConfigurationDiagnostic] = []
    /// Lines that are not shown: they have secrets in them.
    private var hiddenLines: Set<Int> = []

    /// More than these are not told apart; one says that there are more.
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

    mutating func warn(_ code: DiagnosticCode, at region: SourceRegion, _ message: String, help: String? = nil) {
        append(.warning, code, at: region, message, help: help, related: nil)
    }

    private mutating func append(
        _ severity: ConfigurationDiagnostic.Severity, _ code: DiagnosticCode, at region: SourceRegion,
        _ message: String, help: String?, related: SourceLocation?
    ) {
        guard collected.count <= TableReader.maximumDiagnostics else { return }
        let isLast = collected.count == TableReader.maximumDiagnostics
        collected.append(
            ConfigurationDiagnostic(
                isLast ? .error : severity, isLast ? .tooManyDiagnostics : code, path: file.path,
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

    /// - Returns: the key that was meant, where that can be told.
    private mutating func reportUnknown(_ member: TOMLMember, in schema: TableSchema) -> String? {
        let name = member.key
        let title = schema.title
        let own = schema.keys.map(\.name)
        if let meant = Suggestion.closest(to: name, among: own) {
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
