internal import Synchronization

/// A count that only grows. Counting is one atomic addition.
public final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    public func increment(by amount: Int = 1) { count.wrappingAdd(amount, ordering: .relaxed) }

    public var value: Int { count.load(ordering: .relaxed) }
}
