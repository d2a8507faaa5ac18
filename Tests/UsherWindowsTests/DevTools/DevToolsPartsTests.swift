import Foundation
import Testing

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

    @Test("who listens on a port")
    func listener() throws {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:2406 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 77 1 0 100
               1: 0100007F:2407 0100007F:2406 01 00000000:00000000 00:00000000 00000000  1000        0 78 1 0 100
               2: 00000000:2408 00000000:0000 0A 00000000:00000000 00:00000000 00000000     5        0 79 1 0 100
            """
        func found(_ port: UInt16) throws -> ListeningProcess.Found {
            let address = try #require(DevToolsAddress(host: "127.0.0.1", port: port))
            return ListeningProcess.listener(on: address, in: table, user: 1000)
        }
        #expect(try found(0x2406) == .socket(inode: "77"))
        #expect(try found(0x2407) == .nobody)
        #expect(try found(0x2408) == .foreign)
        let server = LoopbackServer { _, _ in }
        let own = try #require(DevToolsAddress(host: "127.0.0.1", port: server.port))
        #expect(try ListeningProcess(on: own)?.process == getpid())
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
            DevToolsLook.Page(
                target: target, window: 1, isMinimized: false, address: address, title: "", sight: nil)
        }
        let choice = TabChoice(showing: address, in: pages)
        #expect(choice?.page.target == target && (choice?.isExact ?? false) == isExact)
    }
}
