import UsherHook
import UsherText

/// Reads the `signature` of a hook.
extension SettingsReader {
    /// The `signature` of a hook; nil where it cannot be used, which was reported then.
    mutating func readSignature(of hook: CheckedTable) -> HookSignature? {
        guard let member = hook.members["signature"], let members = reader.members("signature", of: hook) else {
            return nil
        }
        let inline = ["secret", "token", "key", "password"]
        let accepted = refuseInlineSecrets(in: members, named: inline, file: "secret-file")
        let isRefused = accepted.count < members.count
        let table = reader.check(accepted, SettingsSchema.signature, region: member.keyRegion)
        guard let named = readScheme(of: table) else { return nil }
        refuseKeys(of: table, notIn: SettingsReader.keys(of: named.scheme), with: "the scheme `\(named.name)`")
        let secret = readSecret(of: table, named, isRefused: isRefused)
        let scheme: HookSignature.Scheme? =
            switch named.scheme {
            case .code(let code): readCode(of: table, over: code, named).map { .code($0) }
            case .jwt: readWebToken(of: table).map { .jwt($0) }
            case .bearer(let place): readTokenPlace(of: table, over: place).map { .bearer($0) }
            case .standard(let tolerance): .standard(tolerance: readTolerance(of: table) ?? tolerance)
            case .basic, .none: named.scheme
            }
        let replays = readReplays(of: table, in: hook, named)
        guard let scheme, secret != nil || scheme == .none, !isRefused else { return nil }
        return HookSignature(scheme, vendor: named.vendor, secret: secret, replays: replays)
    }

    /// A scheme by its name, with the defaults of its keys.
    private struct NamedScheme {
        var name: String
        var scheme: HookSignature.Scheme
        var vendor: HookVendor?
    }

    /// The general schemes, with the defaults of their keys.
    private static let generalSchemes: [HookSignature.Scheme] = [
        .code(HookCode(.hmac(), header: "")), .code(HookCode(.publicKey(), header: "")),
        .jwt(HookWebToken(audience: [])), .basic, .bearer(.authorization),
        .standard(tolerance: SignedTime.defaultTolerance), .none,
    ]

    private mutating func readScheme(of table: CheckedTable) -> NamedScheme? {
        guard let text = reader.string("scheme", of: table) else { return nil }
        if let vendor = HookVendor.named(text.value) {
            return NamedScheme(name: vendor.name, scheme: vendor.scheme, vendor: vendor)
        }
        let general = SettingsReader.generalSchemes
        if let scheme = general.first(where: { $0.name.hasSameBytes(as: text.value) }) {
            return NamedScheme(name: scheme.name, scheme: scheme)
        }
        return reader.refuse(
            .invalidValue, at: text.region, "`scheme` cannot be \(TOMLText.quoted(text.value))",
            help: TableReader.choices(general.map(\.name) + HookVendor.all.map(\.name), nearest: text.value))
    }

    private static func keys(of scheme: HookSignature.Scheme) -> Set<String> {
        let secret = scheme.hasPublicKeys ? ["key-file", "key-credential"] : ["secret-file", "secret-credential"]
        let own: [String] =
            switch scheme {
            case .code(let code):
                secret + [
                    "header", "prefix", "separator", "encoding", "algorithm", "content", "timestamp-header",
                    "timestamp-prefix", "timestamp-pointer", "timestamp-format", "tolerance",
                ] + (code.method.schemeName == "hmac" ? ["secret-encoding"] : [])
            case .jwt:
                secret + ["header", "prefix", "query", "algorithm", "audience", "issuer", "claims", "tolerance"]
            case .bearer: secret + ["header", "prefix", "query"]
            case .standard: secret + ["tolerance"]
            case .basic: secret
            case .none: []
            }
        return Set(own + ["scheme", "replays"])
    }

    /// Reports keys that would only seem to do something.
    private mutating func refuseKeys(of table: CheckedTable, notIn own: Set<String>, with reason: String) {
        for key in table.written.sorted() where !own.contains(key) {
            reader.report(
                .noEffect, at: table.members[key]?.keyRegion ?? table.region,
                "`\(key)` has no effect with \(reason)", help: "remove it")
        }
    }

    private mutating func readSecret(
        of table: CheckedTable, _ named: NamedScheme, isRefused: Bool
    ) -> SecretSource? {
        if named.scheme == .none { return nil }
        let hasKeys = named.scheme.hasPublicKeys
        let (file, credential) =
            hasKeys ? ("key-file", "key-credential") : ("secret-file", "secret-credential")
        if !table.written.contains(file), !table.written.contains(credential), !isRefused {
            reader.report(
                .missingKey, at: table.region,
                "the scheme `\(named.name)` needs \(hasKeys ? "the sender's public key" : "a secret")",
                help: hasKeys
                    ? "name a file with it: key-file = \"NAME.pem\""
                    : "name a file that only you can read: secret-file = \"NAME.secret\"")
        }
        return secret(of: table, file: file, credential: credential)
    }

