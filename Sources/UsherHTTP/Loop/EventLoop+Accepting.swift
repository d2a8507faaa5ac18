internal import CLinux
internal import Glibc
internal import UsherSystem

extension EventLoop {
    /// Takes connections until there are none, or no room; a flood of them does not keep others waiting.
    func accept(_ index: Int) {
        guard !isDraining else { return }
        acceptor.reloadCertificates(now: now, force: false, report: report)
        let listener = acceptor.listeners[index]
        for _ in 0..<64 {
            if isFull(listener.isLocal), !makeRoom(listener) { return acceptor.putAside(index, on: epoll) }
            switch acceptor.accept(index) {
            case .connection(let descriptor, let peer):
                add(descriptor, peer: peer, listener: listener)
            case .refused(let user):
                report(.strangerRefused(listener: listener.label, user: user))
            case .none:
                return
            case .outOfDescriptors(let error):
                if acceptor.mayReport(\.failed, now) {
                    report(.acceptFailed(listener: listener.label, message: SystemError.text(error)))
                }
                acceptor.shed(index)
                return acceptor.pause(on: epoll, now: now)
            }
        }
    }

    /// Takes over a connection of this user, as one of the first listener.
    func adopt(_ inherited: HTTPServer.InheritedConnection) {
        guard usher_adopt_connection(inherited.descriptor) == 0, let listener = acceptor.listeners.first else { return }
        let address = HTTPPeer.Address.local(user: geteuid(), group: getegid(), process: getppid())
        add(
            inherited.descriptor, peer: HTTPPeer(address: address, listener: inherited.label), listener: listener,
            isInherited: true)
    }

    func isFull(_ isLocal: Bool) -> Bool {
        let count = isLocal ? localCount + internetCount : internetCount
        return count >= acceptor.room(isLocal: isLocal)
    }

    private func makeRoom(_ listener: BoundListener) -> Bool {
        if acceptor.mayReport(\.full, now) { report(.full(connections: localCount + internetCount)) }
        return closeIdlest()
    }
}

extension EventLoop {
    /// For answers that may be silent for long: a peer that vanished is found out.
    func keepAlive(_ connection: Connection) {
        if !connection.isLocal { usher_keep_alive(connection.descriptor) }
    }
}
