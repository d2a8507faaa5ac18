import Foundation
import Testing
import UsherActivation
import UsherScene

@testable import UsherWindows

@Suite("SwayConnection", .serialized)
struct SwayConnectionTests {
    /// A reply of the kind that was asked for.
    private static func message(_ text: String, type: UInt32 = 4, length: UInt32? = nil) -> [UInt8] {
        var bytes = Array("i3-ipc".utf8)
        for number in [length ?? UInt32(text.utf8.count), type] {
            withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
        }
        return bytes + Array(text.utf8)
    }

    @Test(
        "whoever is no sway is refused in words, and in time",
        arguments: [
            ("another protocol", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), "speaks another language"),
            ("too long", message("", length: 0xFFFF_FFFF), "a message of 4294967295 bytes"),
            ("no JSON", message("{"), "speaks another language"),
            ("too deep", message(String(repeating: "[", count: 100_000)), "speaks another language"),
            ("another answer", message("{}", type: 7), "nobody asked for"),
            ("the end", [], "went away"),
            ("half a header", Array("i3-".utf8), "went away"),
            ("half a body", message("{", length: 10), "went away"),
        ] as [(String, [UInt8], String)])
    func garbled(name: String, answer: [UInt8], words: String) throws {
        let listener = try Listener(answer: answer)
        let windows = SwayWindowSystem(environment: ["SWAYSOCK": listener.path])
        let failure = #expect(throws: ActivationFailure.self) { try windows.windows() }
        #expect(failure?.code == .windowSystem)
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
    }

    @Test(
        "a tree that is not as expected has no windows, and does no harm",
        arguments: [
            "{}", "[]", "null", "7",
            #"{"nodes":7,"floating_nodes":[1,null,[]],"id":"x","type":4,"pid":{},"focused":0}"#,
            #"{"id":1,"type":"root","nodes":[{"id":-1,"type":"con","pid":99999999999,"nodes":null}]}"#,
        ])
    func strange(text: String) throws {
        let listener = try Listener(answer: Self.message(text))
        let windows = SwayWindowSystem(environment: ["SWAYSOCK": listener.path])
        #expect(try windows.windows().windows.isEmpty)
    }

    @Test("containers in containers, three thousand deep, hold their window; a title may be anything but UTF-8")
    func deep() throws {
        let depth = 3000
        let open = #"{"id":5,"type":"con","nodes":["#
        var text = Array((String(repeating: open, count: depth) + #"{"id":9,"type":"con","pid":3,"name":"caf"#).utf8)
        text += [0xE9]
        text += Array((#""}"# + String(repeating: "]}", count: depth)).utf8)
        var answer = Self.message("", length: UInt32(text.count))
        answer += text
        let listener = try Listener(answer: answer)
        let windows = SwayWindowSystem(environment: ["SWAYSOCK": listener.path])
        #expect(try windows.windows().windows.map(\.title) == ["caf\u{FFFD}"])
    }

    /// Answers each connection with the same bytes, whatever is asked, and ends it.
    private final class Listener {
        let path: String
        private let descriptor: Int32

        init(answer: [UInt8]) throws {
            path = "/tmp/usher-listener-\(UUID().uuidString)"
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
            }
            try #require(result == 0 && listen(descriptor, 8) == 0)
            let listening = descriptor
            Thread.detachNewThread {
                while true {
                    let connection = accept(listening, nil, nil)
                    guard connection >= 0 else { return }
                    var request = [UInt8](repeating: 0, count: 1024)
                    _ = recv(connection, &request, request.count, 0)
                    var sent = 0
                    while sent < answer.count {
                        let count = answer.withUnsafeBytes {
                            send(connection, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
                        }
                        guard count > 0 else { break }
                        sent += count
                    }
                    close(connection)
                }
            }
        }

        deinit {
            shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
            unlink(path)
        }
    }
}
