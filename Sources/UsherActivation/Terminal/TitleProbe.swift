internal import Glibc
internal import UsherSystem
internal import UsherText

/// Finds the window of a terminal by a title that is set for a moment, and taken back.
///
/// The title is written to the terminal itself (xterm, "Xterm Control Sequences": OSC 2, and CSI 22 t and CSI 23 t, which keep
/// and restore it), so no other window can have it. A terminal without that stack gets the former title of the window.
struct TitleProbe {
    /// How long a title may take to be seen, and to be taken back, in milliseconds.
    private static let limit = 350
    private static let restoreLimit = 150
    private static let mark = "usher-"

    let desktop: any WindowSystem
    /// A terminal that a window shows: of tmux's client, not of a pane, whose title tmux would keep.
    let tty: String

    /// The window whose title becomes what is written; nil where none does in time, the terminal takes no output now, or the
    /// window system cannot be asked.
    func window() -> WindowList.Window? {
        guard let before = try? desktop.windows() else { return nil }
        let nonce = Self.mark + Self.random()
        guard write("\u{1B}[22;2t\u{1B}]2;\(nonce)\u{07}") else { return nil }
        func showing(_ list: WindowList) -> WindowList.Window? { list.windows.first { $0.title.contains(nonce) } }
        let deadline = Deadline(inMilliseconds: Self.limit)
        let found = (try? desktop.windows(until: deadline) { showing($0) != nil }).flatMap(showing)
        _ = write("\u{1B}[23;2t")
        guard let found else { return nil }
        let after = try? desktop.windows(until: Deadline(inMilliseconds: Self.restoreLimit)) { showing($0) == nil }
        let former = before.windows.first { $0.handle == found.handle }?.title ?? ""
        if after.flatMap(showing) != nil {
            _ = write("\u{1B}]2;\(Printable.text(former))\u{07}")
        }
        return before.windows.first { $0.handle == found.handle } ?? found
    }

    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.encode((0..<8).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// In one piece, or not at all as far as that can be had; never waits. A terminal stopped with Control-S takes nothing.
    private func write(_ text: String) -> Bool {
        let number = unsafe open(tty, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return false }
        let descriptor = FileDescriptor(owning: number)
        let bytes = Array(text.utf8)
        return unsafe Glibc.write(descriptor.number, bytes, bytes.count) == bytes.count
    }
}
