internal import UsherText

// MARK: - Unique

// Unique: one content, and always the same.
extension LintPass {
    /// Values that were never filled in.
    mutating func judgePlaceholders() {
        guard parts.isBare || parts.hasAuthority else {
            // A message id stands in angle brackets, and the blobs of some pages belong to "null".
            if let last = parts.path.split(whereSeparator: { "-:_./".contains($0) }).last,
                Self.empties.contains(String(last))
            {
                find(.placeholder, last)
            }
            return
        }
        for segment in parts.segments {
            if isUnfilled(segment) { find(.placeholder, segment) }
        }
        for parameter in parts.query {
            if isUnfilled(parameter.value) || parameter.value.isEmpty && LintWords.names.contains(parameter.key) {
                find(.placeholder, parameter.text)
            }
        }
        if parts.text.hasPrefix("Optional(") { find(.placeholder, parts.text) }
        guard parts.isBare, !has(.placeholder) else { return }
        // order-undefined, user:null
        if let last = parts.text.split(whereSeparator: { "-:_.".contains($0) }).last, last != parts.text[...],
            Self.empties.contains(String(last)) || isUnfilled(String(last))
        {
            find(.placeholder, last)
        }
    }

    private static let empties: Set<String> = ["undefined", "null", "nil", "NaN"]

    private func isUnfilled(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 256 else { return false }
        if LintWords.unfilled.contains(text.lowercased()) || text == "None" || text == "[object%20Object]" {
            return true
        }
        if text.contains("[object ") { return true }
        // The whole of a UUID may stand in braces.
        if TextShape.isUUID(text) { return false }
        for (open, close) in [("{", "}"), ("<", ">")] {
            if let start = text.range(of: open), let end = text[start.upperBound...].firstIndex(of: Character(close)),
                text[start.upperBound..<end].contains(where: \.isLetter)
            {
                return true
            }
        }
        // [id] and :id of routers' patterns
        if text.hasPrefix("["), text.hasSuffix("]"), text.utf8.dropFirst().dropLast().allSatisfy(ASCII.isLetter) {
            return text.utf8.count > 2
        }
        let rest = text.dropFirst()
        return text.hasPrefix(":") && !rest.isEmpty
            && rest.utf8.allSatisfy { ASCII.isLetter($0) || $0 == ASCII.underscore }
    }

    /// Words that stand for other content at another time.
    mutating func judgeMovingWords() {
        guard let leaf = parts.segments.last?.lowercased() else { return }
        if !parts.hasAuthority, parts.isBare, parts.segments.count == 1 {
            let words = leaf.split { $0 == "-" || $0 == " " || $0 == "_" }.map(String.init)
            if LintWords.moving.contains(leaf)
                || words.count <= 2 && words.first.map(Self.movingPrefixes.contains) == true
            {
                find(.moving, parts.text)
            }
            return
        }
        if LintWords.moving.contains(leaf), parts.hasAuthority || parts.segments.count > 1 { find(.moving, leaf) }
        for parameter in parts.query where LintWords.names.contains(parameter.key) {
            if LintWords.moving.contains(parameter.value.lowercased()) { find(.moving, parameter.text) }
        }
    }

    private static let movingPrefixes: Set<String> = [
        "current", "latest", "selected", "untitled", "unbenannt", "today",
    ]
}

extension String {
    /// Where `text` first stands; there is no Foundation here.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        guard let first = text.first, text.count == 1, let start = firstIndex(of: first) else { return nil }
        return start..<index(after: start)
    }
}

// MARK: - Global

// Global: the same on every device and for every user.
extension LintPass {
    /// Places of one device or network only.
    mutating func judgePlaces() {
        if parts.isBare, Self.isLocalPath(parts.text) { find(.localPath, parts.text) }
        if parts.lowercaseScheme == "file" || parts.hasAuthority && parts.host == "file" {
            find(.localPath, parts.text)
        }
        for parameter in parts.query where Self.isLocalPath(parameter.value) { find(.localPath, parameter.value) }
        if LintWords.deviceStores.contains(parts.lowercaseScheme) { find(.deviceStore, parts.scheme ?? "") }
        judgeHost()
        judgeRelative()
    }

    /// Device stores and hosts whose schemes are not judged further.
    mutating func judgeMadeUpScheme() {
        guard !has(.deviceStore) else { return }
        if LintWords.deviceStores.contains(parts.lowercaseScheme) { find(.deviceStore, parts.scheme ?? "") }
        // A local identifier of a photo library.
        if parts.isBare, let first = parts.segments.first, TextShape.isUUID(first), parts.segments.count == 3,
            parts.segments[1] == "L0"
        {
            find(.deviceStore, parts.text)
        }
    }

