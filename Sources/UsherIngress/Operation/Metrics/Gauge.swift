internal import Synchronization

/// A number that goes up and down.
public final class Gauge: Sendable {
    private let bits = Atomic<UInt64>(0)

    package init() {}

    public func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    public var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
}
