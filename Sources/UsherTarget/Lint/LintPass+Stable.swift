// Stable: the same tomorrow, and however the content is looked at.
extension LintPass {
    // MARK: Sessions and secrets

    mutating func judgeSecrets() {
        if let userInfo = parts.userInfo, parts.isWeb || userInfo.contains(":") { find(.credentials, userInfo) }
        for parameter in parts.query + fragmentParameters { judgeSecret(parameter) }
        // /item/7;jsessionid=0A1B and the (S(…)) of servers that keep sessions in paths.
        for segment in parts.segments {
            for parameter in IdentifierParts.parameters(segment[...]).dropFirst() { judgeSecret(parameter) }
            if segment.hasPrefix("(S("), segment.hasSuffix("))") { find(.session, segment) }
            if LintWords.secretPrefixes.contains(where: {
                segment.hasPrefix($0) && segment.utf8.count >= $0.utf8.count + 8
            }) {
                find(.token, shortSecret(segment))
            }
        }
        if let token = TextShape.tokenInText(parts.text) { find(.token, shortSecret(token)) }
        if parts.text.hasPrefix("Bearer ") { find(.token, "Bearer") }
        for prefix in ["session:", "session-", "session_", "sess_", "sess-", "sid:", "sid-"] {
            if !parts.hasAuthority, parts.text.hasPrefix(prefix),
                TextShape.isRandom(String(parts.text.dropFirst(prefix.count)), length: 12)
            {
                find(.session, parts.text)
            }
        }
    }

    private mutating func judgeSecret(_ parameter: IdentifierParts.Parameter) {
        let value = parameter.value
        guard !value.isEmpty else { return }
        switch parameter.key {
        case let key where LintWords.sessions.contains(key) || key.hasPrefix("aspsessionid"):
            find(.session, parameter.text)
        // Also the number of a station or a talk: those are short, and nothing but digits.
        case "sid", "session":
            if !TextShape.isDigits(value), value.contains(where: \.isNumber) { find(.session, parameter.text) }
        case "s":
            if value.utf8.count == 32, value.utf8.allSatisfy({ PercentEncoding.hexValue($0) != nil }) {
                find(.session, parameter.text)
            }
        case _ where parameter.words.count > 1 && parameter.words.contains("session"):
            if !TextShape.isDigits(value) { find(.session, parameter.text) }
        case let key where LintWords.tokens.contains(key): find(.token, key)
        case let key where parameter.words.count > 1 && parameter.words.contains(where: LintWords.tokenWords.contains):
            find(.token, key)
        case "code": if TextShape.isRandom(value, length: 16) { find(.token, "code") }
        case "key": if TextShape.isRandom(value, length: 24), !TextShape.isUUID(value) { find(.token, "key") }
        default: break
        }
    }

    /// Enough to recognise it, too little to use it.
    private func shortSecret(_ text: String) -> String { String(text.prefix(8)) + "..." }

    // MARK: Parameters

    mutating func judgeQuery() {
        for parameter in parts.query { judge(parameter) }
        // @52.5,13.4,17z: the camera of a map.
        for segment in parts.segments where segment.hasPrefix("@") {
            let pieces = segment.dropFirst().split(separator: ",")
            if pieces.count >= 3, TextShape.isNumber(String(pieces[0])), TextShape.isNumber(String(pieces[1])),
                let last = pieces[2].last, last == "z" || last == "m"
            {
                find(.viewState, segment)
            }
        }
        if parts.isBare, TextShape.hasDateAndTime(parts.text) { find(.timestamp, parts.text) }
    }

    private mutating func judge(_ parameter: IdentifierParts.Parameter) {
        let (key, value) = (parameter.key, parameter.value)
        if LintWords.tracking.contains(key)
            || parameter.words.count > 1 && LintWords.trackingPrefixes.contains(parameter.words[0])
            || key == "ref" && LintWords.referrers.contains(value.lowercased())
            || key == "si" && TextShape.isRandom(value, length: 12)
        {
            return find(.tracking, parameter.text)
        }
        if isMoment(parameter) { return find(.timestamp, parameter.text) }
        if isView(parameter) { find(.viewState, parameter.text) }
    }

    private func isMoment(_ parameter: IdentifierParts.Parameter) -> Bool {
        let (key, value) = (parameter.key, parameter.value)
        if LintWords.cacheBreakers.contains(key) { return TextShape.isNumber(value) }
        guard LintWords.moments.contains(key) || parameter.words.contains(where: LintWords.momentWords.contains) else {
            return false
        }
        if TextShape.isEpoch(value) || value == "now" || value.hasPrefix("now-") { return true }
        // When an event takes place is part of what it is.
        return key != "start" && key != "end" && TextShape.hasDateAndTime(value)
    }

    private func isView(_ parameter: IdentifierParts.Parameter) -> Bool {
        let (key, value) = (parameter.key, parameter.value)
        // `selected=` in an address without a value is a placeholder's business.
        if LintWords.views.contains(key) { return true }
        if parameter.words.count > 1, parameter.words.contains(where: LintWords.viewWords.contains) { return true }
        if parameter.words.last == "open", parameter.words.count > 1, ["true", "false", "0", "1"].contains(value) {
            return true
        }
        if LintWords.numericViews.contains(key) { return TextShape.isNumber(value) }
        if LintWords.wordyViews[key]?.contains(value.lowercased()) == true { return true }
        guard key == "t" || key == "start" || key == "timecontinue" || key == "time" else { return false }
        return isPosition(value)
    }

    /// A place in a recording: `90s`, `1m30s`, and plain seconds where something is played.
    private func isPosition(_ value: String) -> Bool {
        guard let first = value.utf8.first, TextShape.isDigit(first) else { return false }
        if value.utf8.allSatisfy({ TextShape.isDigit($0) || "hms:.".utf8.contains($0) }), !TextShape.isDigits(value) {
            return true
        }
        guard TextShape.isDigits(value), value.utf8.count <= 5 else { return false }
        let places = parts.segments + parts.host.split(separator: ".").map(String.init)
        return places.contains { LintWords.players.contains($0.lowercased()) }
    }

    // MARK: Fragments

    private var fragmentParameters: [IdentifierParts.Parameter] {
        guard let fragment = parts.fragment, !isRoute(fragment) else { return [] }
        return IdentifierParts.parameters(fragment[...])
    }

    /// A page of an application that keeps its routes in fragments.
    private func isRoute(_ fragment: String) -> Bool {
        fragment.hasPrefix("/") || fragment.hasPrefix("!") || fragment.contains("/") && !fragment.contains("=")
    }

    mutating func judgeFragment() {
        guard let fragment = parts.fragment, !isRoute(fragment), !has(.token), !has(.relative) else { return }
        let parameters = fragmentParameters
        if !parameters.isEmpty,
            parameters.contains(where: { isView($0) || $0.key == "map" || $0.key == "t" && !$0.value.isEmpty })
        {
            return find(.viewState, "#" + fragment)
        }
        // A comment or a paragraph with a number of its own is content, and so is a term of a vocabulary.
        if TextShape.hasIdentity(fragment) || isVocabulary { return }
        find(.fragment, "#" + fragment)
    }

    private var isVocabulary: Bool {
        let host = parts.host.lowercased()
        return ["w3.org", "xmlns.com", "purl.org", "schema.org", "dbpedia.org"].contains {
            host == $0 || host.hasSuffix("." + $0)
        }
            || [".owl", ".rdf", ".ttl", "-ns", "/ontology"].contains { parts.path.hasSuffix($0) }
    }
}
