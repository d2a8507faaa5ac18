internal import UsherJSON

/// An event about a window or a workspace (sway-ipc(7), "EVENTS").
struct SwayEvent: Sendable {
    enum Change: Sendable {
        /// The keyboard went to a window.
        case focus
        /// Only how a window is called, or what is of no interest here.
        case title
        /// Something else about what is where.
        case place
    }

    /// What is subscribed to.
    static let names = #"["window","workspace"]"#

    var change: Change
    /// nil where it is about a workspace.
    var container: Int64?
    var title: String?
    var process: Int32?

    /// nil where it is no event, or not understood.
    init?(_ message: SwayMessage) {
        guard message.isEvent, let document = try? SwayConnection.read(message.body), let root = document.root,
            let change = document.value("change", in: root).flatMap(document.string)
        else { return nil }
        self.change = .place
        guard message.type == SwayMessage.windowEvent, let window = document.value("container", in: root) else {
            return
        }
        container = document.value("id", in: window).flatMap(document.int64)
        title = document.value("name", in: window).flatMap(document.string)
        process = document.value("pid", in: window).flatMap(document.int64).flatMap(Int32.init(exactly:))
        switch change {
        case "focus": self.change = .focus
        case "title", "mark": self.change = .title
        default: break
        }
    }
}
