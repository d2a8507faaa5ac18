internal import Glibc
internal import UsherSystem
internal import UsherText

/// Finds the window of a terminal by a title that is set for a moment, and taken back.
///
/// The title is written to the terminal itself (xterm, "Xterm Control Sequences": OSC 2, and CSI 22 t and CSI 23 t, which keep
/// and restore it), so no other window can have it. A terminal without that stack gets the former title of the window.
struct TitleProbe {
    /// How long a title may take to be seen, and to be taken back, in milliseconds.
    static let limit = 350
    private static let restoreLimit = 150
    fileprivate static let mark = "usher-"
    fileprivate static let nonceLength = 16

    let desktop: any WindowSystem
    /// A terminal that a window shows: of tmux's client, not of a pane, whose title tmux would keep.
    let tty: String

    /// A tab that `window` brought forward while the title was shown.
    struct Hidden {
        /// Its own title; nil where it is not known.
        var former: String?
    }

    /// The window whose title becomes what is written; nil where none does in time, the terminal takes no output now, or the
    /// window system cannot be asked.
    ///
    /// - Parameter select: is called while the title is shown, with it, and whether a window has it. It may bring the tab
    ///   with this title forward; it returns nil where it did not.
    func window(
        within limit: Int = limit,
        _ select: (_ title: String, _ isFound: Bool) -> Hidden? = { _, _ in nil }
    ) -> WindowList.Window? {
        guard let before = try? desktop.windows() else { return nil }
        let nonce = Self.mark + Self.random()
        guard write("\u{1B}[22;2t\u{1B}]2;\(nonce)\u{07}") else { return nil }
        func showing(_ list: WindowList) -> WindowList.Window? { list.windows.first { $0.title.contains(nonce) } }
        func find() -> WindowList.Window? {
            let deadline = Deadline(inMilliseconds: limit)
            return (try? desktop.windows(until: deadline) { showing($0) != nil }).flatMap(showing)
        }
        var found = find()
        let hidden = select(nonce, found != nil)
        if found == nil, hidden != nil { found = find() }
        _ = write("\u{1B}[23;2t")
        guard let found else {
            if let former = hidden?.former { _ = write("\u{1B}]2;\(Printable.text(former))\u{07}") }
            return nil
        }
        let after = try? desktop.windows(until: Deadline(inMilliseconds: Self.restoreLimit)) { showing($0) == nil }
        let former = before.windows.first { $0.handle == found.handle }?.title ?? ""
        if after.flatMap(showing) != nil {
            _ = write("\u{1B}]2;\(Printable.text(hidden?.former ?? former))\u{07}")
        }
        return before.windows.first { $0.handle == found.handle } ?? found
    }

    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.encode((0..<nonceLength / 2).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    private func write(_ text: String) -> Bool { Self.write(text, to: tty) }

    /// In one piece, or not at all as far as that can be had; never waits. A terminal stopped with Control-S takes nothing.
    static func write(_ text: String, to tty: String) -> Bool {
        let number = unsafe open(tty, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return false }
        let descriptor = FileDescriptor(owning: number)
        let bytes = Array(text.utf8)
        return unsafe Glibc.write(descriptor.number, bytes, bytes.count) == bytes.count
    }
}

extension WindowList.Window {
    /// Its title is that of a probe, and will be taken back.
    package var isProbed: Bool {
        let mark = Array(TitleProbe.mark.utf8)
        let bytes = Array(title.utf8)
        return bytes.indices.contains { place in
            let rest = bytes[place...]
            let nonce = rest.dropFirst(mark.count).prefix(TitleProbe.nonceLength)
            return rest.starts(with: mark) && nonce.count == TitleProbe.nonceLength
                && nonce.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
    }
}
