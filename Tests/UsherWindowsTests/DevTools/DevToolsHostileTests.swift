import Foundation
import Testing
import UsherScene

@testable import UsherActivation
@testable import UsherWindows

/// Endpoints that are no browser, or no honest one.
@Suite("DevTools endpoints that lie")
struct DevToolsHostileTests {
    static let version = #"{"Browser":"Chrome/1","webSocketDebuggerUrl":"ws://127.0.0.1:1/devtools/browser/aa-1"}"#

    static func http(_ body: String, status: String = "200 OK") -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }

    private func system(_ server: LoopbackServer) throws -> DevToolsWindowSystem {
        DevToolsWindowSystem(
            [try #require(DevToolsAddress(host: "127.0.0.1", port: server.port))], desktop: nil,
            limits: .init(answer: 400, seen: 100, desktop: 100, back: 50...50))
    }

    private func fails(_ server: LoopbackServer) throws -> DiagnosticCode? {
        let windows = try system(server)
        let begin = Date()
        #expect(try windows.windows() == WindowList(server: nil, windows: []))
        #expect(windows.support[.list] != .yes)
        let failure = #expect(throws: ActivationFailure.self) {
            try windows.focus(.handle("devtools:127.0.0.1:\(server.port)/1", server: nil))
        }
        #expect(Date().timeIntervalSince(begin) < 30)
        #expect(failure?.message.utf8.allSatisfy { $0 >= 0x20 } == true)
        return failure?.code
    }

    @Test(
        "answers to /json/version that are none",
        arguments: [
            "", "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 302 Found\r\nLocation: http://a/\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            String(decoding: http(#"{"webSocketDebuggerUrl":"ws://a/devtools/browser/../page"}"#), as: UTF8.self),
            String(decoding: http(#"{"webSocketDebuggerUrl":"ws://a/devtools/browser/a\r\nHost: b"}"#), as: UTF8.self),
            String(decoding: http(#"{"webSocketDebuggerUrl":7}"#), as: UTF8.self),
            String(decoding: http(String(repeating: "[", count: 60_000)), as: UTF8.self),
        ])
    func noVersion(answer: String) throws {
        let server = LoopbackServer { _, connection in LoopbackServer.say(Array(answer.utf8), to: connection) }
        let code = try fails(server)
        #expect(code == .browserRefused || code == .browserNotConnected)
    }

    @Test("a head without an end, and an answer that never comes")
    func endless() throws {
        let huge = LoopbackServer { _, connection in
            LoopbackServer.say([UInt8](repeating: 0x41, count: 4 << 20), to: connection)
        }
        #expect(try fails(huge) == .browserRefused)
        let silent = LoopbackServer { _, connection in LoopbackServer.swallow(connection) }
        #expect(try fails(silent) == .browserNoAnswer)
        #expect(
            try system(silent).presence(of: .handle("devtools:127.0.0.1:\(silent.port)/1", server: "aa-1")) == .unknown)
    }

    @Test(
        "messages that are none",
        arguments: [
            [0x81, 0x03, 0x6E, 0x6F, 0x74], [0x82, 0x00], [0x81, 0x80, 1, 2, 3, 4], [0xF1, 0x00], [0x83, 0x00],
            [0x80, 0x00], [0x01, 0x00, 0x01, 0x00], [0x09, 0x00], [0x89, 126, 0, 200], [0x88, 0x00],
            [0x81, 127, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x81, 127, 0, 0, 0, 0, 0x7F, 0, 0, 0],
            [0x81, 0x02, 0x5B, 0x5D], [0x81, 0x02, 0x7B, 0x7D],
        ] as [[UInt8]])
    func noMessage(bytes: [UInt8]) throws {
        let code = try fails(Self.browser { connection in LoopbackServer.say(bytes, to: connection) })
        #expect(code == .browserRefused || code == .browserNotConnected)
    }

    @Test("one that takes the connection and then says nothing, or only pings")
    func silent() throws {
        #expect(try fails(Self.browser { _ in }) == .browserNoAnswer)
        let pings = Self.browser { connection in
            let ping: [UInt8] = Array(repeatElement([0x89, 0x00], count: 500).joined())
            for _ in 0..<50 {
                LoopbackServer.say(ping, to: connection)
                usleep(20_000)
            }
        }
        #expect(try fails(pings) == .browserNoAnswer)
    }

    @Test("one that does not prove that it speaks the protocol")
    func noProof() throws {
        let server = LoopbackServer { head, connection in
            let upgrade =
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n"
            let answer = head.hasPrefix("GET /json") ? Self.http(Self.version) : Array(upgrade.utf8)
            LoopbackServer.say(answer, to: connection)
        }
        #expect(try fails(server) == .browserRefused)
    }

    @Test("answers of the wrong shape make no windows, and nothing traps")
    func wrongShapes() throws {
        for result in [
            "{}", "7", #"{"targetInfos":7}"#, #"{"targetInfos":[7,{"type":"page"},{"type":"page","targetId":"../x"}]}"#,
            #"{"targetInfos":[{"type":"page","targetId":"A"}],"windowId":1e400}"#,
            #"{"targetInfos":[{"type":"page","targetId":"A"}],"windowId":-5,"sessionId":7}"#,
        ] {
            let server = Self.browser { connection in
                // The same to whatever is asked.
                for id in 1...50 {
                    let body = Array("{\"id\":\(id),\"result\":\(result)}".utf8)
                    LoopbackServer.say(
                        [0x81, 126, UInt8(body.count >> 8), UInt8(body.count & 255)] + body, to: connection)
                }
            }
            #expect(try system(server).windows().windows.isEmpty, "\(result)")
        }
    }

    /// What answers as a browser does, up to the first message.
    static func browser(_ speak: @escaping @Sendable (Int32) -> Void) -> LoopbackServer {
        LoopbackServer { head, connection in
            guard !head.hasPrefix("GET /json") else { return LoopbackServer.say(http(version), to: connection) }
            let key = head.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
            let upgrade =
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: \(WebSocketKey(String(key)).answer)\r\n\r\n"
            LoopbackServer.say(Array(upgrade.utf8), to: connection)
            speak(connection)
            LoopbackServer.swallow(connection)
        }
    }
}
