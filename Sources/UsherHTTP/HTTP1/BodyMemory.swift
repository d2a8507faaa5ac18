/// The memory that request bodies take while they are received, by account.
///
/// Without a proof, clients share one account: when it is full, a body of the client that holds most is refused in favour
/// of a client that holds less. Within one client, a body that takes long is refused in favour of a newer one.
final class BodyMemory {
    private struct Client {
        var bytes = 0
        /// The bodies that hold some of them.
        var bodies: [BodyCharge] = []
    }

    private let limits: HTTPServer.Limits
    private var local = 0
    private var proven = 0
    private var unproven = 0
    private var clients: [String: Client] = [:]

    init(_ limits: HTTPServer.Limits) { self.limits = limits }

    /// Charges more bytes of a body to its account; false where there are none left.
    func reserve(_ count: Int, for body: BodyCharge, now: Milliseconds) -> Bool {
        switch body.account {
        case .local:
            guard local + count <= limits.localBodies else { return false }
            local += count
        case .proven:
            guard proven + count <= limits.provenBodies else { return false }
            proven += count
        case .unproven(let name):
            while unproven + count > limits.unprovenBodies {
                guard let other = lessEntitled(than: body, of: name, count, now) else { return false }
                other.conversation.giveWay()
            }
            unproven += count
            clients[name, default: Client()].bytes += count
            if body.bytes == 0 { clients[name]?.bodies.append(body) }
        }
        body.bytes += count
        return true
    }

    /// Gives back everything that a body holds.
    func release(_ body: BodyCharge) {
        guard body.bytes > 0 else { return }
        switch body.account {
        case .local: local -= body.bytes
        case .proven: proven -= body.bytes
        case .unproven(let name):
            unproven -= body.bytes
            clients[name]?.bytes -= body.bytes
            clients[name]?.bodies.removeAll { $0 === body }
            if clients[name]?.bodies.isEmpty == true { clients[name] = nil }
        }
        body.bytes = 0
    }

    /// A body that has to give way to one that needs so many more bytes.
    private func lessEntitled(
        than body: BodyCharge, of name: String, _ count: Int, _ now: Milliseconds
    ) -> BodyCharge? {
        let own = clients[name] ?? Client()
        if let largest = clients.max(by: { $0.value.bytes < $1.value.bytes }), largest.key != name,
            largest.value.bytes > own.bytes + count
        {
            return largest.value.bodies.max { $0.bytes < $1.bytes }
        }
        let oldest = own.bodies.filter { $0 !== body }.min { $0.began < $1.began }
        guard let oldest, now - oldest.began >= Clock.milliseconds(limits.bodyPatienceSeconds) else { return nil }
        return oldest
    }
}

/// The memory that one request's body holds.
final class BodyCharge {
    let account: HTTPBodyAccount
    /// When it began to be received.
    let began: Milliseconds
    /// The conversation releases this charge when it closes, so the conversation outlives the charge.
    unowned let conversation: HTTP1Conversation
    fileprivate(set) var bytes = 0

    init(to account: HTTPBodyAccount, of conversation: HTTP1Conversation, began: Milliseconds) {
        self.account = account
        self.conversation = conversation
        self.began = began
    }
}

extension HTTPServer.Limits {
    /// How many bytes an account has.
    func bodies(of account: HTTPBodyAccount) -> Int {
        switch account {
        case .local: localBodies
        case .proven: provenBodies
        case .unproven: unprovenBodies
        }
    }
}
