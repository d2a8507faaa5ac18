import Foundation
import Testing
import UsherActivation
import UsherSystem

@testable import UsherWindows

@Suite("Parts of the DevTools protocol")
struct DevToolsPartsTests {
    @Test(
        "handles have one spelling",
        arguments: [
            ("devtools:127.0.0.1:9222/3", true), ("devtools:[::1]:9222/0", true),
            ("devtools:127.0.0.1:9222/3/AB-12", true), ("devtools:127.0.0.1:9222/3/", false),
            ("devtools:127.0.0.1:9222/03", false), ("devtools:127.0.0.1:9222/-3", false),
            ("devtools:127.0.0.1:09222/3", false), ("devtools:127.0.0.1:0/3", false), ("devtools:127.0.0.1/3", false),
            ("devtools:10.0.0.1:9222/3", false), ("devtools:127.0.0.256:9222/3", false), ("devtools:::1:9222/3", false),
            ("devtools:127.0.0.1:65536/3", false), ("devtools:127.0.0.1:9222/3/../x", false),
            ("devtools:127.0.0.1:9222/3/a b", false), ("browser:chromium/3", false), ("devtools:", false),
        ])
    func handles(text: String, isOne: Bool) {
        #expect(DevToolsHandle(text)?.text == (isOne ? text : nil))
    }

    /// The example of RFC 6455, 1.3.
    @Test("the proof of a handshake")
    func key() {
        #expect(WebSocketKey("dGhlIHNhbXBsZSBub25jZQ==").answer == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(WebSocketKey().text.utf8.count == 24 && WebSocketKey().text != WebSocketKey().text)
    }

    @Test("frames, as RFC 6455 shows them in 5.7", arguments: [0, 5, 125, 126, 65_535, 65_536])
    func frames(count: Int) throws {
        let hello = WebSocketFrame(kind: .text, body: Array("Hello".utf8))
        #expect(
            hello.masked(with: [0x37, 0xFA, 0x21, 0x3D])
                == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
        let frame = WebSocketFrame(kind: .text, body: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
        // Without a mask it is what a server sends.
        var bytes = frame.masked(with: [0, 0, 0, 0])
        bytes[1] &= 0x7F
        let head = bytes.count - count - 4
        bytes.removeSubrange(head..<(head + 4))
        let read = try #require(try WebSocketFrame.first(of: (bytes + [1, 2])[...]))
        #expect(read.frame == frame && read.length == bytes.count)
        #expect(try WebSocketFrame.first(of: bytes.dropLast()) == nil)
    }

    @Test("whose socket is at the other end of a connection")
    func peer() throws {
        let table = Array(
            """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:2406 00000000:0000 0A 00000000:00000000 00:00000000 00000000     5        0 76 1 0 100
               1: 0100007F:2406 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 77 1 0 100
               2: 0100007F:9999 0100007F:2406 01 00000000:00000000 00:00000000 00000000    33        0 78 1 0 100
              10: 0100007F:2406 0100007F:999
            """.utf8)
        let found = PeerSocket.entry(of: "0100007F:2406", with: "0100007F:9999", in: table)
        #expect(found?.user == "1000" && found?.inode == "77")
        #expect(PeerSocket.entry(of: "0100007F:2406", with: "00000000:0000", in: table)?.user == "5")
        for (own, other) in [("0100007F:2406", "0100007F:9998"), ("0100007F:240", "0100007F:9999"), ("", "")] {
            #expect(PeerSocket.entry(of: own, with: other, in: table) == nil)
        }
        #expect(PeerSocket.entry(of: "0100007F:2406", with: "0100007F:999", in: table) == nil, "a line cut off")
        #expect(TableText.word(0x0100_007F) == "0100007F" && TableText.port(0x2A) == "002A")
    }

    @Test("a connection is known by its own ends, also to a server of both versions of IP", arguments: [false, true])
    func ends(isOfBoth: Bool) throws {
        let server = LoopbackServer(isOfBoth: isOfBoth) { _, connection in
            LoopbackServer.say(Array("x".utf8), to: connection)
            LoopbackServer.swallow(connection)
        }
        let address = try #require(DevToolsAddress(host: "127.0.0.1", port: server.port))
        var socket = try DevToolsSocket(address, until: Deadline(inMilliseconds: 30_000))
        try socket.send(Array("GET\r\n\r\n".utf8), until: Deadline(inMilliseconds: 30_000))
        #expect(try socket.receive(until: Deadline(inMilliseconds: 30_000)))
        let process = try PeerSocket(of: socket).process
        #expect(process == getpid())
    }

    @Test("sockets that are refused are closed")
    func descriptors() throws {
        // No server listens there any more.
        let port = LoopbackServer { _, _ in }.port
        let address = try #require(DevToolsAddress(host: "127.0.0.1", port: port))
        func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let before = try count()
        for _ in 0..<500 {
            #expect(throws: DevToolsProblem.self) {
                _ = try DevToolsSocket(address, until: Deadline(inMilliseconds: 30_000)).received.count
            }
        }
        // Other tests run beside this one.
        #expect(try count() < before + 400)
    }

    @Test(
        "which tab shows an address",
        arguments: [
            ("http://a/", "1", true), ("HTTP://A:80", "1", true), ("http://a/x#two", "2", true),
            ("http://a/x#three", "2", false), ("http://a/y#/in", "3", true), ("http://a/y#/out", nil, false),
            ("http://b/", nil, false), ("https://a/", nil, false), ("", nil, false), ("#", nil, false),
            ("http://", nil, false), ("://", nil, false),
        ] as [(String, String?, Bool)])
    func choice(address: String, target: String?, isExact: Bool) {
        let pages = [("1", "http://a/"), ("2", "http://a/x#two"), ("3", "http://a/y#/in")].map { target, address in
            DevToolsSnapshot.Page(
                target: target, window: 1, isMinimized: false, address: address, title: "", sight: nil)
        }
        let choice = TabChoice(showing: address, in: pages)
        #expect(choice?.page.target == target && (choice?.isExact ?? false) == isExact)
    }
}
