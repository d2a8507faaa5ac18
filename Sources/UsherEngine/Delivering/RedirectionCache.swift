internal import UsherScene
internal import UsherStore

/// Where identifiers lead, by one version of the redirects: what is asked for often is looked up once.
struct RedirectionCache: Sendable {
    /// See `Store.Sessions.redirects`.
    let version: Int64
    private var known: [TargetContentIdentifier: Redirection] = [:]

    /// The most entries. When they are reached, all are removed.
    private static let limit = 256

    init(version: Int64) { self.version = version }

    /// Where a target leads: line 0 of the resolution. Looks nothing up while there is no redirect at all.
    private mutating func redirection(
        of target: TargetContentIdentifier?,
        _ look: (TargetContentIdentifier) throws(StoreError) -> Redirection
    ) throws(StoreError) -> Redirection {
        guard version > 0, let target else { return .none }
        if let known = known[target] { return known }
        let found = try look(target)
        if known.count >= RedirectionCache.limit { known.removeAll(keepingCapacity: true) }
        known[target] = found
        return found
    }

    /// Where a request's target leads. If its web page has moved, `newestURL` of the request is set as well.
    mutating func follow(
        _ payloadRequest: inout PayloadRequest, _ look: (TargetContentIdentifier) throws(StoreError) -> Redirection
    ) throws(StoreError) -> Redirection {
        guard version > 0 else { return .none }
        let url = payloadRequest.request.url.map { TargetContentIdentifier($0) }
        let redirection = try redirection(of: payloadRequest.request.target ?? url, look)
        if let url {
            let own = payloadRequest.request.target == url ? redirection : try self.redirection(of: url, look)
            if !own.hops.isEmpty { payloadRequest.request.newestURL = own.newest(of: url).text }
        }
        return redirection
    }
}
