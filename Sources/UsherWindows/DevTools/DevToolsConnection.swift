internal import UsherActivation
internal import UsherJSON
internal import UsherSystem

/// A conversation with a browser: calls, their answers, and whether anything happened meanwhile.
struct DevToolsConnection: ~Copyable {
    let version: DevToolsVersion
    private var socket: WebSocket
    private var last: Int64 = 0
    /// An event came that may have changed a window.
    var hasNews = false
    /// Our sessions with pages, by target.
    var sessions: [String: String] = [:]
    /// The pages that report their visibility and focus to this connection.
    var reporting: Set<String> = []
    /// How long the browser may take for an answer.
    let patience: Int
    /// When all of it has to be over; nil where it goes on as long as there is something to hear.
    private let deadline: Deadline?

    var peer: PeerSocket { socket.peer }

    struct Call {
        var method: String
        var parameters: JSONValue = .object([])
        /// The page that is meant; nil is the browser.
        var session: String?
    }

    enum Answer {
        case value(JSONValue)
        case refused(String)
        /// None in time: a page may hang.
        case silence

        var value: JSONValue? { if case .value(let value) = self { value } else { Optional.none } }
    }

    /// - Parameters:
    ///   - limit: how long all of it may take, in milliseconds.
    ///   - end: every wait ends once this can be read.
    init(
        _ address: DevToolsAddress, patience: Int, limit: Int? = nil, or end: Int32 = -1
    ) throws(DevToolsProblem) {
        deadline = limit.map { Deadline(inMilliseconds: $0) }
        let soon = Deadline(inMilliseconds: patience)
        let version = try DevToolsVersion(of: address, until: soon, or: end)
        socket = try WebSocket(address, path: DevToolsVersion.folder + version.life, until: soon, or: end)
        self.version = version
        self.patience = patience
    }

    /// Asks the browser itself.
    @discardableResult
    mutating func call(_ method: String, _ parameters: JSONValue = .object([])) throws(DevToolsProblem) -> JSONValue {
        switch try call([Call(method: method, parameters: parameters)], within: patience)[0] {
        case .value(let value): return value
        case .refused(let words): throw .refused("\(method): \(words)")
        case .silence: throw .silent
        }
    }

    /// Asks several things at once; an answer each, in their order.
    mutating func call(_ calls: [Call], within limit: Int) throws(DevToolsProblem) -> [Answer] {
        var answers = [Answer](repeating: .silence, count: calls.count)
        let first = last + 1
        for call in calls { try send(call) }
        let own = Deadline(inMilliseconds: limit)
        let deadline = self.deadline.map { Deadline.earlier($0, own) } ?? own
        var missing = calls.count
        while missing > 0, let message = try socket.receive(until: deadline) {
            guard let (id, answer) = try take(message), id >= first, id <= last else { continue }
            if case .silence = answers[Int(id - first)] { missing -= 1 }
            answers[Int(id - first)] = answer
        }
        return answers
    }

    /// Waits until something happens; false at the deadline.
    mutating func wait(until deadline: Deadline?) throws(DevToolsProblem) -> Bool {
        while !hasNews {
            guard let message = try socket.receive(until: deadline) else { return false }
            _ = try take(message)
        }
        return true
    }

    private mutating func send(_ call: Call) throws(DevToolsProblem) {
        last += 1
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        json.member("id", last)
        json.member("method", call.method)
        json.member("params", call.parameters)
        if let session = call.session { json.member("sessionId", session) }
        json.endObject()
        try socket.send(json.bytes)
    }

    /// An answer with its number; events are taken note of.
    private mutating func take(_ message: [UInt8]) throws(DevToolsProblem) -> (Int64, Answer)? {
        guard let value = try? JSONValue(parsing: message, maximumDepth: 64), case .object = value else {
            throw .garbled("a message that is no JSON object")
        }
        if let id = value["id"]?.int64 {
            if let error = value["error"] {
                return (id, .refused(BrowserMessage.clipped(error["message"]?.string ?? "", 300)))
            }
            return (id, .value(value["result"] ?? .object([])))
        }
        switch value["method"]?.string {
        case "Target.targetCreated", "Target.targetDestroyed", "Target.targetInfoChanged", "Runtime.bindingCalled":
            hasNews = true
        case "Target.detachedFromTarget":
            let session = value["params"]?["sessionId"]?.string
            for (target, own) in sessions where own == session {
                sessions[target] = nil
                reporting.remove(target)
            }
            hasNews = true
        case .some: break
        case nil: throw .garbled("a message without a method")
        }
        return nil
    }
}

// MARK: - Pages

extension DevToolsConnection {
    /// Has a session with each of these pages that can still be had.
    mutating func attach(to targets: [String]) throws(DevToolsProblem) {
        let new = targets.filter { sessions[$0] == nil }
        let calls = new.map { target in
            Call(
                method: "Target.attachToTarget",
                parameters: .object([.init("targetId", .string(target)), .init("flatten", true)]))
        }
        for (target, answer) in zip(new, try call(calls, within: patience)) {
            if let session = answer.value?["sessionId"]?.string, session.utf8.count <= 64 { sessions[target] = session }
        }
    }

    /// Asks a page.
    mutating func ask(
        _ session: String, _ method: String, _ parameters: JSONValue = .object([])
    ) throws(DevToolsProblem) -> JSONValue {
        let call = Call(method: method, parameters: parameters, session: session)
        switch try self.call([call], within: patience)[0] {
        case .value(let value): return value
        case .refused(let words): throw .refused("\(method): \(words)")
        case .silence: throw .refused("the page in front does not answer")
        }
    }

    /// From now on the browser sends events when pages appear, disappear and change.
    mutating func discover() throws(DevToolsProblem) { try call("Target.setDiscoverTargets", ["discover": true]) }

    /// From now on these pages report when they become visible, and when they get the keyboard: the protocol has no
    /// event for that.
    ///
    /// The script runs in a world of its own, which pages don't see.
    mutating func report(_ targets: [String]) throws(DevToolsProblem) {
        var calls: [Call] = []
        for target in targets where !reporting.contains(target) {
            guard let session = sessions[target] else { continue }
            reporting.insert(target)
            calls += [
                Call(method: "Runtime.enable", session: session), Call(method: "Page.enable", session: session),
                Call(
                    method: "Runtime.addBinding",
                    parameters: ["name": "usherLook", "executionContextName": "usher"], session: session),
                Call(
                    method: "Page.addScriptToEvaluateOnNewDocument",
                    parameters: [
                        "source": .string(Self.script), "worldName": "usher", "runImmediately": true,
                    ], session: session),
            ]
        }
        if !calls.isEmpty { _ = try call(calls, within: patience) }
    }

    private static let script = """
        { const look = () => usherLook("");
          for (const [what, name] of [[document, "visibilitychange"], [document, "DOMContentLoaded"],
            [window, "focus"], [window, "blur"], [window, "hashchange"]]) what.addEventListener(name, look, true);
          look(); }
        """
}
