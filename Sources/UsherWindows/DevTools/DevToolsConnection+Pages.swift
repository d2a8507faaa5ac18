internal import UsherJSON

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

    /// From now on it is heard when pages come, go, and change.
    mutating func discover() throws(DevToolsProblem) { try call("Target.setDiscoverTargets", ["discover": true]) }

    /// From now on these pages tell when they are seen, and when they get the keyboard: no event of the protocol does.
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
