internal import Synchronization
internal import UsherText

/// Named metrics, shown together in the order in which they were made.
public final class MetricsRegistry: Sendable {
    enum Source {
        case counters(CounterFamily)
        case reading(MetricsWriter.Kind, @Sendable () -> Double?)
        case constant([(String, String)])
        case histogram(Histogram)
    }

    struct Entry {
        var name: String
        var help: String
        var source: Source
    }

    private let entries = Mutex<[Entry]>([])

    public init() {}

    /// Counters distinguished by one or two labels, at most `limit` combinations of values.
    ///
    /// - Parameter name: ends in `_total`.
    public func counters(_ name: String, _ help: String, labels: [String], limit: Int = 200) -> CounterFamily {
        let family = CounterFamily(labels: labels, limit: limit)
        add(name, help, .counters(family))
        return family
    }

    /// A gauge that is read when it is asked for; left out where there is no value. `read` is called from the thread that
    /// asks and must not block.
    public func gauge(_ name: String, _ help: String, read: @escaping @Sendable () -> Double?) {
        add(name, help, .reading(.gauge, read))
    }

    /// A counter that is kept elsewhere.
    public func counter(_ name: String, _ help: String, read: @escaping @Sendable () -> Double?) {
        add(name, help, .reading(.counter, read))
    }

    public func histogram(_ name: String, _ help: String, bounds: [Double] = Histogram.durations) -> Histogram {
        let histogram = Histogram(bounds: bounds)
        add(name, help, .histogram(histogram))
        return histogram
    }

    /// A gauge that is always 1: its labels are what it tells.
    public func information(_ name: String, _ help: String, _ labels: [(String, String)]) {
        add(name, help, .constant(labels))
    }

    /// Everything, as text for a scraper.
    public func exposition(_ format: MetricsFormat = .text) -> [UInt8] {
        var writer = MetricsWriter(format)
        for entry in entries.withLock({ $0 }) { write(entry, to: &writer) }
        writer.end()
        return Array(writer.text.utf8)
    }

    private func add(_ name: String, _ help: String, _ source: Source) {
        entries.withLock { $0.append(Entry(name: name, help: help, source: source)) }
    }

    private func write(_ entry: Entry, to writer: inout MetricsWriter) {
        let name = entry.name
        switch entry.source {
        case .counters(let family):
            writer.begin(name, .counter, help: entry.help)
            for (key, count) in family.current {
                let values = Array(zip(family.labels, [key.first, key.second]))
                writer.sample(name, Double(count), labels: values)
            }
        case .reading(let kind, let read):
            guard let value = read() else { return }
            writer.begin(name, kind, help: entry.help)
            writer.sample(name, value)
        case .constant(let labels):
            writer.begin(name, .gauge, help: entry.help)
            writer.sample(name, 1, labels: labels)
        case .histogram(let histogram):
            writer.begin(name, .histogram, help: entry.help)
            writer.histogram(name, histogram)
        }
    }
}

/// Writes metric families as text.
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/, https://prometheus.io/docs/specs/om/open_metrics_spec/
struct MetricsWriter {
    enum Kind: String {
        case counter, gauge, histogram
    }

    private(set) var text = ""
    let format: MetricsFormat

    init(_ format: MetricsFormat) { self.format = format }

    /// The head of a family. A counter's name ends in `_total`, which OpenMetrics does not count to the family's name.
    mutating func begin(_ name: String, _ kind: Kind, help: String) {
        var family = name[...]
        if format == .openMetrics, kind == .counter, family.hasSuffix("_total") { family = family.dropLast(6) }
        text += "# HELP \(family) \(escape(help, quotes: format == .openMetrics))\n# TYPE \(family) \(kind.rawValue)\n"
    }

    mutating func sample(_ name: String, _ value: Double, labels: [(String, String)] = []) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.0)=\"\(escape($0.1, quotes: true))\"" }
            text += "{" + pairs.joined(separator: ",") + "}"
        }
        text += " " + MetricsWriter.number(value) + "\n"
    }

    mutating func histogram(_ name: String, _ histogram: Histogram) {
        let state = histogram.current
        var total = 0.0
        for (bound, count) in zip(histogram.bounds, state.counts) {
            total += Double(count)
            // OpenMetrics requires bounds as canonical floats: `1.0`, `1e-05`.
            sample(name + "_bucket", total, labels: [("le", bound.description)])
        }
        total += Double(state.counts.last ?? 0)
        sample(name + "_bucket", total, labels: [("le", "+Inf")])
        sample(name + "_sum", state.sum)
        sample(name + "_count", total)
    }

    mutating func end() {
        if format == .openMetrics { text += "# EOF\n" }
    }

    private func escape(_ value: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        // Counts are whole numbers and are shown as such.
        if value == value.rounded(), value.magnitude < 1e15 { return String(Int64(value)) }
        return value.description
    }
}

/// The text formats that metrics are shown in.
public enum MetricsFormat: Sendable, CaseIterable {
    /// Prometheus text exposition 0.0.4.
    case text
    /// OpenMetrics 1.0.
    case openMetrics

    /// OpenMetrics where the request's `Accept` field names it (and does not refuse it by `q=0`), else the plain text that
    /// everything reads.
    public init(accept: String?) {
        let names = accept?.split(separator: ",").map { $0.split(separator: ";").map { MetricsFormat.word($0) } } ?? []
        let asksForIt = names.contains { parts in
            parts.first == "application/openmetrics-text" && !parts.contains("q=0") && !parts.contains("q=0.0")
        }
        self = asksForIt ? .openMetrics : .text
    }

    public var contentType: String {
        switch self {
        case .text: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    private static func word(_ text: Substring) -> String {
        text.lowercased().filter { $0 != " " && $0 != "\t" }
    }
}

/// A count that only grows. Counting is one atomic addition.
public final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    public func increment(by amount: Int = 1) { count.wrappingAdd(amount, ordering: .relaxed) }

    public var value: Int { count.load(ordering: .relaxed) }
}

/// Counters of one name, distinguished by the values of two labels or one.
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

    /// The counter of a combination of labels; a caller that counts often keeps it.
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

    /// Counts a duration, in seconds as Prometheus requires.
    public func observe(_ duration: Duration) { observe(Double(duration.microseconds) / 1e6) }

    var current: State { state.withLock { $0 } }

    /// From 10 µs, what a decision takes, to 10 s, a slow start of a program.
    public static let durations: [Double] = [
        0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10,
    ]
}
