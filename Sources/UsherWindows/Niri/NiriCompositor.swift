internal import UsherActivation
internal import UsherJSON

/// niri, by its socket: JSON lines (niri-ipc 25.x, `Request`, `Reply`, `Window`, `Workspace`).
struct NiriCompositor: AskedCompositor {
    let desktop = DesktopName.niri
    let path: String

    /// nil where the environment names no niri.
    init?(environment: [String: String]) {
        guard let path = environment["NIRI_SOCKET"], !path.isEmpty else { return nil }
        self.path = path
    }

    var actions: Set<ToplevelAction> { [.activate, .markUrgent, .moveHere, .close] }

    func isID(_ text: String) -> Bool { UInt64(text).map { "\($0)".utf8.elementsEqual(text.utf8) } ?? false }

    func windows() throws(CompositorProblem) -> (process: Int32, list: [Toplevel]) {
        let workspaces = try workspaces()
        let answer = try ask("\"Windows\"", "Windows")
        let document = answer.document
        let list: [Toplevel] = document.elements(answer.value).compactMap { element in
            guard let id = document.value("id", in: element).flatMap(document.numberText) else { return nil }
            var window = Toplevel(id: id, title: document.string("title", in: element) ?? "")
            window.appID = document.string("app_id", in: element)
            window.process = document.process("pid", in: element)
            window.isFocused = document.isTrue("is_focused", in: element)
            window.isUrgent = document.isTrue("is_urgent", in: element)
            let workspace = document.value("workspace_id", in: element).flatMap(document.int64)
            if let workspace, let place = workspaces.first(where: { $0.id == workspace }) {
                window.workspace = place.name
                window.isOnCurrentWorkspace = place.isVisible
            }
            return window
        }
        return (answer.process, list)
    }

    func events() throws(CompositorProblem) -> CompositorConnection {
        var connection = try CompositorConnection(path: path)
        try connection.send("\"EventStream\"\n")
        _ = try Self.answer(connection.line())
        return connection
    }

    func request(_ action: ToplevelAction, of id: String) throws(CompositorProblem) {
        let request: String
        switch action {
        case .activate: request = #"{"FocusWindow":{"id":\#(id)}}"#
        case .markUrgent: request = #"{"SetWindowUrgent":{"id":\#(id)}}"#
        case .moveHere:
            guard let here = try workspaces().first(where: \.isFocused) else {
                throw .refused("no workspace has the focus")
            }
            // Versions before 25.05 pass over `focus`.
            request = #"{"MoveWindowToWorkspace":{"window_id":\#(id),"reference":{"Id":\#(here.id)},"focus":false}}"#
        case .close: request = #"{"CloseWindow":{"id":\#(id)}}"#
        case .raise: throw .refused("there is no such action")
        }
        var connection = try CompositorConnection(path: path)
        try connection.send(#"{"Action":\#(request)}"# + "\n")
        _ = try Self.answer(connection.line())
    }

    private struct Workspace {
        var id: Int64
        var name: String
        /// Its output shows it.
        var isVisible: Bool
        var isFocused: Bool
    }

    private func workspaces() throws(CompositorProblem) -> [Workspace] {
        let answer = try ask("\"Workspaces\"", "Workspaces")
        let document = answer.document
        return document.elements(answer.value).compactMap { element in
            guard let id = document.value("id", in: element).flatMap(document.int64) else { return nil }
            let index = document.value("idx", in: element).flatMap(document.numberText) ?? ""
            return Workspace(
                id: id, name: document.string("name", in: element) ?? index,
                isVisible: document.isTrue("is_active", in: element),
                isFocused: document.isTrue("is_focused", in: element))
        }
    }

    /// The list that a request is answered with.
    private func ask(_ request: String, _ member: String) throws(CompositorProblem) -> CompositorAnswer {
        var connection = try CompositorConnection(path: path)
        try connection.send(request + "\n")
        let (document, answer) = try Self.answer(connection.line())
        guard let list = document.value(member, in: answer) else { throw .garbled("no \(member) in its answer") }
        return CompositorAnswer(process: connection.process, document: document, value: list)
    }

    /// What is in `Ok`.
    private static func answer(_ line: [UInt8]) throws(CompositorProblem) -> (JSONDocument, JSONElement) {
        guard let document = try? JSONDocument.answer(line), let root = document.root else {
            throw .garbled("no JSON")
        }
        if let text = document.string("Err", in: root) { throw .refused(text) }
        guard let answer = document.value("Ok", in: root) else { throw .garbled("neither Ok nor Err") }
        return (document, answer)
    }
}
