public import UsherScene

extension InputForm {
    /// By the name of an input: a stream for standard input (nil), `*.jsonl` and `*.ndjson`; `*.apns` is for the simulator.
    public init(fileName: String?) {
        guard let name = fileName?.utf8 else {
            self = .stream
            return
        }
        if name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") {
            self = .stream
        } else {
            self = name.hasSuffix(".apns") ? .simulator : .document
        }
    }
}

extension String.UTF8View {
    fileprivate func hasSuffix(_ suffix: String) -> Bool {
        count >= suffix.utf8.count && self.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
