/// A tmux window (`@3`) or pane (`%5`), by the number that its server gives only once; `tmux:@3` is the same.
enum TmuxHandle: Sendable, Hashable {
    case window(UInt32)
    case pane(UInt32)

    init?(_ text: String) {
        var rest = text.utf8[...]
        if rest.starts(with: "tmux:".utf8) { rest = rest.dropFirst(5) }
        guard let kind = rest.first else { return nil }
        let digits = rest.dropFirst()
        guard digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt32(Substring(digits)) else {
            return nil
        }
        switch kind {
        case UInt8(ascii: "@"): self = .window(number)
        case UInt8(ascii: "%"): self = .pane(number)
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .window(let number): "@\(number)"
        case .pane(let number): "%\(number)"
        }
    }

    /// A tmux format that is true for this window's panes, or for this pane.
    var filter: String {
        switch self {
        case .window: "#{==:#{window_id},\(text)}"
        case .pane: "#{==:#{pane_id},\(text)}"
        }
    }
}
