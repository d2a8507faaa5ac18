public import UsherScene
internal import UsherText

extension Resolver {
    /// Line 1 of the resolution: whose request it is.
    enum Owner {
        /// The place of the app in the configuration.
        case found(Int, OwnerRule)
        case failed(Diagnostic)
        /// The app that is meant is not configured, here at least: the request's web page stands in for it.
        case absent(Diagnostic)
        /// Who has the host, and whose association file leaves it to the browser.
        indirect case refused(OwnerRefusal)
    }

    func owner(of request: ActivationRequest, aliases: [TargetContentIdentifier]) -> Owner {
        let apps = snapshot.configuration.apps
        switch request.app {
        case .id(let name): return named(name, in: apps)
        case .topic(let topic): return topical(topic, in: apps)
        case nil: break
        }
        if let id = request.session, let session = snapshot.sessions.session(id: id),
            let app = snapshot.configuration.place(ofApp: session.app)
        {
            return .found(app, .session)
        }
        if let type = request.activityType {
            let owners = apps.indices.filter { apps[$0].activityTypes.contains { $0.value == type } }
            if let owner = decide(owners, "the activity type \(type)", .activityType) { return owner }
        }
        if let type = request.shortcutType {
            let owners = apps.indices.filter { apps[$0].shortcuts.contains { $0.type == type } }
            if let owner = decide(owners, "the shortcut type \(type)", .shortcutType) { return owner }
        }
        let subjects = aliases.isEmpty ? [request.url].compactMap({ $0 }).map(TargetContentIdentifier.init) : aliases
        var refusals: [OwnerRefusal] = []
        for subject in subjects {
            if let owner = domainOwner(of: subject, refusals: &refusals) { return owner }
            if let owner = schemeOwner(of: subject) { return owner }
        }
        if let refusal = refusals.first { return .refused(refusal) }
        // What is built in is nobody's only app.
        let own = apps.indices.filter { !apps[$0].isBuiltIn }
        if let type = request.activityType, request.webPage != nil,
            own.count != 1 || own.contains(where: { !apps[$0].activityTypes.isEmpty })
        {
            // Once declared by an app that is gone: the only one left, if it declares others, is not its heir.
            let close = Suggestion.closest(to: type, among: apps.flatMap { $0.activityTypes.map(\.value) })
            return .absent(
                .init(
                    .noApp, "no app declares the activity type \(type)",
                    help: close.map { "did you mean \($0)?" } ?? "add it to activity-types of the app's manifest"))
        }
        if own.count == 1 { return .found(own[0], .onlyApp) }
        guard !own.isEmpty else {
            return .failed(.init(.noApp, "no app is configured", help: "usher init writes a first configuration"))
        }
        let subject = (aliases.first?.text ?? request.url).map { "nobody owns \($0)" } ?? "the request names no content"
        return .failed(
            .init(
                .noApp, "\(subject), and there are \(own.count) apps",
                help:
                    "name the app in the request (app, apns-topic), or add the host to domains, or the scheme to schemes,"
                    + " in its manifest"))
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
        let close = Suggestion.closest(to: name, among: apps.flatMap { [$0.id] + $0.topics })
        let known = apps.prefix(8).map(\.id).joined(separator: ", ")
        return .init(
            .noApp, message,
            help: close.map { "did you mean \($0)?" } ?? (known.isEmpty ? nil : "there are: \(known)"))
    }

    private func decide(_ owners: [Int], _ what: String, _ rule: OwnerRule) -> Owner? {
        if owners.count > 1 {
            let names = owners.map { snapshot.configuration.apps[$0].id }.joined(separator: ", ")
            return .failed(
                .init(.ambiguousApp, "\(what) is declared by \(names)", help: "name the app in the request"))
        }
        return owners.first.map { .found($0, rule) }
    }

