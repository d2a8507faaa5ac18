internal import UsherActivation
internal import UsherJSON
internal import UsherText

/// Hyprland, by its two sockets (wiki.hypr.land, "IPC" and "Using hyprctl").
///
/// A window is named by the address of an object, which may be used again for another window. So an id has the process of
/// its client as well: `55e0c6e75980.716768`.
struct HyprlandCompositor: AskedCompositor {
    let desktop = DesktopName.hyprland
    private let folder: String

    /// nil where the environment names no Hyprland.
    init?(environment: [String: String]) {
        guard let signature = environment["HYPRLAND_INSTANCE_SIGNATURE"], !signature.isEmpty,
            let runtime = environment["XDG_RUNTIME_DIR"], !runtime.isEmpty
        else { return nil }
        folder = "\(runtime)/hypr/\(signature)"
    }

    var path: String { "\(folder)/.socket.sock" }

    var actions: Set<ToplevelAction> { [.activate, .moveHere, .close] }

    func isID(_ text: String) -> Bool { Self.address(of: text) != nil }

    /// The part of an id that Hyprland knows, hexadecimal without `0x`.
    private static func address(of id: String) -> Substring? {
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, UInt64(parts[0], radix: 16) != nil, let process = Int32(parts[1]), process > 0,
            !parts[0].utf8.contains(where: { $0 == UInt8(ascii: "+") }), "\(process)".utf8.elementsEqual(parts[1].utf8)
        else { return nil }
        return parts[0]
    }

    func windows() throws(CompositorProblem) -> (process: Int32, list: [Toplevel]) {
        let visible = Set(try monitors().flatMap(\.workspaces))
        let answer = try ask("j/clients")
        let active = try ask("j/activewindow")
        let front = active.document.string("address", in: active.value)
        let clients = answer.document
        let list: [Toplevel] = clients.elements(answer.value).compactMap { element in
            guard let address = clients.string("address", in: element), address.hasPrefix("0x"),
                let process = clients.process("pid", in: element),
                !(clients.value("mapped", in: element).flatMap(clients.boolean) == false)
            else { return nil }
            var window = Toplevel(
                id: "\(address.dropFirst(2)).\(process)", title: clients.string("title", in: element) ?? "")
            window.process = process
            if clients.isTrue("xwayland", in: element) {
                window.windowClass = clients.string("class", in: element)
            } else {
                window.appID = clients.string("class", in: element)
            }
            window.isFocused = address == front
            window.isFullscreen = (clients.value("fullscreen", in: element).flatMap(clients.int64) ?? 0) & 2 != 0
            if let workspace = clients.value("workspace", in: element) {
                window.workspace = clients.string("name", in: workspace) ?? ""
                let id = clients.value("id", in: workspace).flatMap(clients.int64)
                let isPinned = clients.isTrue("pinned", in: element)
                window.isOnCurrentWorkspace = id.map { isPinned || visible.contains($0) }
            }
            return window
        }
        return (answer.process, list)
    }

    func events() throws(CompositorProblem) -> CompositorConnection {
        try CompositorConnection(path: "\(folder)/.socket2.sock")
    }

    func request(_ action: ToplevelAction, of id: String) throws(CompositorProblem) {
        guard let address = Self.address(of: id) else { throw .gone }
        // The address may be that of another window by now.
        guard try windows().list.contains(where: { $0.id == id }) else { throw .gone }
        let window = "address:0x\(address)"
        switch action {
        case .activate:
            try dispatch("focuswindow \(window)", #"hl.dsp.focus({ window = "\#(window)" })"#)
        case .moveHere:
            guard let here = try monitors().first(where: \.isFocused)?.selector else {
                throw .refused("the name of this workspace cannot be written in a request")
            }
            try dispatch(
                "movetoworkspacesilent \(here),\(window)",
                #"hl.dsp.window.move({ workspace = "\#(here)", follow = false, window = "\#(window)" })"#)
        case .close:
            try dispatch("closewindow \(window)", #"hl.dsp.window.close({ window = "\#(window)" })"#)
        case .raise, .markUrgent: throw .refused("there is no such dispatcher")
        }
    }

    /// Since version 0.55 a dispatcher is an expression in Lua, where the configuration is in Lua too.
    private func dispatch(_ words: String, _ expression: String) throws(CompositorProblem) {
        let first = try text("dispatch \(words)")
        if first == "ok" { return }
        let second = try text("dispatch \(expression)")
        guard second == "ok" else { throw .refused("\(first); \(second)") }
    }

    private struct Monitor {
        var isFocused: Bool
        /// The ids of the workspaces that it shows: a normal one, and a special one above it.
        var workspaces: [Int64]
        /// Its normal workspace, as dispatchers name it; nil where its name has characters that mean something there.
        var selector: String?
    }

    private func monitors() throws(CompositorProblem) -> [Monitor] {
        let answer = try ask("j/monitors")
        let document = answer.document
        return document.elements(answer.value).map { element in
            func id(_ name: String) -> Int64? {
                document.value(name, in: element).flatMap { document.value("id", in: $0) }.flatMap(document.int64)
            }
            let normal = id("activeWorkspace")
            let name =
                document.value("activeWorkspace", in: element).flatMap { document.string("name", in: $0) } ?? ""
            let isPlain = !name.isEmpty && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
            return Monitor(
                isFocused: document.isTrue("focused", in: element),
                workspaces: [normal, id("specialWorkspace")].compactMap { $0 == 0 ? nil : $0 },
                selector: normal.flatMap { $0 > 0 ? "\($0)" : isPlain ? "name:\(name)" : nil })
        }
    }

    private func ask(_ request: String) throws(CompositorProblem) -> CompositorAnswer {
        let (process, bytes) = try answer(request)
        guard let document = try? JSONDocument.answer(bytes), let root = document.root else {
            throw .garbled("no JSON in its answer to \(request)")
        }
        return CompositorAnswer(process: process, document: document, value: root)
    }

    private func text(_ request: String) throws(CompositorProblem) -> String {
        String(decoding: try answer(request).bytes, as: UTF8.self)
    }

    /// The compositor stands still until a connection is closed: it is opened for one request, at once.
    private func answer(_ request: String) throws(CompositorProblem) -> (process: Int32, bytes: [UInt8]) {
        var connection = try CompositorConnection(path: path)
        try connection.send(request)
        return (connection.process, try connection.rest())
    }
}
