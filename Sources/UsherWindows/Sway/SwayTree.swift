internal import Glibc
internal import UsherActivation
internal import UsherJSON
internal import UsherScene
internal import UsherSystem

/// What there is in sway or i3: outputs, their workspaces, and the containers in them, down to the windows.
struct SwayTree: Sendable {
    struct Node: Sendable {
        var id: Int64 = 0
        /// Its place in `nodes`; its own of the root.
        var parent: Int
        var kind: Kind = .container
        var isFocused = false
        var isVisible = false
        var isUrgent = false
        /// 1: over its workspace, 2: over everything.
        var fullscreen: Int64 = 0
        /// Only one of its parts is seen.
        var isTabbed = false
        var isFloating = false
        var process: Int32?
        /// The number that the X server gives to the window, where it is one of that.
        var xWindow: Int64?
        var element: JSONElement

        /// Only what shows a program's window has a process.
        var isWindow: Bool { kind == .container && process != nil }
    }

    /// The members that matter, of some forty that each node has.
    private enum Key: String {
        case id, type, focused, visible, urgent, layout, nodes, window
        case fullscreen = "fullscreen_mode"
        case process = "pid"
        case floating = "floating_nodes"

        /// Most names are distinguished by their length and beginning, without being decoded as text.
        init?(_ name: ArraySlice<UInt8>) {
            let key: Key
            switch (name.count, name.first) {
            case (2, UInt8(ascii: "i")): key = .id
            case (4, UInt8(ascii: "t")): key = .type
            case (7, UInt8(ascii: "f")): key = .focused
            case (7, UInt8(ascii: "v")): key = .visible
            case (6, UInt8(ascii: "u")): key = .urgent
            case (15, UInt8(ascii: "f")): key = .fullscreen
            case (6, UInt8(ascii: "l")): key = .layout
            case (3, UInt8(ascii: "p")): key = .process
            case (5, UInt8(ascii: "n")): key = .nodes
            case (6, UInt8(ascii: "w")): key = .window
            case (14, UInt8(ascii: "f")): key = .floating
            default: return nil
            }
            guard name.elementsEqual(key.rawValue.utf8) else { return nil }
            self = key
        }
    }

    enum Kind: Sendable { case root, output, workspace, container }

    /// The name that sway gives to the workspace of what is put away.
    private static let scratchpad = "__i3_scratch"
    /// And to the output of that.
    private static let hiddenOutput = "__i3"

    private(set) var nodes: [Node] = []
    private let document: JSONDocument

    /// What is not as expected is left out, so that a later version's additions do no harm.
    init(_ document: JSONDocument) {
        self.document = document
        guard let root = document.root, document.kind(root) == .object else { return }
        var waiting: [(element: JSONElement, parent: Int, isFloating: Bool)] = [(root, 0, false)]
        // The children of a node go on top of what waits, the last one first: windows are listed as they stand.
        while let (element, parent, isFloating) = waiting.popLast() {
            let (tiled, floating) = append(element, parent)
            let place = nodes.count - 1
            nodes[place].isFloating = isFloating
            for child in floating.reversed() { waiting.append((child, place, true)) }
            for child in tiled.reversed() { waiting.append((child, place, false)) }
        }
    }

    /// The node, in one pass over its members; what is in it.
    private mutating func append(_ element: JSONElement, _ parent: Int) -> ([JSONElement], [JSONElement]) {
        var node = Node(parent: parent, element: element)
        var tiled: [JSONElement] = []
        var floating: [JSONElement] = []
        var next = document.firstMember(element)
        while let member = next {
            let value = member.value
            switch Key(document.stringBytes(member.key)) {
            case .id: node.id = document.int64(value) ?? 0
            case .type:
                switch document.string(value) {
                case "root": node.kind = .root
                case "output": node.kind = .output
                case "workspace": node.kind = .workspace
                default: node.kind = .container
                }
            case .focused: node.isFocused = document.boolean(value) ?? false
            case .visible: node.isVisible = document.boolean(value) ?? false
            case .urgent: node.isUrgent = document.boolean(value) ?? false
            case .fullscreen: node.fullscreen = document.int64(value) ?? 0
            case .layout: node.isTabbed = ["tabbed", "stacked"].contains(document.string(value))
            case .process: node.process = document.int64(value).flatMap(Int32.init(exactly:))
            case .window: node.xWindow = document.int64(value)
            case .nodes: tiled = elements(value)
            case .floating: floating = elements(value)
            case nil: break
            }
            next = document.nextMember(member, in: element)
        }
        nodes.append(node)
        return (tiled, floating)
    }

    private func elements(_ value: JSONElement) -> [JSONElement] {
        guard document.kind(value) == .array else { return [] }
        return document.elements(value).filter { document.kind($0) == .object }
    }

    // MARK: - Looking

    /// The window of this number.
    func window(_ id: Int64) -> Int? { nodes.firstIndex { $0.id == id && $0.isWindow } }

