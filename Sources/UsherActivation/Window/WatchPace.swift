package import UsherSystem

/// Tells lists of windows that differ from the one told before, and not too many of them.
package struct WatchPace {
    /// In milliseconds: how long a burst is gathered, and how far lists are apart at least while it goes on.
    private static let burst: Int32 = 5
    private static let apart = 40
    /// The same for what is of less interest: titles that programs change all the time.
    private static let slightApart = 250

    private let changed: @Sendable (WindowList) -> Void
    private var told: WindowList?
    /// Whether anything was told.
    package var hasTold: Bool { told != nil }
    private var next = Deadline(inMilliseconds: 0)
    private var nextSlight = Deadline(inMilliseconds: 0)

    package init(_ changed: @escaping @Sendable (WindowList) -> Void) { self.changed = changed }

    /// Until when more is waited for after something happened.
    package func quiet(isSlight: Bool) -> Deadline {
        let next = isSlight ? nextSlight : next
        return Deadline(inMilliseconds: Int(max(Self.burst, next.remainingMilliseconds)))
    }

    package mutating func tell(_ list: WindowList, unless end: WatchThread.End) {
        guard list != told, !end.hasCome else { return }
        changed(list)
        told = list
        next = Deadline(inMilliseconds: Self.apart)
        nextSlight = Deadline(inMilliseconds: Self.slightApart)
    }
}
