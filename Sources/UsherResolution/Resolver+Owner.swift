public import UsherScene

extension Resolver {
    /// Line 1 of the resolution: whose request it is.
    enum Owner {
        case found(App, OwnerRule)
        case failed(Resolution.Failure)
    }

    func owner(of request: ActivationRequest, aliases: [TargetContentIdentifier]) -> Owner {
        let apps = snapshot.configuration.apps
        switch request.app {
        case .id(let name): return named(name, in: apps)
        case .topic(let topic): return topical(topic, in: apps)
        case nil: break
        }
        if let id = request.session, let session = snapshot.sessions.session(id: id),
            let app = snapshot.configuration.app(id: session.app)
        {
            return .found(app, .session)
        }
        if let type = request.activityType {
            let owners = apps.filter { $0.activityTypes.contains { $0.value == type } }
            if let owner = decide(owners, "the activity type \(type)", .activityType) { return owner }
        }
        if let type = request.shortcutType {
            let owners = apps.filter { $0.shortcuts.contains { $0.type == type } }
            if let owner = decide(owners, "the shortcut type \(type)", .shortcutType) { return owner }
        }
        for subject in aliases.isEmpty ? [request.url].compactMap({ $0 }).map(TargetContentIdentifier.init) : aliases {
            if let owner = domainOwner(of: subject) { return owner }
        }
        if apps.count == 1, let only = apps.first { return .found(only, .onlyApp) }
        guard !apps.isEmpty else {
            return .failed(.init(.noApp, "no app is configured", help: "usher init writes a first configuration"))
        }
        let subject = (aliases.first?.text ?? request.url).map { "nobody owns \($0)" } ?? "the request names no content"
        return .failed(
            .init(
                .noApp, "\(subject), and there are \(apps.count) apps",
                help: "name the app in the request (app, apns-topic), or add the host to domains in its manifest"))
    }

    private func named(_ name: String, in apps: [App]) -> Owner {
        if let app = snapshot.configuration.app(id: name) ?? apps.first(where: { $0.topics.contains(name) }) {
            return .found(app, .named)
        }
        return unknown("there is no app \(name)", name, in: apps)
    }

    private func topical(_ topic: String, in apps: [App]) -> Owner {
        for candidate in [topic] + PushTopic.bases(of: topic) {
            if let app = apps.first(where: { $0.id == candidate || $0.topics.contains(candidate) }) {
                return .found(app, .topic)
            }
        }
        return unknown("no app has the topic \(topic)", topic, in: apps)
    }

    private func unknown(_ message: String, _ name: String, in apps: [App]) -> Owner {
        let close = Suggestion.closest(to: name, among: apps.flatMap { [$0.id] + $0.topics })
        let known = apps.prefix(8).map(\.id).joined(separator: ", ")
        return .failed(
            .init(
                .noApp, message,
                help: close.map { "did you mean \($0)?" } ?? (known.isEmpty ? nil : "there are: \(known)")))
    }

    private func decide(_ owners: [App], _ what: String, _ rule: OwnerRule) -> Owner? {
        if owners.count > 1 {
            let names = owners.map(\.id).joined(separator: ", ")
            return .failed(
                .init(.ambiguousApp, "\(what) is declared by \(names)", help: "name the app in the request"))
        }
        return owners.first.map { .found($0, rule) }
    }

    /// The app whose domain (and path) accounts for the most of a URL.
    private func domainOwner(of subject: TargetContentIdentifier) -> Owner? {
        guard let (host, rest) = subject.webHost else { return nil }
        let claims = domains.longest(host: host, rest: rest)
        let apps = snapshot.configuration.apps
        guard let first = claims.first else { return nil }
        if claims.count > 1 {
            let names = claims.map { apps[$0.app].id }.joined(separator: ", ")
            return .failed(
                .init(
                    .ambiguousApp, "\(subject.text) is owned by \(names)",
                    help: "name the app in the request, or give one of them a longer path in domains"))
        }
        return .found(apps[first.app], .domain(first.domain))
    }
}

/// Why a request went to its app.
public enum OwnerRule: Sendable, Hashable {
    case named, topic, session, activityType, shortcutType, onlyApp
    case domain(Located<String>)
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