    /// What has the keyboard: a window, a container, or an empty workspace.
    var focused: Int? { nodes.firstIndex { $0.isFocused } }

    func workspace(of place: Int) -> Int? { ancestor(of: place, .workspace) }

    func output(of place: Int) -> Int? { ancestor(of: place, .output) }

    private func ancestor(of place: Int, _ kind: Kind) -> Int? {
        path(from: place).first { nodes[$0].kind == kind }
    }

    /// A node, what it is in, and so on; a parent stands before its children, so this ends.
    func path(from place: Int) -> [Int] {
        var path = [place]
        var current = place
        while nodes[current].parent < current {
            current = nodes[current].parent
            path.append(current)
        }
        return path
    }

    func isPutAway(_ place: Int) -> Bool {
        workspace(of: place).map { text("name", of: $0) == Self.scratchpad } ?? false
    }

    /// Whether what is looked at on its output is another workspace.
    func isOnShownWorkspace(_ place: Int) -> Bool {
        guard let workspace = workspace(of: place), let output = output(of: place) else { return false }
        return text("current_workspace", of: output) == text("name", of: workspace)
    }

    private func text(_ name: String, of place: Int) -> String? {
        document.value(name, in: nodes[place].element).flatMap(document.string)
    }

    func title(of place: Int) -> String { text("name", of: place) ?? "" }

    /// Whether it is in a container that fills the screen: all windows in that do, together.
    func fillsScreen(_ place: Int) -> Bool {
        path(from: place).contains { nodes[$0].kind == .container && nodes[$0].fullscreen != 0 }
    }

    /// How much of a window is on the outputs, and how much of that floating containers and those that fill the screen cover.
    ///
    /// Of an output on which a container fills the screen, sway draws that alone; else all tiled containers, and above them the
    /// floating ones of the workspaces that are shown, in their order in the tree.
    func exposure(of place: Int) -> WindowExposure? {
        guard let frame = rectangle("rect", of: place) else { return nil }
        let inside = rectangle("window_rect", of: place) ?? ScreenRectangle(left: 0, top: 0, width: 0, height: 0)
        let (left, top) = (frame.left + inside.left, frame.top + inside.top)
        // Of a container that fills the screen, it may still begin below the border that it had (sway 1.7).
        let contents = ScreenRectangle(
            left: left, top: top, width: min(inside.right - inside.left, frame.right - left),
            height: min(inside.bottom - inside.top, frame.bottom - top))
        let outputs = nodes.indices.filter { nodes[$0].kind == .output && text("name", of: $0) != Self.hiddenOutput }
        let screens = outputs.compactMap { rectangle("rect", of: $0) }
        return WindowExposure(
            of: contents.area > 0 ? contents : frame, on: screens,
            under: fillsScreen(place) ? [] : above(place, screens))
    }

    /// What is drawn above a window that does not fill the screen.
    private func above(_ place: Int, _ screens: [ScreenRectangle]) -> [ScreenRectangle] {
        let own = path(from: place)
        let level = own.first { nodes[$0].isFloating }
        var above: [ScreenRectangle] = []
        for other in nodes.indices where nodes[other].kind == .container && !own.contains(other) {
            let node = nodes[other]
            guard node.fullscreen != 0 || node.isFloating, isOnShownWorkspace(other) || node.fullscreen == 2 else {
                continue
            }
            if node.fullscreen == 2 { return screens }
            if node.fullscreen == 1 {
                if let output = output(of: other), let screen = rectangle("rect", of: output) { above.append(screen) }
            } else if level.map({ $0 < other }) ?? true, !belongs(other, to: place),
                let frame = rectangle("rect", of: other)
            {
                // The title is above the rest.
                let title = rectangle("deco_rect", of: other).map { $0.bottom - $0.top } ?? 0
                above.append(
                    ScreenRectangle(
                        left: frame.left, top: frame.top - title, width: frame.right - frame.left,
                        height: frame.bottom - frame.top + title))
            }
        }
        return above
    }

    /// Whether it is a dialog of a window, or a dialog of a dialog.
    private func belongs(_ place: Int, to window: Int) -> Bool {
        var next = owner(of: place)
        // In a circle of owners, this ends, too.
        for _ in 0..<8 {
            guard let current = next else { return false }
            if current == window { return true }
            next = owner(of: current)
        }
        return false
    }

    private func rectangle(_ name: String, of place: Int) -> ScreenRectangle? {
        guard let value = document.value(name, in: nodes[place].element), document.kind(value) == .object else {
            return nil
        }
        func number(_ member: String) -> Int {
            document.value(member, in: value).flatMap(document.int64).flatMap(Int.init(exactly:)) ?? 0
        }
        return ScreenRectangle(
            left: number("x"), top: number("y"), width: number("width"), height: number("height"))
    }

    private func activation(of place: Int) -> ActivationState {
        let node = nodes[place]
        if node.isFocused { return .foregroundActive }
        return node.isVisible ? .foregroundInactive : .background
    }

