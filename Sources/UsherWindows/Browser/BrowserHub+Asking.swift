internal import Synchronization
internal import UsherActivation
internal import UsherScene
internal import UsherSystem

extension BrowserHub {
    /// The browsers that have introduced themselves and said what they show, the first one first.
    var clients: [BrowserClient] {
        state.withLock { state in
            state.clients.sorted { $0.key < $1.key }.map(\.value).filter { $0.name != nil && $0.windows != nil }
        }
    }

    /// All windows there are.
    var listed: WindowList {
        let clients = clients
        let front = state.withLock { $0.front }
        let servers = clients.map { "\($0.name ?? "")=\($0.server ?? "")" }.sorted()
        return WindowList(
            server: servers.isEmpty ? nil : servers.joined(separator: " "),
            windows: clients.flatMap { client in (client.windows ?? []).map { client.listed($0, front: front) } })
    }

    /// Takes notice of whose window is in front. Chromium does not tell when its window loses the keyboard to another program's.
    func note(desktop list: WindowList) {
        let front: Int32?
        if let window = list.windows.first(where: { $0.activation == .foregroundActive }) {
            front = window.process
        } else {
            front = list.windows.contains { $0.activation != nil } ? 0 : nil
        }
        let isOther = state.withLock { state in
            defer { state.front = front }
            return state.front != front
        }
        if isOther { tellObservers() }
    }

    func client(named name: String) -> (token: UInt64, client: BrowserClient)? {
        state.withLock { state in
            state.clients.first { $0.value.name == name && $0.value.windows != nil }.map { ($0.key, $0.value) }
        }
    }

    /// What came of asking.
    enum Reply: Sendable {
        case answer(BrowserAnswer)
        /// It did not answer in time.
        case silence
        /// Its connection ended meanwhile.
        case lost
    }

    func ask(_ token: UInt64, _ request: BrowserRequest, until deadline: Deadline) -> Reply {
        let signal = BrowserSignal()
        let asked = state.withLock { state -> (Question, BrowserWire)? in
            guard let client = state.clients[token] else { return nil }
            let question = Question(client: token, id: client.nextRequest)
            state.clients[token]?.nextRequest += 1
            state.waiting[question] = signal
            return (question, client.wire)
        }
        guard let (question, wire) = asked else { return .lost }
        let isSent = wire.send(request.line(id: question.id), until: deadline)
        if isSent { _ = signal.wait(until: deadline) }
        return state.withLock { state in
            state.waiting[question] = nil
            switch state.answers.removeValue(forKey: question) {
            case .some(.some(let answer)): return .answer(answer)
            case .some(.none): return .lost
            case nil: return isSent ? .silence : .lost
            }
        }
    }

    /// Calls `observer` after each change, from the thread that listens: it must not wait.
    func observe(_ observer: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            defer { state.next += 1 }
            state.observers[state.next] = observer
            return state.next
        }
    }

    func endObserving(_ token: UInt64) { state.withLock { $0.observers[token] = nil } }
}
