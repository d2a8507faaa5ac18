internal import Synchronization

/// Named metrics, shown together in the order in which they were made.
public final class MetricsRegistry: Sendable {
    enum Source {
        case counter(Counter)
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

    /// - Parameter name: ends in `_total`.
    public func counter(_ name: String, _ help: String) -> Counter {
        let counter = Counter()
        add(name, help, .counter(counter))
        return counter
    }

    /// Counters told apart by one or two labels, at most `limit` combinations of values.
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
        case .counter(let counter):
            writer.begin(name, .counter, help: entry.help)
            writer.sample(name, Double(counter.value))
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