    private mutating func readTolerance(of table: CheckedTable) -> Int? {
        reader.integer("tolerance", of: table, in: 1...86_400)?.value
    }

    /// `replays`, a key of the hook or of its signature.
    private mutating func readReplays(
        of table: CheckedTable, in hook: CheckedTable, _ named: NamedScheme
    ) -> HookReplays? {
        let places = [hook, table].filter { $0.written.contains("replays") }
        if places.count > 1 {
            reader.report(
                .duplicateValue, at: table.members["replays"]?.keyRegion ?? table.region,
                "`replays` is both in the hook and in its `signature`", help: "keep one of them")
        }
        guard let place = places.first, let replays = reader.choice("replays", of: place, as: HookReplays.self)
        else { return nil }
        if replays == .code, !named.scheme.signsBody {
            reader.report(
                .noEffect, at: place.members["replays"]?.keyRegion ?? place.region,
                "the scheme `\(named.name)` signs no body, so it has no code by which repeats are recognized",
                help: "write replays = \"id\", or remove it")
        }
        return replays
    }
}

// MARK: - Codes

extension SettingsReader {
    private mutating func readCode(of table: CheckedTable, over code: HookCode, _ named: NamedScheme) -> HookCode? {
        var code = code
        if let header = reader.string("header", of: table) {
            code.header = headerName(header) ?? ""
        } else if code.header.isEmpty, !table.written.contains("header") {
            reader.report(
                .missingKey, at: table.region, "the scheme `\(named.name)` needs the `header` that has the signature",
                help: "write it so: header = \"X-Signature\"")
        }
        code.method = readMethod(of: table, over: code.method)
        code.encoding = reader.choice("encoding", of: table, as: HookCode.Encoding.self) ?? code.encoding
        code.prefix = reader.string("prefix", of: table, mayBeEmpty: true)?.value ?? code.prefix
        code.separator = reader.string("separator", of: table)?.value ?? code.separator
        code.time = readTime(of: table, over: code.time, isList: code.separator != nil)
        if let text = reader.string("content", of: table) { code.content = readContent(text) }
        if code.time != nil || !table.written.contains(where: SettingsReader.timePlaces.contains) {
            checkTime(of: code, at: table.members["content"]?.value.region ?? table.region)
        }
        return code.header.isEmpty ? nil : code
    }

    private mutating func readMethod(of table: CheckedTable, over method: HookCode.Method) -> HookCode.Method {
        switch method {
        case .hmac(let hash, let secrets):
            .hmac(
                readAlgorithm(of: table, as: HookCode.Hash.self) ?? hash,
                secrets: reader.choice("secret-encoding", of: table, as: HookCode.SecretEncoding.self) ?? secrets)
        case .publicKey(let curve): .publicKey(readAlgorithm(of: table, as: HookCode.Curve.self) ?? curve)
        }
    }

    /// The one algorithm of a scheme that has no list of them.
    private mutating func readAlgorithm<Algorithm: RawRepresentable & CaseIterable & Sendable>(
        of table: CheckedTable, as type: Algorithm.Type
    ) -> Algorithm? where Algorithm.RawValue == String {
        if let member = table.members["algorithm"], case .array = member.value.content {
            return reader.refuse(
                .wrongType, at: member.value.region, "`algorithm` is a list only with the scheme `jwt`",
                help: "name one: \(TableReader.choices(Algorithm.allCases.map(\.rawValue), nearest: ""))")
        }
        return reader.choice("algorithm", of: table, as: type)
    }

    private static let timePlaces = ["timestamp-header", "timestamp-prefix", "timestamp-pointer"]

    private mutating func readTime(of table: CheckedTable, over time: SignedTime?, isList: Bool) -> SignedTime? {
        let keys = SettingsReader.timePlaces.filter(table.written.contains)
        if keys.count > 1 {
            reader.report(
                .hookCondition, at: table.members[keys[1]]?.keyRegion ?? table.region,
                "there cannot be both `\(keys[0])` and `\(keys[1])`", help: "keep one of them")
        }
        var time = time
        if let key = keys.first {
            guard let text = reader.string(key, of: table), let place = readTimePlace(key, text, isList: isList) else {
                return nil
            }
            time = SignedTime(
                place, format: time?.format ?? .seconds, tolerance: time?.tolerance ?? SignedTime.defaultTolerance)
        }
        guard var time else {
            for key in ["timestamp-format", "tolerance"] where table.written.contains(key) {
                reader.report(
                    .noEffect, at: table.members[key]?.keyRegion ?? table.region,
                    "`\(key)` has no effect without a signed time",
                    help: "remove it, or name the header that has the time: timestamp-header = \"X-Request-Timestamp\"")
            }
            return nil
        }
        time.format = reader.choice("timestamp-format", of: table, as: SignedTime.Format.self) ?? time.format
        time.tolerance = readTolerance(of: table) ?? time.tolerance
        return time
    }

