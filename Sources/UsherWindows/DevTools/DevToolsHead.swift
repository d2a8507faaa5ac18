internal import UsherActivation
internal import UsherSystem

/// The head of an HTTP/1.1 answer (RFC 9112).
struct DevToolsHead {
    var status: Int
    /// By name in lower case.
    var fields: [String: String]

    private static let longest = 16 * 1024

    /// Takes a head off what the other side sends.
    init(of socket: inout DevToolsSocket, until deadline: Deadline) throws(DevToolsProblem) {
        let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        /// How much of it has no end of a head.
        var scanned = 0
        while true {
            let received = socket.received
            let rest = received.dropFirst(scanned)
            if let place = rest.indices.first(where: { rest[$0] == 0x0D && rest[$0...].starts(with: end) }) {
                guard place - received.startIndex <= Self.longest, let head = Self(received[..<place]) else {
                    throw .garbled("no head of HTTP")
                }
                socket.take(place - received.startIndex + end.count)
                self = head
                return
            }
            guard received.count <= Self.longest else { throw .garbled("a head of \(received.count) bytes") }
            scanned = max(0, received.count - end.count + 1)
            guard !deadline.isOver, try socket.receive(until: deadline) else { throw .silent }
        }
    }

    init?(_ bytes: ArraySlice<UInt8>) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        let first = (lines.first ?? []).split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard first.count >= 2, first[0].elementsEqual("HTTP/1.1".utf8), first[1].count == 3,
            let status = Int(String(decoding: first[1], as: UTF8.self))
        else { return nil }
        self.status = status
        fields = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            var value = line[(colon + 1)...].drop(while: Self.isSpace)
            while let last = value.last, Self.isSpace(last) { value.removeLast() }
            fields[name] = String(decoding: value, as: UTF8.self)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    func has(_ name: String, _ word: String) -> Bool { fields[name]?.lowercased() == word }
}