    private static let roots = [
        "/home/", "/Users/", "/root/", "/tmp/", "/var/", "/etc/", "/opt/", "/mnt/", "/media/", "/Volumes/", "/private/",
        "/data/user/", "/data/data/", "/storage/emulated/", "/sdcard/", "/usr/", "/srv/", "/Applications/", "/Library/",
        "/System/", "/proc/", "/dev/", "/run/", "~/", "\\\\", "$HOME", "%USERPROFILE%", "%APPDATA%", "%TEMP%",
    ]

    private static func isLocalPath(_ text: String) -> Bool {
        if roots.contains(where: { text.utf8.starts(with: $0.utf8) }) { return true }
        let bytes = Array(text.utf8.prefix(3))
        // C:\ and C:/
        if bytes.count == 3, ASCII.isLetter(bytes[0]), bytes[1] == ASCII.colon,
            bytes[2] == 0x5C || bytes[2] == ASCII.slash
        {
            return true
        }
        // ~ada/
        return bytes.first == 0x7E && text.contains("/") && !text.contains(":")
    }

    private mutating func judgeHost() {
        guard parts.hasAuthority, !parts.host.isEmpty, parts.lowercaseScheme != "file", parts.host != "file" else {
            if parts.isBare, !parts.text.contains("/"), parts.text.lowercased().hasSuffix(".local") {
                find(.localHost, parts.text)
            }
            return
        }
        var host = parts.host.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        if host == "localhost" || Self.isPrivateAddress(host)
            || LintWords.localSuffixes.contains(where: { host.hasSuffix($0) })
        {
            find(.localHost, parts.host)
        } else if LintWords.networkSchemes.contains(parts.lowercaseScheme), !host.contains("."), !host.contains(":"),
            !host.contains("{")
        {
            find(.localHost, parts.host)
        }
        let isPreview =
            host.hasSuffix(".vercel.app") && host.contains("-git-")
            || host.hasSuffix(".netlify.app") && host.hasPrefix("deploy-preview-")
        if isPreview || LintWords.temporarySuffixes.contains(where: { host.hasSuffix($0) }) {
            find(.temporaryHost, parts.host)
        }
    }

    /// Loopback, private, link-local and shared addresses. RFC 6890.
    private static func isPrivateAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            let address = host.dropFirst()
            return host == "[::1]" || host == "[::]"
                || ["fe8", "fe9", "fea", "feb", "fc", "fd"].contains { address.hasPrefix($0) }
        }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard numbers.count == 4, let first = numbers[0], let second = numbers[1], numbers[2] != nil, numbers[3] != nil
        else { return false }
        switch (first, second) {
        case (0, _), (10, _), (127, _), (192, 168), (169, 254), (172, 16...31), (100, 64...127): return true
        default: return false
        }
    }

    private mutating func judgeRelative() {
        guard parts.isBare else { return }
        if ["../", "./", "?", "#", "//"].contains(where: { parts.text.utf8.starts(with: $0.utf8) }) {
            find(.relative, parts.text)
        }
    }

    // MARK: Devices

    mutating func judgeDevices() {
        for parameter in parts.query where LintWords.devices.contains(parameter.key) {
            // A number names a thing that is content itself: a sensor, a lamp.
            if !parameter.value.isEmpty, !TextShape.isDigits(parameter.value) { find(.device, parameter.text) }
        }
        let places = parts.isBare ? parts.segments : Array(parts.segments.prefix(1)) + [parts.host]
        for place in places where Self.isDeviceName(place) { find(.device, place) }
    }

    private static let kinds = ["iphone", "ipad", "macbook", "imac", "mac-mini", "mac mini", "mac-studio"]

    /// `Adas-MacBook-Pro`, `iPhone von Ada`, `DESKTOP-4F3K2L1`: as systems name devices by themselves.
    private static func isDeviceName(_ text: String) -> Bool {
        for (prefix, length) in [("DESKTOP-", 7), ("LAPTOP-", 8)] where text.hasPrefix(prefix) {
            let rest = text.dropFirst(prefix.count).prefix { ![".", "/", "\\"].contains($0) }
            if rest.utf8.count == length, rest.utf8.allSatisfy({ TextShape.isDigit($0) || (0x41...0x5A).contains($0) })
            {
                return true
            }
        }
        let lower = text.lowercased()
        guard kinds.contains(where: { lower.contains($0) }), lower != text else { return false }
        let owners = ["s-", "’s ", "'s ", "s’ ", "s "]
        return kinds.contains { kind in owners.contains { lower.contains($0 + kind) } }
            || ["-von-", " von ", "-de-", " de ", "-di-", " di ", "-van-"].contains { lower.contains($0) }
    }

    // MARK: Persons

    mutating func judgePersons() {
        guard parts.hasAuthority else { return }
        for (index, segment) in parts.segments.enumerated() {
            let next = index + 1 < parts.segments.count ? parts.segments[index + 1] : nil
            switch segment {
            case "me", "self": find(.personal, segment)
            case "my" where next != nil: find(.personal, segment)
            // The first of the accounts that this browser is signed in to.
            case "u" where next.map { $0.utf8.count == 1 && TextShape.isDigits($0) } ?? false:
                let before = index > 0 ? parts.segments[index - 1] : ""
                if ["mail", "calendar", "drive", "document", "spreadsheets", "photos"].contains(before) {
                    find(.personal, "u/" + (next ?? ""))
                }
            default:
                if index > 0, LintWords.people.contains(parts.segments[index - 1].lowercased()), Self.isAddress(segment)
                {
                    find(.personal, segment)
                }
            }
        }
        for parameter in parts.query {
            if parameter.key == "authuser"
                || LintWords.personParameters.contains(parameter.key) && Self.isAddress(parameter.value)
            {
                find(.personal, parameter.text)
            }
        }
    }

    /// An e-mail address.
    private static func isAddress(_ text: String) -> Bool {
        let pieces = text.split(separator: "@", omittingEmptySubsequences: false)
        return pieces.count == 2 && !pieces[0].isEmpty && pieces[1].contains(".")
    }
}