    /// The app whose domain (with a path, or with what its association file says) accounts for the most of a URL.
    private func domainOwner(of subject: TargetContentIdentifier, refusals: inout [OwnerRefusal]) -> Owner? {
        guard let (host, rest) = subject.webHost else { return nil }
        var refused: [DomainTable.Refusal] = []
        let matches = domains.longest(host: host, rest: rest, refusals: &refused)
        let apps = snapshot.configuration.apps
        for refusal in refused { refusals.append(OwnerRefusal(refusal, of: subject, in: apps)) }
        guard let first = matches.first else { return nil }
        if matches.count > 1 {
            let names = matches.map { match -> String in
                let app = apps[match.claim.app]
                return app.id + (match.rule.flatMap { app.association?.rules[$0] }.map { " (\($0.location))" } ?? "")
            }
            return .failed(
                .init(
                    .ambiguousApp, "\(subject.text) is owned by \(names.joined(separator: ", "))",
                    help: first.rule == nil
                        ? "name the app in the request, or give one of them a longer path in domains"
                        : "name the app in the request, or let one association file say more of the path"))
        }
        guard let place = first.rule, let association = apps[first.claim.app].association else {
            return .found(first.claim.app, .domain(first.claim.domain))
        }
        let rule = association.rules[place]
        return .found(
            first.claim.app,
            .association(domain: first.claim.domain, rule: Located(rule.summary, at: rule.location)))
    }

    /// The app that has the scheme of an identifier.
    private func schemeOwner(of subject: TargetContentIdentifier) -> Owner? {
        let claims = schemes.claims(to: subject)
        guard let claim = claims.first else { return nil }
        guard claims.count == 1 else {
            let names = claims.map { snapshot.configuration.apps[$0.app].id }.joined(separator: ", ")
            return .failed(
                .init(
                    .ambiguousApp, "the scheme of \(subject.text) is owned by \(names)",
                    help: "name the app in the request, or take the scheme out of one manifest"))
        }
        return .found(claim.app, .scheme(claim.scheme))
    }

    /// The apps that have the host of a request and whose association files leave it to the browser, as far as the owner
    /// is looked for by its content.
    func refusals(of request: ActivationRequest, aliases: [TargetContentIdentifier]) -> [OwnerRefusal] {
        guard domains.hasAssociations else { return [] }
        var refusals: [OwnerRefusal] = []
        let subjects = aliases.isEmpty ? [request.url].compactMap({ $0 }).map(TargetContentIdentifier.init) : aliases
        for subject in subjects {
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
    ///   - hasWebsite: whether targets that are addresses are pages, too.
    func fallbackPage(
        _ aliases: [TargetContentIdentifier], hasWebsite: Bool
    ) -> (url: String, isTarget: Bool)? {
        let newest = hasWebsite ? aliases.first.flatMap { $0.isWebAddress ? $0 : nil } : nil
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
    /// The app has the host, and a rule of its association file, told by its patterns, gives it the address.
    indirect case association(domain: Located<String>, rule: Located<String>)
}

/// An app that has the host of an identifier, and whose association file does not give it that identifier.
public struct OwnerRefusal: Sendable, Hashable {
    public var app: String
    public var subject: TargetContentIdentifier
    public var domain: Located<String>
    /// The association file.
    public var path: String
    /// The rule that excludes the identifier, told by its patterns; nil where no rule speaks of it.
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
                ? "let a component include it, or name the app in the request"
                : "drop `exclude` there, let a component before it include it, or name the app in the request")
    }
}

/// The suffixes that an `apns-topic` has after the bundle id, by push type.
enum PushTopic {
    static let suffixes = [
        ".push-type.liveactivity", ".push-type.controls", ".push-type.widgets", ".pushkit.fileprovider",
        ".location-query", ".voip-ptt", ".voip", ".complication",
    ]

    static func bases(of topic: String) -> [String] {
        suffixes.filter { topic.hasSuffix($0) && topic.utf8.count > $0.utf8.count }.map {
            String(topic.dropLast($0.count))
        }
    }
}
