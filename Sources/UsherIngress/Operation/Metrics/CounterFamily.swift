internal import Synchronization

/// Counters of one name, told apart by the values of two labels or one.
///
/// At most `limit` combinations are kept, however many a sender makes up; later ones are counted under `other`.
public final class CounterFamily: Sendable {
    struct Key: Hashable {
        var first: String
        var second: String
    }

    /// The names of the labels; one or two.
    let labels: [String]
    private let limit: Int
    private let counters = Mutex<[Key: Counter]>([:])

    package init(labels: [String], limit: Int) {
        self.labels = labels
        self.limit = limit
    }

    /// Counts. Allocates nothing but for a combination that is new.
    public func increment(_ first: String, _ second: String = "", by amount: Int = 1) {
        counter(first, second).increment(by: amount)
    }

    /// The counter of a combination, to be kept by who counts often.
    public func counter(_ first: String, _ second: String = "") -> Counter {
        let key = Key(first: first, second: second)
        return counters.withLock { counters in
            if let counter = counters[key] { return counter }
            let made = Counter()
            if counters.count < limit {
                counters[key] = made
                return made
            }
            let other = Key(first: "other", second: labels.count > 1 ? "other" : "")
            if let counter = counters[other] { return counter }
            counters[other] = made
            return made
        }
    }

    /// Every combination with its count, in the order of the values.
    var current: [(key: Key, count: Int)] {
        counters.withLock { $0.map { ($0.key, $0.value.value) } }
            .sorted { ($0.key.first, $0.key.second) < ($1.key.first, $1.key.second) }
    }
}