    func listed(_ place: Int) -> WindowList.Window {
        let node = nodes[place]
        let workspace = workspace(of: place).flatMap { text("name", of: $0) } ?? ""
        var window = WindowList.Window(
            handle: SwayHandle(node.id).text, title: title(of: place),
            group: workspace == Self.scratchpad ? "scratchpad" : workspace)
        window.appID = text("app_id", of: place)
        if let properties = document.value("window_properties", in: node.element) {
            window.windowClass = document.value("class", in: properties).flatMap(document.string)
            window.instance = document.value("instance", in: properties).flatMap(document.string)
        }
        window.process = node.process
        window.activation = activation(of: place)
        return window
    }

    func list(server: String) -> WindowList {
        var places = nodes.indices.filter { nodes[$0].isWindow }
        var inFront: Set<Int> = []
        let dialogs = places.compactMap { place in owner(of: place).map { (place, $0) } }
        for (place, owner) in dialogs where self.owner(of: owner) == nil {
            places.removeAll { $0 == place }
            if nodes[place].isFocused { inFront.insert(owner) }
        }
        return WindowList(
            server: server,
            windows: places.map { place in
                var window = listed(place)
                if inFront.contains(place) { window.activation = .foregroundActive }
                return window
            })
    }

    /// The window that an X11 window is a dialog of. Of a Wayland window, sway does not tell.
    private func owner(of place: Int) -> Int? {
        guard nodes[place].xWindow != nil,
            let properties = document.value("window_properties", in: nodes[place].element),
            let owner = document.value("transient_for", in: properties).flatMap(document.int64)
        else { return nil }
        return nodes.firstIndex { $0.xWindow == owner && $0.isWindow }
    }

    /// For messages: what a user sees instead.
    var seen: String {
        guard let focused else { return "no window has the keyboard" }
        switch nodes[focused].kind {
        case .workspace: return "an empty workspace is in front"
        default: return "\(title(of: focused)) (\(SwayHandle(nodes[focused].id).text)) is in front"
        }
    }
}

/// Where the compositor is asked: the socket that SWAYSOCK names, or that of the compositor that took its place.
///
/// The name of the socket holds the compositor's process (`sway-ipc.1000.4711.sock`), so one that was started again has
/// another. Where the named one does not answer and exactly one other in the same folder does, that is it.
struct SwaySocket: Sendable {
    private static let prefix = "sway-ipc."
    private static let suffix = ".sock"

    let path: String

    var isKnown: Bool { !path.isEmpty }

    func connect() throws(I3Problem) -> I3Connection {
        guard isKnown else { throw .noSocket }
        do throws(I3Problem) {
            return try I3Connection(path: path)
        } catch {
            guard case .unreachable(let problem) = error, problem == ECONNREFUSED || problem == ENOENT else {
                throw error
            }
            let others = successors()
            if others.count > 1 { throw .ambiguous(others) }
            guard let other = others.first else { throw error }
            return try I3Connection(path: other)
        }
    }

    /// Whether it names a compositor that has ended, and no other sway has taken its place. A name that the user chose
    /// is never left over: a compositor that is started later may use it.
    var isLeftOver: Bool {
        guard isNamedBySway else { return false }
        do throws(I3Problem) {
            _ = try connect()
            return false
        } catch {
            switch error {
            case .unreachable(ECONNREFUSED), .unreachable(ENOENT): return true
            default: return false
            }
        }
    }

    /// Makes the wait for a compositor that starts.
    func makeWait() -> SocketWait? {
        SocketWait(path: path, prefix: isNamedBySway ? Self.prefix : nil)
    }

    /// Sockets of other compositors of the same user that answer.
    private func successors() -> [String] {
        guard isNamedBySway, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return [] }
        let own = name.split(separator: ".", omittingEmptySubsequences: false)
        let folder = String(path[...slash])
        let names = ((try? FileSystem.names(in: folder)) ?? []).filter { other in
            let parts = other.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 4 && parts[0] == own[0] && parts[1] == own[1] && parts[3] == own[3] && other != name
        }
        return names.sorted().map { folder + $0 }.filter { path in
            do throws(I3Problem) {
                _ = try I3Connection(path: path)
                return true
            } catch {
                return false
            }
        }
    }

    private var isNamedBySway: Bool {
        name.hasPrefix(Self.prefix) && name.hasSuffix(Self.suffix) && name.split(separator: ".").count == 4
    }

    private var name: String { FilePath.lastComponent(of: path) }
}

/// A window of sway: `sway:12`, by the number that the compositor gives only once in its life.
struct SwayHandle: Sendable, Hashable {
    private static let prefix = "sway:"

    let container: Int64

    init(_ container: Int64) { self.container = container }

    init?(_ text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let digits = text.utf8.dropFirst(Self.prefix.utf8.count)
        guard digits.first != UInt8(ascii: "0"), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let container = Int64(Substring(digits))
        else { return nil }
        self.container = container
    }

    var text: String { Self.prefix + String(container) }
}
