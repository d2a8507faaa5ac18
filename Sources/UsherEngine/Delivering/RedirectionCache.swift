internal import UsherResolution
internal import UsherScene
internal import UsherStore

/// Where identifiers lead, by one version of redirects and ties: what is asked for often is looked up once.
struct RedirectionCache: Sendable {
    /// See `Store.Sessions.redirects`.
    let version: Int64
    private var known: [Question: Redirection] = [:]

    private struct Question: Hashable {
        var target: TargetContentIdentifier
        var ties: Ties
    }

    /// The most entries. When they are reached, all are removed.
    private static let limit = 256

    init(version: Int64) { self.version = version }

    private mutating func redirection(
        of target: TargetContentIdentifier, _ ties: Ties,
        _ look: (TargetContentIdentifier, Ties) throws(StoreError) -> Redirection
    ) throws(StoreError) -> Redirection {
        let question = Question(target: target, ties: ties)
        if let known = known[question] { return known }
        let found = try look(target, ties)
        if known.count >= RedirectionCache.limit { known.removeAll(keepingCapacity: true) }
        known[question] = found
        return found
    }

    /// Where a request's target leads: line 0 of the resolution. Of its web page, `newestURL` of the request is set as well,
    /// where that has moved or is tied to other content. Looks nothing up while there is no redirect and no tie at all.
    mutating func follow(
        _ payloadRequest: inout PayloadRequest, in resolver: Resolver,
        _ look: (TargetContentIdentifier, Ties) throws(StoreError) -> Redirection
    ) throws(StoreError) -> Redirection {
        guard version > 0 else { return .none }
        let url = payloadRequest.request.url.map { TargetContentIdentifier($0) }
        guard let target = payloadRequest.request.target ?? url else { return .none }
        let ties = Ties.within(app: resolver.appWithoutContent(of: payloadRequest.request))
        let redirection = try redirection(of: target, ties, look)
        if let url {
            let own = target == url ? redirection : try self.redirection(of: url, ties, look)
            // The page itself is not that of the content it is tied to.
            if !own.hops.isEmpty { payloadRequest.request.newestURL = (own.firstTied ?? own.newest(of: url)).text }
        }
        return redirection
    }
}
