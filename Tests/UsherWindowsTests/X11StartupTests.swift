import Foundation
import TestSupport
import Testing

@testable import UsherActivation
@testable import UsherWindows

/// The end of a startup sequence, as programs that show a busy cursor see it (Startup Notification 0.1).
@Suite("X11 startup", .serialized)
struct X11StartupTests {
    @Test(
        "an id is quoted, and a message cut into parts of twenty bytes with a zero at the end",
        arguments: [
            ("a_TIME", #"remove: ID="a_TIME""#, 1),
            (#"i3|a "b\c"|1_TIME0"#, #"remove: ID="i3|a \"b\\c\"|1_TIME0""#, 2),
            ("123456", #"remove: ID="123456""#, 1), ("1234567", #"remove: ID="1234567""#, 2),
            ("é", "remove: ID=\"é\"", 1),
        ])
    func message(id: String, message: String, count: Int) {
        #expect(X11StartupMessage.remove(id) == message)
        let parts = X11StartupMessage.parts(message)
        #expect(parts.count == count && parts.allSatisfy { $0.count == X11StartupMessage.partSize })
        let bytes = Array(parts.joined())
        #expect(bytes.prefix { $0 != 0 }.elementsEqual(message.utf8) && bytes.last == 0)
    }

    @Test("listening clients get the end of a startup", arguments: WindowManager.allCases)
    func endsAtListeners(manager: WindowManager) throws {
        let server = try XServer(manager)
        let file = NSTemporaryDirectory() + "/usher-startup-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try server.client("listen", file)
        #expect(eventually { FileManager.default.fileExists(atPath: file) })
        let windows = server.windowSystem
        windows.endStartup("i3|usher|77-0-box_TIME4711")
        windows.endStartup("short")
        let expected = "remove: ID=\"i3|usher|77-0-box_TIME4711\"\nremove: ID=\"short\"\n"
        #expect(eventually { (try? String(contentsOfFile: file, encoding: .utf8)) == expected })
        // It is asked for its windows as before.
        #expect(try windows.windows().server?.hasPrefix(server.display) == true)
    }

    @Test("without a server nothing is waited for")
    func noServer() {
        X11WindowSystem(environment: ["DISPLAY": ":54321"]).endStartup("a")
        X11WindowSystem(environment: [:]).endStartup("a")
    }
}
