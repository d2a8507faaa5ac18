public import UsherScene
internal import UsherText

extension Resolver {
    /// Line 1 of the resolution: which app owns the request.
    enum Owner {
        /// The place of the app in the configuration.
        case found(Int, OwnerRule)
        /// Several apps have equal claims; the one that was used last is taken.
        indirect case foundAmong(Int, OwnerRule, Diagnostic)
        case failed(Diagnostic)
        /// The intended app is not configured on this system, or no app may have the activity: the web page of the request
        /// is used instead.
        case absent(Diagnostic)
        /// A page that no app claims.
        case unclaimed(String)
        /// The app has the host, but leaves the request to the browser because of its association file.
        indirect case refused(OwnerRefusal)

        /// The app that gets the request.
        var app: (place: Int, rule: OwnerRule)? {
            switch self {
            case .found(let place, let rule), .foundAmong(let place, let rule, _): (place, rule)
            case .failed, .absent, .unclaimed, .refused: nil
            }
        }
    }

    /// The id of the app that a request is for whatever content it names: the one that it names itself, else the only one.
    package func appWithoutContent(of request: ActivationRequest) -> String? {
        var request = request
        (request.target, request.url, request.newestURL) = (nil, nil, nil)
        let apps = snapshot.configuration.apps
        if let place = owner(of: request, aliases: []).app?.place { return apps[place].id }
        guard request.app == nil, request.session == nil else { return nil }
        let own = apps.lazy.filter { !$0.isBuiltIn }.prefix(2)
        return own.count == 1 ? own.first?.id : nil
    }

    func owner(of request: ActivationRequest, aliases: [TargetContentIdentifier]) -> Owner {
        let apps = snapshot.configuration.apps
        if let type = request.activityType, type != ActivationRequest.browsingActivity {
            let named = namedApp(of: request, in: apps)
            if let refusal = undeclared(type, named?.app?.place, in: apps) { return .absent(refusal) }
            if let named { return named }
        } else if let named = namedApp(of: request, in: apps) {
            return named
        }
        if let type = request.activityType {
            let owners = apps.indices.filter { apps[$0].activityTypes.contains { $0.value == type } }
            if let owner = decide(owners, "the activity type \(type)", .activityType, request) { return owner }
        }
        if let type = request.shortcutType {
            let owners = apps.indices.filter { apps[$0].shortcuts.contains { $0.type.hasSameBytes(as: type) } }
            if let owner = decide(owners, "the shortcut type \(type)", .shortcutType, request) { return owner }
        }
        let subjects = claimable(of: request, aliases: aliases)
        var refusals: [OwnerRefusal] = []
        for subject in subjects {
            if let owner = domainOwner(of: subject, refusals: &refusals) { return owner }
            if let owner = schemeOwner(of: subject) { return owner }
        }
        if let refusal = refusals.first { return .refused(refusal) }
        if request.carrier == .link, let page = request.webPage { return .unclaimed(page) }
        // Built-in apps do not count for the rule of the only app.
        let own = apps.indices.filter { !apps[$0].isBuiltIn }
        let isForOnlyApp = request.carrier == .notification || request.carrier == .shortcutItem
        if isForOnlyApp, own.count == 1 { return .found(own[0], .onlyApp) }
        guard !own.isEmpty else {
            return .failed(.init(.noApp, "no app is configured", help: "usher init writes a first configuration"))
        }
        if let text = aliases.first?.text ?? request.url, let help = missingScheme(of: text) {
            return .failed(.init(.noApp, "no app claims \(text)", help: help))
        }
        let subject =
            (aliases.first?.text ?? request.url).map { "no app claims \($0)" } ?? "the request names no content"
        return .failed(
            .init(
                .noApp, isForOnlyApp ? "\(subject), and there are \(own.count) apps" : subject,
                help:
                    "\(request.carrier.namingOfApp); or add the host to domains, or the scheme to schemes, in its manifest"
            ))
    }

    /// What to write for an address of an app's without its `https://`; nil for any other text.
    private func missingScheme(of text: String) -> String? {
        let address = TargetContentIdentifier("https://" + text)
        var refusals: [OwnerRefusal] = []
        guard TargetContentIdentifier(text).scheme == nil, !text.utf8.contains(UInt8(ascii: " ")),
            let owner = domainOwner(of: address, refusals: &refusals)?.app
        else { return nil }
        return "write \(address.text), which is \(snapshot.configuration.apps[owner.place].id)'s"
    }

    /// The app that the request names, by its id, a topic or a session; nil if it names none.
    private func namedApp(of request: ActivationRequest, in apps: [App]) -> Owner? {
        switch request.app {
        case .id(let name): return named(name, in: apps)
        case .topic(let topic): return topical(topic, in: apps)
        case nil: break
        }
        guard let id = request.session else { return nil }
        if let session = snapshot.sessions.session(id: id),
            let app = snapshot.configuration.place(ofApp: session.app)
        {
            return .found(app, .session)
        }
        // A request for that window alone goes nowhere else.
        return request.carrier == .scene ? .failed(.noSession(id)) : nil
    }

