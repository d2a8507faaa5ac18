/// The memory that request bodies take while they are received, by account.
///
/// Without a proof, clients share one account: when it is full, a body of the client that holds most is refused in favour
/// of a client that holds less. Within one client, a body that takes long is refused in favour of a newer one.
final class BodyMemory {
    private struct Client {
        var bytes = 0
        /// Those that hold some of them.
        var bodies: [HTTP1Conversation] = []
    }

    private let limits: HTTPServer.Limits
    private var local = 0
    private var proven = 0
    private var unproven = 0
    private var clients: [String: Client] = [:]

    init(_ limits: HTTPServer.Limits) { self.limits = limits }

    /// Charges more bytes to the account of a body; false where there are none left. The body adds them to `heldBytes`.
    func reserve(_ count: Int, for body: HTTP1Conversation, now: Milliseconds) -> Bool {
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
                other.giveWay()
            }
            unproven += count
            clients[name, default: Client()].bytes += count
            if body.heldBytes == 0 { clients[name]?.bodies.append(body) }
        }
        return true
    }

    /// Gives back everything that a body holds.
    func release(of body: HTTP1Conversation) {
        switch body.account {
        case .local: local -= body.heldBytes
        case .proven: proven -= body.heldBytes
        case .unproven(let name):
            unproven -= body.heldBytes
            clients[name]?.bytes -= body.heldBytes
            clients[name]?.bodies.removeAll { $0 === body }
            if clients[name]?.bodies.isEmpty == true { clients[name] = nil }
        }
    }

    /// A body that has to give way to one that needs so many more bytes.
    private func lessEntitled(
        than body: HTTP1Conversation, of name: String, _ count: Int, _ now: Milliseconds
    ) -> HTTP1Conversation? {
        let own = clients[name] ?? Client()
        if let largest = clients.max(by: { $0.value.bytes < $1.value.bytes }), largest.key != name,
            largest.value.bytes > own.bytes + count
        {
            return largest.value.bodies.max { $0.heldBytes < $1.heldBytes }
        }
        let oldest = own.bodies.filter { $0 !== body }.min { $0.bodyBegan < $1.bodyBegan }
        guard let oldest, now - oldest.bodyBegan >= Clock.milliseconds(limits.bodyPatienceSeconds) else { return nil }
        return oldest
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