    private mutating func readTimePlace(_ key: String, _ text: Spanned<String>, isList: Bool) -> SignedTime.Source? {
        switch key {
        case "timestamp-header": return headerName(text).map { .header($0) }
        case "timestamp-pointer": return reference(text).map { .pointer($0) }
        default:
            if !isList {
                reader.report(
                    .missingKey, at: text.region,
                    "`timestamp-prefix` needs a `separator`: the time is an item of a list",
                    help: "add a line such as: separator = \",\"")
            }
            return .item(prefix: text.value)
        }
    }

    private static let contentNames = ["body", "form", "timestamp", "method", "path", "query", "url"]

    private static func part(_ name: String) -> HookCode.Part? {
        switch name {
        case "body": .body
        case "form": .form
        case "timestamp": .timestamp
        case "method": .method
        case "path": .path
        case "query": .query
        case "url": .url
        case _ where name.hasPrefix("header.") && name.utf8.count > 7: .header(String(name.dropFirst(7)))
        default: nil
        }
    }

    private mutating func readContent(_ text: Spanned<String>) -> [HookCode.Part] {
        let content: [HookCode.Part] = HookText(text.value, hasGroups: true).parts.compactMap { part in
            switch part {
            case .literal(let text): .literal(text)
            case .value(let name): SettingsReader.part(name)
            }
        }
        for place in Placeholders.occurrences(in: text.value, hasGroups: true)
        where SettingsReader.part(place.name) == nil {
            let known = SettingsReader.contentNames + ["header.NAME"]
            reader.report(
                .hookTemplate, at: reader.region(ofBytes: place.offset, count: place.count, inStringAt: text.region),
                "`content` has no {\(place.name)}",
                help: Spelling.help(place.name, among: known, shown: { "{\($0)}" }) {
                    "it is made of " + known.map { "{\($0)}" }.joined(separator: ", ")
                })
        }
        if !content.contains(.body), !content.contains(.form) {
            reader.report(
                .hookTemplate, at: text.region, "`content` without {body} or {form} does not protect the body",
                help: "write it so: content = \"{timestamp}.{body}\"")
        }
        return content
    }

    /// Reports a time that is not signed, and a signed time that is never compared with the clock.
    private mutating func checkTime(of code: HookCode, at region: SourceRegion) {
        guard let content = code.content else { return }
        let isBesideCode = code.time?.isBesideCode == true
        if content.contains(.timestamp), !isBesideCode {
            reader.report(
                .hookTemplate, at: region, "`content` has {timestamp}, and no header with the time is named",
                help: "add a line such as: timestamp-header = \"X-Request-Timestamp\"")
        } else if isBesideCode, !content.contains(.timestamp) {
            reader.report(
                .hookTemplate, at: region, "`content` has no {timestamp}, so the time is not signed and proves nothing",
                help: "write it so: content = \"{timestamp}.{body}\"")
        }
    }
}

// MARK: - Tokens

extension SettingsReader {
    private mutating func readTokenPlace(of table: CheckedTable, over place: HookTokenSource) -> HookTokenSource? {
        if table.written.contains("query") {
            refuseKeys(of: table, notIn: table.written.subtracting(["header", "prefix"]), with: "`query`")
            return reader.string("query", of: table).map { .query($0.value) }
        }
        guard case .header(var name, var prefix) = place else { return place }
        if let header = reader.string("header", of: table) {
            guard let own = headerName(header) else { return nil }
            name = own
        }
        prefix = reader.string("prefix", of: table, mayBeEmpty: true)?.value ?? prefix
        return .header(name, prefix: prefix)
    }

    private mutating func readWebToken(of table: CheckedTable) -> HookWebToken? {
        let place = readTokenPlace(of: table, over: .authorization)
        let audience = readTexts("audience", of: table)
        if audience == nil, !table.written.contains("audience") {
            reader.report(
                .missingKey, at: table.region, "the scheme `jwt` needs the `audience` that tokens for this hook have",
                help: "write it so: audience = \"https://hooks.example/hooks/NAME\"")
        }
        let issuer = readTexts("issuer", of: table)
        let algorithms = readTexts("algorithm", of: table, as: HookWebToken.Algorithm.self)
        let claims = readClaims(of: table)
        let tolerance = readTolerance(of: table)
        guard let place, let audience, let claims else { return nil }
        var token = HookWebToken(place: place, audience: audience, claims: claims)
        if let issuer { token.issuer = issuer } else if table.written.contains("issuer") { return nil }
        if let algorithms { token.algorithms = algorithms } else if table.written.contains("algorithm") { return nil }
        if let tolerance { token.tolerance = tolerance }
        return token
    }

