internal import UsherPayload
internal import UsherResolution
internal import UsherScene
internal import UsherStore

// `rate` of a manifest: how often an app's pushes may interrupt (Documentation/Notifications.md).

extension Decision {
    /// The limit that this is held to: of a push that nobody has tapped, which would be shown or bring a window forward.
    var rate: InterruptionRate? {
        guard inquiry.level != nil, policy != .background, let rate = ofApp({ $0.notifications.rate }) ?? nil else {
            return nil
        }
        switch action {
        case .notify, .focus, .launch, .openWeb: return rate
        case .background, .none: return nil
        }
    }

    /// Holds it back where the app has interrupted often enough, and notes whether it counts itself; whether anything of
    /// the decision has changed by that.
    ///
    /// A notification that takes the place of one that is shown is none more. A critical one is never held back.
    ///
    /// - Parameter delivery: nil where nothing comes of it.
    mutating func observeRate(
        of delivery: String?, collapse: String?, in facts: inout some PlanningFacts & ~Copyable
    ) throws(StoreError) -> Bool {
        guard let rate, let appID else { return false }
        let recent = try facts.interruptions(
            of: appID, within: rate.milliseconds, for: delivery, collapse: action == .notify ? collapse : nil)
        return observe(recent, rate)
    }

    /// The same for what is only looked at.
    mutating func observeRate(collapse: String?, in store: Store) throws(StoreError) {
        guard let rate, let appID else { return }
        let recent = try store.interruptions(
            of: appID, within: rate.milliseconds, for: nil, collapse: action == .notify ? collapse : nil)
        _ = observe(recent, rate)
    }

    private mutating func observe(_ recent: RecentInterruptions, _ rate: InterruptionRate) -> Bool {
        if recent.isReplacement || recent.isCounted { return false }
        if inquiry.level == .critical || recent.others < rate.limit {
            interruption = rate
            return false
        }
        action = .none
        policy = .rate
        command = nil
        notes.append(.heldBack(rate))
        return true
    }
}

extension Diagnostic {
    /// The app has interrupted as often as its manifest lets it.
    static func heldBack(_ rate: InterruptionRate) -> Self {
        .init(
            .notificationRate, "held back: the app's pushes may interrupt \(rate.words), and have",
            help: "the app's `rate` says so; usher deliveries list has what came meanwhile")
    }
}