// MARK: - Stable

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
            if value.utf8.count == 32, value.utf8.allSatisfy({ Hexadecimal.value(of: $0) != nil }) {
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

// MARK: - Title

// Stable, too: no text that a user may rename.
extension LintPass {
    /// A title behind a made-up scheme: no registered one has spaces.
    mutating func judgeOpaqueTitle() {
        guard parts.path.contains(" "), !has(.placeholder), isTitle(parts.path) else { return }
        find(.mutableTitle, parts.text)
    }

    /// Titles and file names at the end of the path, in the parameters, or as the whole.
    mutating func judgeTitle() {
        guard !has(.localPath), !has(.deviceStore), !has(.placeholder), !has(.relative), !has(.token) else { return }
        guard !LintWords.moving.contains(parts.text.lowercased()) else { return }
        for parameter in parts.query where LintWords.titles.contains(parameter.key) {
            // Wikis name their pages so, and keep a redirect when one is renamed.
            if parameter.key == "title", parts.path.hasSuffix("index.php") { continue }
            if isFileName(parameter.value, isAddress: true) || isTitle(parameter.value) {
                find(.mutableTitle, parameter.text)
            }
        }
        guard let leaf = parts.segments.last else { return }
        if has(.timestamp), parts.isBare { return }
        if isFileName(leaf, isAddress: !parts.isBare) || isTitle(leaf) || isFormTitle(leaf) || isLongSlug(leaf)
            || isBareWord(leaf)
        {
            find(.mutableTitle, leaf)
        }
    }

    private func isFileName(_ text: String, isAddress: Bool) -> Bool {
        guard let dot = text.lastIndex(of: "."), dot != text.startIndex else { return false }
        let stem = String(text[..<dot])
        let type = text[text.index(after: dot)...].lowercased()
        let isDocument = LintWords.documentExtensions.contains(type)
        guard isDocument || LintWords.mediaExtensions.contains(type) else { return false }
        // Reverse domain names end in such words too.
        if !isAddress, stem.contains(".") { return false }
        let lower = stem.lowercased()
        if LintWords.numberedNames.contains(where: { lower.hasPrefix($0) && isCount(lower.dropFirst($0.utf8.count)) }) {
            return true
        }
        guard !TextShape.hasIdentity(stem) else { return false }
        return isDocument || !isAddress || isTitle(stem)
    }

    /// Digits, and perhaps a word between them such as `at`.
    private func isCount(_ text: Substring) -> Bool {
        text.contains(where: \.isNumber)
            && text.split { !$0.isLetter }.allSatisfy { ["e", "at", "um", "wa", "a"].contains($0) }
    }

    /// Two words and more with spaces between, and nothing that was given once.
    private func isTitle(_ text: String) -> Bool {
        guard text.contains(" "), !(parts.hasAuthority && parts.path.contains(" ")), !text.contains("<"),
            !text.contains("{")
        else { return false }
        return TextShape.words(text, by: " ").count >= 2 && !TextShape.hasIdentity(text)
    }

    /// The same with `+` for spaces, as forms write it.
    private func isFormTitle(_ leaf: String) -> Bool {
        guard parts.hasAuthority, !TextShape.hasIdentity(leaf) else { return false }
        let pieces = leaf.split(separator: "+", omittingEmptySubsequences: false)
        return pieces.count >= 3 && pieces.allSatisfy { $0.contains(where: \.isLetter) }
    }

    /// A slug as long as a title where people keep what they write themselves, and nothing else names the content.
    ///
    /// What was published keeps its address, however long: articles are not judged.
    private func isLongSlug(_ leaf: String) -> Bool {
        guard parts.hasAuthority, parts.query.isEmpty, !parts.path.utf8.contains(where: TextShape.isDigit),
            leaf.split(separator: "-").count >= 6
        else { return false }
        let places = parts.segments.dropLast() + parts.host.split(separator: ".").map(String.init)
        return places.contains { LintWords.ownPlaces.contains($0.lowercased()) }
    }

    /// One word of a script that no program makes names in.
    private func isBareWord(_ leaf: String) -> Bool {
        guard parts.isBare, parts.segments.count == 1, leaf.unicodeScalars.count >= 2 else { return false }
        return leaf.unicodeScalars.allSatisfy {
            (0x3040...0x30FF).contains($0.value) || (0x3400...0x9FFF).contains($0.value)
                || (0xAC00...0xD7A3).contains($0.value)
        }
    }
}

// MARK: - Spelling

// Safe to compare: all writers spell it in the same way.
extension LintPass {
    mutating func judgeSpelling() {
        judgeCharacters()
        guard parts.hasAuthority else { return }
        if let scheme = parts.scheme, scheme != scheme.lowercased() { find(.spelling, "upper case in '\(scheme)'") }
        if parts.isWeb {
            let isLocal = parts.host.lowercased().hasSuffix(".local")
            if !isLocal, parts.host.utf8.contains(where: { (0x41...0x5A).contains($0) }) {
                find(.spelling, "upper case in '\(parts.host)'")
            }
            if parts.host.hasSuffix(".") { find(.spelling, "a dot after '\(parts.host)'") }
            let ports = ["http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"]
            if let port = parts.port, port.isEmpty || ports[parts.lowercaseScheme] == port {
                find(.spelling, "the port that is the default, ':\(port)'")
            }
            if parts.path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) {
                find(.spelling, "'.' or '..' in the path")
            }
        }
        judgeTriplets()
    }

    /// White space, controls and invisible characters, written or encoded; letters with loose accents.
    private mutating func judgeCharacters() {
        let text = parts.text
        let decoded = IdentifierParts.decoded(text[...])
        for scalar in decoded.unicodeScalars where Self.isHazard(scalar) {
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return find(
                .spelling, "the character U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits)
        }
        if text.hasPrefix(" ") || text.hasSuffix(" ") { return find(.spelling, "a space at the edge") }
        if parts.hasAuthority, text.contains(" "), !text.contains("[object ") { find(.spelling, "a space") }
        var before: Unicode.Scalar?
        for scalar in decoded.unicodeScalars {
            if let base = before, base.properties.isAlphabetic, base.value < 0x250,
                (0x300...0x36F).contains(scalar.value)
            {
                return find(.spelling, "a letter and its accent apart (not NFC)")
            }
            before = scalar
        }
    }

    private static func isHazard(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0xA0, 0xAD, 0x200B...0x200F, 0x2028...0x202F, 0x2060...0x206F, 0xFEFF, 0xFFFD, 0x3000,
            0x2000...0x200A:
            true
        default: false
        }
    }

    private mutating func judgeTriplets() {
        guard !has(.placeholder) else { return }
        let bytes = Array(parts.path.utf8)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == ASCII.percent else {
                index += 1
                continue
            }
            guard let value = PercentEncoding.triplet(in: bytes, at: index) else {
                if parts.segments.contains(where: { LintWords.unfilled.contains($0) }) { return }
                return find(.spelling, "a '%' without two hexadecimal digits")
            }
            let triplet = String(decoding: bytes[index..<index + 3], as: UTF8.self)
            if !PercentEncoding.isUpperCase(bytes[index..<index + 3]) {
                return find(.spelling, "lower case in '\(triplet)'")
            }
            if PercentEncoding.isUnreserved(value) { return find(.spelling, "'\(triplet)', which needs no encoding") }
            if value == ASCII.percent, index + 4 < bytes.count, Hexadecimal.value(of: bytes[index + 3]) != nil,
                Hexadecimal.value(of: bytes[index + 4]) != nil
            {
                return find(.spelling, "'%25', which is encoded twice")
            }
            index += 3
        }
    }
}
