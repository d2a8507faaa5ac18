import UsherHook
import UsherScene
import UsherText

/// Reads the `signature` of a hook.
extension SettingsReader {
    /// The `signature` of a hook; nil where it cannot be used, which has then been said.
    mutating func readSignature(of hook: CheckedTable) -> HookSignature? {
        guard let member = hook.members["signature"], let members = reader.members("signature", of: hook) else {
            return nil
        }
        let inline = ["secret", "token", "key", "password"]
        refuseInlineSecrets(in: members, named: inline, file: "secret-file")
        let isRefused = members.contains { inline.contains($0.key) }
        let table = reader.check(
            members.filter { !inline.contains($0.key) }, SettingsSchema.signature, region: member.keyRegion)
        guard let scheme = reader.choice("scheme", of: table, as: HookSignature.Scheme.self) else { return nil }
        refuseForeignKeys(of: table, scheme)
        let source = secret(of: table, file: "secret-file", credential: "secret-credential")
        if scheme == .none { return isRefused ? nil : HookSignature.none }
        let code = scheme == .hmac ? readCode(of: table) : nil
        guard let source else {
            let isWritten = table.written.contains("secret-file") || table.written.contains("secret-credential")
            if !isWritten, !isRefused {
                reader.report(
                    .missingKey, at: table.region, "the scheme `\(scheme.rawValue)` needs a secret",
                    help: "name a file that only you can read: secret-file = \"NAME.secret\"")
            }
            return nil
        }
        switch scheme {
        case .github: return .github(source)
        case .gitlab: return .gitlab(source)
        case .standard: return .standard(source, tolerance: tolerance(of: table))
        case .bearer: return .bearer(source)
        case .hmac: return code.map { .hmac($0, source) }
        case .none: return HookSignature.none
        }
    }

    /// Keys that the scheme does not look at would only seem to do something.
    private mutating func refuseForeignKeys(of table: CheckedTable, _ scheme: HookSignature.Scheme) {
        var own: Set<String> = ["scheme"]
        if scheme != .none { own.formUnion(["secret-file", "secret-credential"]) }
        if scheme == .standard { own.insert("tolerance") }
        if scheme == .hmac {
            own.formUnion(["header", "algorithm", "encoding", "prefix", "timestamp-header", "tolerance", "content"])
        }
        for key in table.written.sorted() where !own.contains(key) {
            reader.report(
                .noEffect, at: table.members[key]?.keyRegion ?? table.region,
                "`\(key)` has no effect with the scheme `\(scheme.rawValue)`", help: "remove it")
        }
    }

    private mutating func tolerance(of table: CheckedTable) -> Int {
        reader.integer("tolerance", of: table, in: 1...86_400)?.value ?? HookSignature.defaultTolerance
    }

    private mutating func readCode(of table: CheckedTable) -> HookCode? {
        guard let header = reader.string("header", of: table) else {
            if !table.written.contains("header") {
                reader.report(
                    .missingKey, at: table.region, "the scheme `hmac` needs the `header` that has the signature",
                    help: "write it so: header = \"X-Signature\"")
            }
            return nil
        }
        guard let name = headerName(header) else { return nil }
        var code = HookCode(header: name, tolerance: tolerance(of: table))
        code.algorithm = reader.choice("algorithm", of: table, as: HookCode.Algorithm.self) ?? .sha256
        code.encoding = reader.choice("encoding", of: table, as: HookCode.Encoding.self) ?? .hex
        code.prefix = reader.string("prefix", of: table, mayBeEmpty: true)?.value ?? ""
        if let timestamp = reader.string("timestamp-header", of: table) {
            code.timestampHeader = headerName(timestamp)
            code.content = [.timestamp, .literal("."), .body]
        } else if let tolerance = table.members["tolerance"] {
            reader.report(
                .noEffect, at: tolerance.keyRegion, "`tolerance` has no effect without `timestamp-header`",
                help: "remove it, or name the header that has the time")
        }
        if let content = reader.string("content", of: table) { readContent(content, into: &code) }
        return code
    }

    private mutating func readContent(_ text: Placed<String>, into code: inout HookCode) {
        code.content = HookText(text.value).parts.compactMap { part in
            switch part {
            case .literal(let text): .literal(text)
            case .value("body"): .body
            case .value("timestamp"): .timestamp
            case .value: nil
            }
        }
        for place in Placeholders.occurrences(in: text.value) where !["body", "timestamp"].contains(place.name) {
            reader.report(
                .hookTemplate, at: reader.region(ofBytes: place.offset, count: place.count, inStringAt: text.region),
                "`content` has no {\(place.name)}", help: "it is made of {timestamp} and {body}")
        }
        if !code.content.contains(.body) {
            reader.report(
                .hookTemplate, at: text.region, "`content` without {body} signs nothing",
                help: "write it so: content = \"{timestamp}.{body}\"")
        }
        if code.content.contains(.timestamp) != (code.timestampHeader != nil) {
            reader.report(
                .hookTemplate, at: text.region, "{timestamp} and `timestamp-header` belong together",
                help: "a time that is not signed proves nothing")
        }
    }
}

// MARK: - Schema

extension SettingsSchema {
    static let signature = TableSchema(
        title: "a `signature` table",
        keys: [
            KeySchema("scheme", .string, #"scheme = "github""#, required: true),
            KeySchema("secret-file", .string, #"secret-file = "github.secret""#),
            KeySchema("secret-credential", .string, #"secret-credential = "github""#),
            KeySchema("tolerance", .integer, "tolerance = 300"),
            KeySchema("header", .string, #"header = "X-Signature""#),
            KeySchema("algorithm", .string, #"algorithm = "sha256""#),
            KeySchema("encoding", .string, #"encoding = "hex""#),
            KeySchema("prefix", .string, #"prefix = "sha256=""#),
            KeySchema("timestamp-header", .string, #"timestamp-header = "X-Request-Timestamp""#),
            KeySchema("content", .string, #"content = "{timestamp}.{body}""#),
        ])
}