    /// Why no app may have an activity of this type: none declares it, or the app that the request names declares others.
    private func undeclared(_ type: String, _ named: Int?, in apps: [App]) -> Diagnostic? {
        let close = { (types: [String]) in Spelling.closest(to: type, among: types).map { "did you mean \($0)?" } }
        if let named, !apps[named].activityTypes.isEmpty {
            let types = apps[named].activityTypes.map(\.value)
            if types.contains(where: { $0.hasSameBytes(as: type) }) { return nil }
            return .init(
                .activityUndeclaredType, "\(apps[named].id) does not declare the activity type \(type)",
                help: close(types) ?? "add it to activity-types of its manifest")
        }
        let types = apps.flatMap { $0.activityTypes.map(\.value) }
        if types.contains(where: { $0.hasSameBytes(as: type) }) { return nil }
        return .init(
            .activityUndeclaredType, "no app declares the activity type \(type)",
            help: close(types) ?? "add it to activity-types of the app's manifest")
    }

    private func named(_ name: String, in apps: [App]) -> Owner {
        if let app = snapshot.configuration.place(ofApp: name) ?? apps.firstIndex(where: { $0.topics.contains(name) }) {
            return .found(app, .named)
        }
        return .absent(unknown("there is no app \(name)", name, in: apps))
    }

    private func topical(_ topic: String, in apps: [App]) -> Owner {
        for candidate in [topic] + PushTopic.bases(of: topic) {
            if let app = apps.firstIndex(where: { $0.id == candidate || $0.topics.contains(candidate) }) {
                return .found(app, .topic)
            }
        }
        return .failed(unknown("no app has the topic \(topic)", topic, in: apps))
    }

    private func unknown(_ message: String, _ name: String, in apps: [App]) -> Diagnostic {
        let apps = apps.filter { !$0.isBuiltIn }
        if let help = PushTopic.help(of: name, in: apps) { return .init(.noApp, message, help: help) }
        let close = Spelling.closest(to: name, among: apps.flatMap { [$0.id] + $0.topics })
        let known = apps.prefix(8).map(\.id).joined(separator: ", ")
        return .init(
            .noApp, message,
            help: close.map { "did you mean \($0)?" } ?? (known.isEmpty ? nil : "there are: \(known)"))
    }

    private func decide(_ owners: [Int], _ what: String, _ rule: OwnerRule, _ request: ActivationRequest) -> Owner? {
        if owners.count > 1 {
            let names = owners.map { snapshot.configuration.apps[$0].id }.joined(separator: ", ")
            return .failed(
                .init(.ambiguousApp, "\(what) is declared by \(names)", help: request.carrier.namingOfApp))
        }
        return owners.first.map { .found($0, rule) }
    }

    /// The app with the longest match of a URL by its domain (with a path, or with a rule of its association file).
    private func domainOwner(of subject: TargetContentIdentifier, refusals: inout [OwnerRefusal]) -> Owner? {
        if let claim = domains.soleClaim(to: subject) { return .found(claim.app, .domain(claim.domain)) }
        guard let (host, rest) = subject.webHost else { return nil }
        var refused: [DomainTable.Refusal] = []
        let matches = domains.longest(host: host, rest: rest, refusals: &refused)
        let apps = snapshot.configuration.apps
        for refusal in refused { refusals.append(OwnerRefusal(refusal, of: subject, in: apps)) }
        guard let first = matches.first else { return nil }
        if matches.count == 1 { return .found(first.claim.app, rule(of: first)) }
        return usedLast(of: matches.map { ($0.claim.app, rule(of: $0)) }, claiming: subject)
    }

    private func rule(of match: DomainTable.Match) -> OwnerRule {
        guard let place = match.rule, let association = snapshot.configuration.apps[match.claim.app].association else {
            return .domain(match.claim.domain)
        }
        let rule = association.rules[place]
        return .association(domain: match.claim.domain, rule: Located(rule.summary, at: rule.location))
    }

    /// Of apps with equal claims to an identifier, the one with the session that was used last; of apps without a used
    /// session, the first by the bytes of its id.
    private func usedLast(
        of claims: [(app: Int, rule: OwnerRule)], claiming subject: TargetContentIdentifier
    ) -> Owner {
        let apps = snapshot.configuration.apps
        let uses = claims.map { snapshot.sessions.lastUse(ofApp: apps[$0.app].id) ?? .min }
        let order = claims.indices.sorted { one, other in
            uses[one] == uses[other]
                ? apps[claims[one].app].id.utf8.lexicographicallyPrecedes(apps[claims[other].app].id.utf8)
                : uses[one] > uses[other]
        }
        let names = order.map { apps[claims[$0].app].id }
        let winner = claims[order[0]]
        return .foundAmong(
            winner.app, winner.rule,
            .init(
                .severalApps,
                "\(names.joined(separator: ", ")) claim \(subject.text): \(names[0]) "
                    + (uses[order[0]] == .min ? "is the first by its id" : "was used last"),
                help: "name the app: --app ID; or give one of them a longer path in domains"))
    }

