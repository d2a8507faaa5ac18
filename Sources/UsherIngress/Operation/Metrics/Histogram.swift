internal import Synchronization
internal import UsherText

/// How often values fell below each of some bounds, how many there were, and their sum.
public final class Histogram: Sendable {
    struct State {
        /// One count a bound, and one for what is above all of them; not cumulative.
        var counts: [UInt64]
        var sum = 0.0
    }

    /// Upper bounds, rising; the last one, +Inf, is not among them.
    let bounds: [Double]
    private let state: Mutex<State>

    package init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    /// Counts a value. Allocates nothing.
    public func observe(_ value: Double) {
        guard value.isFinite else { return }
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock {
            $0.counts[index] &+= 1
            $0.sum += value
        }
    }

    /// Counts a duration, in seconds as Prometheus wants them.
    public func observe(_ duration: Duration) { observe(Double(duration.microseconds) / 1e6) }

    var current: State { state.withLock { $0 } }

    /// From 10 µs, what a decision takes, to 10 s, a slow start of a program.
    public static let durations: [Double] = [
        0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10,
    ]
}
