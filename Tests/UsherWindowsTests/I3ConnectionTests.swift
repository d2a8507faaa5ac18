import Foundation
import Testing
import UsherActivation
import UsherScene

@testable import UsherWindows

@Suite("I3Connection", .serialized)
struct I3ConnectionTests {
    /// A reply of the kind that was asked for.
    private static func message(_ text: String, type: UInt32 = 4, length: UInt32? = nil) -> [UInt8] {
        var bytes = Array("i3-ipc".utf8)
        for number in [length ?? UInt32(text.utf8.count), type] {
            withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
        }
        return bytes + Array(text.utf8)
    }

    @Test(
        "a server that is no sway is refused with a reason, in time",
        arguments: [
            ("another protocol", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), "speaks another language"),
            ("too long", message("", length: 0xFFFF_FFFF), "a message of 4294967295 bytes"),
            ("no JSON", message("{"), "speaks another language"),
            ("too deep", message(String(repeating: "[", count: 100_000)), "speaks another language"),
            ("another answer", message("{}", type: 7), "without a request"),
            ("the end", [], "went away"),
            ("half a header", Array("i3-".utf8), "went away"),
            ("half a body", message("{", length: 10), "went away"),
        ] as [(String, [UInt8], String)])
    func garbled(name: String, answer: [UInt8], words: String) throws {
        let listener = try ScriptedServer(answer: answer)
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
        let listener = try ScriptedServer(answer: Self.message(text))
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
        let listener = try ScriptedServer(answer: answer)
        let windows = SwayWindowSystem(environment: ["SWAYSOCK": listener.path])
        #expect(try windows.windows().windows.map(\.title) == ["caf\u{FFFD}"])
    }
}
