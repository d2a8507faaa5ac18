public import UsherScene
internal import UsherText

// A condition that a session was not given at run time is that of its scene in the present configuration. The store has what was
// present when it was last written, and which configuration that was.

extension Store {
    /// Gives the sessions the conditions that their scenes have in a configuration, a few thousand in a transaction. Those of
    /// scenes that it does not have stay as they are.
    ///
    /// - Returns: whether a session has changed. Nothing is looked at where they are those of this configuration already, or
    ///   it has no manifest.
    @discardableResult
    public func follow(_ configuration: Configuration) throws(StoreError) -> Bool {
        guard try !isFollowing(configuration) else { return false }
        var last: Int64? = .min
        var isChanged = false
        while let after = last {
            let step = try write { (state) throws(StoreError) in try state.follow(configuration, after: after) }
            last = step.last
            if step.isChanged { isChanged = true }
        }
        return isChanged
    }

    /// Whether the conditions in the store are those of a configuration.
    public func isFollowing(_ configuration: Configuration) throws(StoreError) -> Bool {
        if configuration.manifests.isEmpty { return true }
        return try read { (state) throws(StoreError) in try state.configurationOfConditions() }
            .map(configuration.digest.hasSameBytes(as:)) ?? false
    }
}

extension Store.Sessions {
    /// The same in this list only, for a caller that may not write to the store.
    public mutating func follow(_ configuration: Configuration) {
        if configuration.manifests.isEmpty || self.configuration?.hasSameBytes(as: configuration.digest) == true {
            return
        }
        for place in sessions.indices {
            if let conditions = configuration.conditions(of: sessions[place]) {
                sessions[place].conditions = conditions
            }
        }
    }
}

extension StoreState {
    mutating func configurationOfConditions() throws(StoreError) -> String? {
        try text("SELECT conditions FROM store")
    }

    /// How many sessions are looked at in one transaction.
    private static let followedSessions: Int64 = 5000

    /// - Returns: the last session that was looked at; nil once there is none left, and all count as those of the
    ///   configuration.
    fileprivate mutating func follow(
        _ configuration: Configuration, after last: Int64
    ) throws(StoreError) -> (last: Int64?, isChanged: Bool) {
        let found = try rows(
            "SELECT number, id FROM session WHERE number > ? ORDER BY number LIMIT ?",
            [.integer(last), .integer(StoreState.followedSessions)]
        ) { (number: $0.integer(0), id: $0.text(1)) }
        // Until all are followed, no configuration is the one whose conditions they have.
        if last == .min { try run("UPDATE store SET conditions = NULL") }
        guard let end = found.last?.number else {
            try run("UPDATE store SET conditions = ?", .text(configuration.digest))
            return (nil, false)
        }
        var isChanged = false
        for (number, id) in found {
            guard let session = try session(id: id), let wanted = configuration.conditions(of: session),
                wanted != session.conditions
            else { continue }
            isChanged = true
            try run(
                """
                UPDATE session SET can = ?, can_origin = ?, prefers = ?, prefers_origin = ?, generation = ? WHERE number = ?
                """, .integer(try row(of: wanted.canActivate.predicate)),
                .integer(Int64(wanted.canActivate.origin.rawValue)),
                .integer(try row(of: wanted.prefersToActivate.predicate)),
                .integer(Int64(wanted.prefersToActivate.origin.rawValue)), .integer(try nextGeneration()),
                .integer(number))
        }
        return (end, isChanged)
    }
}
