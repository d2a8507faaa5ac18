internal import UsherText

/// How deep requests are nested whose senders are handlers of other requests, so that a handler that asks for its own target
/// does not go on without end.
struct Nesting {
    /// A request in this depth is refused.
    static let deepest = 10
    /// How long a depth is kept, at least. Once it is dropped, requests of that program count as a person's.
    private static let time = Duration.seconds(60)

    private var depths: [String: (depth: Int, since: MonotonicInstant)] = [:]

    /// 0 where no handler sent the delivery.
    func depth(of delivery: String) -> Int { depths[delivery]?.depth ?? 0 }

    mutating func note(_ depth: Int, of delivery: String, at now: MonotonicInstant) {
        depths = depths.filter { $0.value.since + Nesting.time > now }
        depths[delivery] = (depth, now)
    }
}