    /// The app that has the scheme of an identifier.
    private func schemeOwner(of subject: TargetContentIdentifier) -> Owner? {
        let claims = schemes.claims(to: subject)
        guard let claim = claims.first else { return nil }
        if claims.count == 1 { return .found(claim.app, .scheme(claim.scheme)) }
        return usedLast(of: claims.map { ($0.app, .scheme($0.scheme)) }, claiming: subject)
    }

    /// Every app that claims the first claimed identifier of a request, the longest claim first.
    func claims(to request: ActivationRequest, aliases: [TargetContentIdentifier]) -> [OwnerClaim] {
        for subject in claimable(of: request, aliases: aliases) {
            let found = claims(to: subject)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// What an app can claim of a request: its content under each of its identifiers, else its URL.
    func claimable(
        of request: ActivationRequest, aliases: [TargetContentIdentifier]
    ) -> [TargetContentIdentifier] {
        aliases.isEmpty ? [request.url].compactMap({ $0 }).map(TargetContentIdentifier.init) : aliases
    }

    /// The claims that hold for an identifier: those of domains; where there is none, those of schemes.
    func matches(
        of subject: TargetContentIdentifier
    ) -> (domains: [DomainTable.Match], schemes: [SchemeTable.Claim]) {
        if let (host, rest) = subject.webHost {
            var refusals: [DomainTable.Refusal] = []
            let found = domains.longest(host: host, rest: rest, refusals: &refusals, keepsAll: true)
            if !found.isEmpty { return (found, []) }
        }
        return ([], schemes.claims(to: subject))
    }

    /// Whether an app has the identifier by `domains`, an association file or `schemes`.
    public func isClaimed(_ subject: TargetContentIdentifier) -> Bool {
        let (domains, schemes) = matches(of: subject)
        return !domains.isEmpty || !schemes.isEmpty
    }

    func claims(to subject: TargetContentIdentifier) -> [OwnerClaim] {
        let (matches, schemes) = matches(of: subject)
        let apps = snapshot.configuration.apps
        let found =
            matches.map { match in
                OwnerClaim(
                    place: match.claim.app, rule: rule(of: match), length: match.length, in: apps, snapshot.sessions)
            }
            + schemes.map {
                OwnerClaim(
                    place: $0.app, rule: .scheme($0.scheme), length: $0.scheme.value.utf8.count, in: apps,
                    snapshot.sessions)
            }
        return found.sorted { one, other in
            if one.length != other.length { return one.length > other.length }
            if one.used != other.used { return (one.used ?? .min) > (other.used ?? .min) }
            return one.app.utf8.lexicographicallyPrecedes(other.app.utf8)
        }
    }

    /// The apps that have the host of a request, but leave it to the browser because of their association files, as far
    /// as the owner is searched by the content of the request.
    func refusals(of request: ActivationRequest, aliases: [TargetContentIdentifier]) -> [OwnerRefusal] {
        guard domains.hasAssociations else { return [] }
        var refusals: [OwnerRefusal] = []
        for subject in claimable(of: request, aliases: aliases) {
            if domainOwner(of: subject, refusals: &refusals) != nil { break }
        }
        return refusals
    }
}

extension ActivationRequest {
    /// The page that it names beside its target, where a browser can show it.
    var webPage: String? { page.flatMap { TargetContentIdentifier($0).isWebAddress ? $0 : nil } }

    /// The page that a browser shows where no window does: the one that the request names, which says it more exactly, else
    /// its target's. Of content that has moved it is the target's, unless the page itself has a new address.
    ///
    /// - Parameters:
    ///   - aliases: of the target, the newest identifier first.
    ///   - tied: the newest that is no other one of the content: see `Redirection.firstTied`.
    ///   - hasWebsite: whether targets that are addresses are pages, too.
    func fallbackPage(
        _ aliases: [TargetContentIdentifier], tied: TargetContentIdentifier? = nil, hasWebsite: Bool
    ) -> (url: String, isTarget: Bool)? {
        let newest = hasWebsite ? [tied, aliases.first].compactMap { $0 }.first { $0.isWebAddress } : nil
        if let webPage, newest == nil || newestURL != nil || newest == target {
            return (webPage, newest.map { $0 == TargetContentIdentifier(webPage) } ?? false)
        }
        return newest.map { ($0.text, true) }
    }
}

/// Why a request went to its app.
public enum OwnerRule: Sendable, Hashable {
    case named, topic, session, activityType, shortcutType, onlyApp
    case domain(Located<String>)
    /// The identifier has a scheme of the app's.
    case scheme(Located<String>)
    /// The app has the host, and a rule of its association file gives it the address. `rule` has the patterns of the
    /// rule.
    indirect case association(domain: Located<String>, rule: Located<String>)

    /// Whether the app claims the identifier, and the request needs no other reason.
    var isClaim: Bool {
        switch self {
        case .domain, .scheme, .association: true
        case .named, .topic, .session, .activityType, .shortcutType, .onlyApp: false
        }
    }
}

/// An app that claims an identifier by `domains`, an association file or `schemes`.
public struct OwnerClaim: Sendable, Hashable {
    /// The place of the app in the configuration.
    let place: Int
    public let app: String
    /// What the manifest or the association file says.
    public let claim: Located<String>
    /// How many bytes of the identifier it accounts for.
    public let length: Int
    /// When a session of the app was used last, in microseconds since 1970.
    public let used: Int64?
    public internal(set) var wins = false

    init(place: Int, rule: OwnerRule, length: Int, in apps: [App], _ sessions: SessionTable) {
        self.place = place
        app = apps[place].id
        claim =
            switch rule {
            case .domain(let domain): domain
            case .scheme(let scheme): scheme
            case .association(_, let rule): rule
            case .named, .topic, .session, .activityType, .shortcutType, .onlyApp:
                Located("", at: apps[place].location)
            }
        self.length = length
        used = sessions.lastUse(ofApp: app)
    }
}

/// An app that has the host of an identifier, but does not get the identifier because of its association file.
public struct OwnerRefusal: Sendable, Hashable {
    public var app: String
    public var subject: TargetContentIdentifier
    public var domain: Located<String>
    /// The association file.
    public var path: String
    /// The patterns of the rule that excludes the identifier; nil if no rule matches it.
    public var rule: Located<String>?

    init(_ refusal: DomainTable.Refusal, of subject: TargetContentIdentifier, in apps: [App]) {
        let app = apps[refusal.app]
        self.app = app.id
        self.subject = subject
        domain = refusal.domain
        path = app.association?.path ?? ""
        rule = refusal.rule.flatMap { app.association?.rules[$0] }.map { Located($0.summary, at: $0.location) }
    }

    /// Without its subject: `excluded by /help/*`.
    public var phrase: String {
        rule.map { "excluded by \($0.value)" } ?? "no component of its association file matches"
    }

    var failure: Diagnostic {
        let message =
            if let rule {
                "\(subject.text) is excluded by \(rule.value), \(rule.location): it is not \(app)'s"
            } else {
                "\(subject.text) matches no component of \(path): it is not \(app)'s"
            }
        return .init(
            .noApp, message,
            help: rule == nil
                ? "let a component include it, or name the app: --app ID"
                : "drop `exclude` there, let a component before it include it, or name the app: --app ID")
    }
}

extension ActivationRequest.Carrier {
    /// How a request of this kind names its app.
    fileprivate var namingOfApp: String {
        let (member, topic) =
            switch self {
            case .notification: ("payload", " or apns-topic")
            case .shortcutItem: ("shortcutItem", "")
            case .activity: ("userActivity", "")
            case .link: ("url", "")
            case .scene: ("payload", "")
            }
        return "name the app: --app ID, or an envelope {\"\(member)\":…,\"app\":\"ID\"}\(topic)"
    }
}

/// The suffixes that an `apns-topic` has after the bundle id, by push type.
private enum PushTopic {
    private static let suffixes = [
        ".push-type.liveactivity", ".push-type.controls", ".push-type.widgets", ".pushkit.fileprovider",
        ".location-query", ".voip-ptt", ".voip", ".complication",
    ]

    static func bases(of topic: String) -> [String] {
        suffixes.filter { topic.hasSuffix($0) && topic.utf8.count > $0.utf8.count }.map {
            String(topic.dropLast($0.count))
        }
    }

    /// What the bundle ids of an app's App Clip and of its watch app have after the app's own.
    private static let companions = [".Clip", ".watchkitapp"]

    /// What to do about the unknown topic of an App Clip or a watch app whose app is known.
    static func help(of topic: String, in apps: [App]) -> String? {
        for candidate in [topic] + bases(of: topic) {
            for companion in companions where candidate.hasSuffix(companion) {
                let owner = String(candidate.dropLast(companion.count))
                guard let app = apps.first(where: { $0.id == owner || $0.topics.contains(owner) }) else { continue }
                return "if \(app.id) is to have its pushes, add \"\(candidate)\" to topics in \(app.location.path)"
            }
        }
        return nil
    }
}