    /// A string or a list of strings, none of them empty; nil where there is none, or where something was reported.
    private mutating func readTexts(_ key: String, of table: CheckedTable) -> [String]? {
        placedTexts(key, of: table)?.map(\.value)
    }

    private mutating func placedTexts(_ key: String, of table: CheckedTable) -> [Spanned<String>]? {
        guard let member = table.members[key] else { return nil }
        guard case .array(let elements) = member.value.content else {
            return reader.string(key, of: table).map { [$0] }
        }
        let texts = reader.strings(key, of: table) ?? []
        if let empty = texts.first(where: \.value.isEmpty) {
            return reader.refuse(.invalidValue, at: empty.region, "`\(key)` must not have an empty string")
        }
        if elements.isEmpty {
            return reader.refuse(.invalidValue, at: member.value.region, "`\(key)` must not be empty")
        }
        return texts.count == elements.count ? texts : nil
    }

    /// The same, of the names of an enumeration.
    private mutating func readTexts<Value: RawRepresentable & CaseIterable>(
        _ key: String, of table: CheckedTable, as type: Value.Type
    ) -> [Value]? where Value.RawValue == String {
        guard let texts = placedTexts(key, of: table) else { return nil }
        var values: [Value] = []
        for text in texts {
            if let value = Value(rawValue: text.value) {
                values.append(value)
            } else {
                reader.report(
                    .invalidValue, at: text.region, "`\(key)` cannot be \(TOMLText.quoted(text.value))",
                    help: TableReader.choices(Value.allCases.map(\.rawValue), nearest: text.value))
            }
        }
        return values.count == texts.count ? values : nil
    }

    private mutating func readClaims(of table: CheckedTable) -> [String: HookCondition.Constant]? {
        var claims: [String: HookCondition.Constant] = [:]
        var isComplete = true
        for member in reader.members("claims", of: table) ?? [] {
            claims[member.key] = SettingsReader.constant(member.value)
            if claims[member.key] == nil {
                isComplete = false
                reader.report(
                    .wrongType, at: member.value.region,
                    "a claim is compared with a string, an integer or a boolean, found \(member.value.kind)",
                    help: "write it so: claims = { email_verified = true }")
            }
        }
        return isComplete ? claims : nil
    }
}

// MARK: - Schema

extension SettingsSchema {
    /// Of a hook or of its signature.
    static let replays = KeySchema("replays", .string, #"replays = "code""#)

    static let signature = TableSchema(
        title: "a `signature` table",
        keys: [
            KeySchema("scheme", .string, #"scheme = "github""#, required: true),
            KeySchema("secret-file", .string, #"secret-file = "github.secret""#),
            KeySchema("secret-credential", .string, #"secret-credential = "github""#),
            KeySchema("secret-encoding", .string, #"secret-encoding = "hex""#),
            KeySchema("key-file", .string, #"key-file = "sender.pem""#),
            KeySchema("key-credential", .string, #"key-credential = "sender""#),
            KeySchema("header", .string, #"header = "X-Signature""#),
            KeySchema("algorithm", .stringOrStrings, #"algorithm = "sha256""#),
            KeySchema("encoding", .string, #"encoding = "hex""#),
            KeySchema("prefix", .string, #"prefix = "sha256=""#),
            KeySchema("separator", .string, #"separator = ",""#),
            KeySchema("timestamp-header", .string, #"timestamp-header = "X-Request-Timestamp""#),
            KeySchema("timestamp-prefix", .string, #"timestamp-prefix = "t=""#),
            KeySchema("timestamp-pointer", .string, #"timestamp-pointer = "/timestamp""#),
            KeySchema("timestamp-format", .string, #"timestamp-format = "seconds""#),
            KeySchema("tolerance", .integer, "tolerance = 300"),
            KeySchema("content", .string, #"content = "{timestamp}.{body}""#),
            KeySchema("query", .string, #"query = "key""#),
            KeySchema("audience", .stringOrStrings, #"audience = "https://hooks.example/hooks/NAME""#),
            KeySchema("issuer", .stringOrStrings, #"issuer = "https://accounts.example""#),
            KeySchema("claims", .anyTable, "claims = { email_verified = true }"),
            replays,
        ])
}
