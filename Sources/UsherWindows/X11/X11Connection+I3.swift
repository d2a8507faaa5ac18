internal import CXcb
internal import Glibc
internal import UsherActivation
internal import UsherJSON
internal import UsherSystem

/// What i3 publishes in no window property, and only on its own socket (i3's IPC, GET_TREE).
extension X11Connection {
    private static let i3Patience = 500
    private static let i3Name = Array("i3-ipc".utf8)
    private static let i3Tree: UInt32 = 4
    /// A tree of thousands of windows is smaller.
    private static let i3Longest = 1 << 26

    /// Whether i3 has a window marked as wanting attention.
    mutating func isUrgentInI3(_ window: UInt32) -> Bool {
        guard let path = text(ask(.i3Socket, of: root, atMost: Self.longestText)), !path.utf8.contains(0),
            let socket = try? LocalSocket.connect(to: path, waits: false, patience: Self.i3Patience)
        else { return false }
        defer { close(socket) }
        let deadline = Deadline(inMilliseconds: Self.i3Patience)
        let question = Self.i3Name + Self.bytes(0) + Self.bytes(Self.i3Tree)
        guard unsafe Glibc.send(socket, question, question.count, Int32(MSG_NOSIGNAL)) == question.count,
            let head = Self.receive(Self.i3Name.count + 8, from: socket, until: deadline),
            head.starts(with: Self.i3Name)
        else { return false }
        let length = head[Self.i3Name.count..<Self.i3Name.count + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= Self.i3Longest, let tree = Self.receive(length, from: socket, until: deadline) else {
            return false
        }
        return Self.isUrgent(window, in: tree)
    }

    private static func isUrgent(_ window: UInt32, in tree: [UInt8]) -> Bool {
        var document = JSONDocument(maximumDepth: 8192)
        guard (try? document.parse(tree)) != nil, let root = document.root else { return false }
        var open = [root]
        while let container = open.popLast() {
            if document.value("window", in: container).flatMap(document.int64) == Int64(window) {
                return document.value("urgent", in: container).flatMap(document.boolean) ?? false
            }
            for name in ["nodes", "floating_nodes"] {
                if let inner = document.value(name, in: container) { open += document.elements(inner) }
            }
        }
        return false
    }

    /// In the order of this machine, as both ends are on it.
    private static func bytes(_ number: UInt32) -> [UInt8] { unsafe withUnsafeBytes(of: number) { unsafe Array($0) } }

    private static func receive(_ count: Int, from socket: Int32, until deadline: Deadline) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe bytes.withUnsafeMutableBytes { room in
                unsafe recv(socket, room.baseAddress.map { unsafe $0 + filled }, count - filled, 0)
            }
            if got > 0 {
                filled += got
                continue
            }
            guard got < 0, errno == EAGAIN || errno == EINTR, !deadline.isOver else { return nil }
            var sign = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&sign, 1, deadline.remainingMilliseconds)
        }
        return bytes
    }
}
