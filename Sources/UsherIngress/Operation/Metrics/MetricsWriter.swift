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
            sample(name + "_bucket", total, labels: [("le", MetricsWriter.bound(bound))])
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

    /// OpenMetrics wants bounds as canonical floats: `1.0`, `1e-05`.
    private static func bound(_ value: Double) -> String { value.description }
}
