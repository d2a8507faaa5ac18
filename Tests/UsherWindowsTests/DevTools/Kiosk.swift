import Foundation
import TestSupport
import Testing
import UsherJSON
import UsherScene

@testable import UsherActivation
@testable import UsherWindows

/// A real Chromium with a DevTools port, a profile of its own and pages on loopback; gone with the value.
final class Kiosk {
    private let files = TemporaryFolder()
    let pages: LoopbackServer
    private(set) var port: UInt16 = 0
    private var program: Program?
    private let display: String?

    /// - Parameter display: nil is headless.
    init(display: String? = nil) throws {
        self.display = display
        pages = LoopbackServer { head, connection in
            let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? "/"
            // One that goes elsewhere by itself.
            let script = path == "/fickle" ? "<script>onhashchange = () => location.hash = 'own'</script>" : ""
            let page = "<!doctype html><title>Page \(path.dropFirst())</title><h1 id=part>Page</h1>\(script)"
            let answer =
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n"
                + "Connection: close\r\n\r\n" + page
            LoopbackServer.say(Array(answer.utf8), to: connection)
        }
        try start()
    }

    var folder: String { files.path }

    deinit { stop() }

    func page(_ name: String) -> String { "http://127.0.0.1:\(pages.port)/\(name)" }

    /// On the port that it had before.
    func start() throws {
        let profile = folder + "/profile"
        try? FileManager.default.removeItem(atPath: profile + "/DevToolsActivePort")
        var options = [
            "--no-sandbox", "--user-data-dir=\(profile)", "--remote-debugging-port=\(port)", "--no-first-run",
            "--no-default-browser-check", "--disable-gpu", "--disable-crash-reporter", "--password-store=basic",
            "--disable-dev-shm-usage", "--disable-background-networking",
        ]
        if display == nil { options.append("--headless=new") }
        var environment = ["PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8", "NO_AT_BRIDGE": "1"]
        environment["DISPLAY"] = display
        program = try Program(
            SpawnRequest(
                program: "/usr/bin/chromium", arguments: ["chromium"] + options + [page("first")],
                environment: environment.map { EnvironmentVariable($0.key, $0.value) }))
        // Of a port that was asked for there is no file.
        _ = eventually {
            if port > 0 { return true }
            let text = (try? String(contentsOfFile: profile + "/DevToolsActivePort", encoding: .utf8)) ?? ""
            guard let line = text.split(separator: "\n").first, let number = UInt16(line) else { return false }
            port = number
            return true
        }
        try #require(port > 0, "the package chromium is missing, or it does not start")
        let windows = try windowSystem()
        #expect(
            eventually {
                (try? windows.windows())?.windows.first?.tabs.first { $0.isActive }?.title == "Page first"
            })
    }

    func stop() {
        program?.end()
        program = nil
    }

    func address() throws -> DevToolsAddress { try #require(DevToolsAddress(host: "127.0.0.1", port: port)) }

    /// Machines that run tests are slow.
    func windowSystem(on desktop: (any WindowSystem)? = nil) throws -> DevToolsWindowSystem {
        DevToolsWindowSystem(
            [try address()], desktop: desktop,
            limits: .init(answer: 20_000, visit: 120_000, seen: 15_000, desktop: 15_000, back: 100...200))
    }

    /// What a program of others would ask for.
    @discardableResult
    func open(_ name: String, inNewWindow: Bool = false) throws -> String {
        var connection = try DevToolsConnection(try address(), patience: 20_000)
        let answer = try connection.call(
            "Target.createTarget", ["url": .string(page(name)), "newWindow": .boolean(inNewWindow)])
        let target = try #require(answer["targetId"]?.string)
        let windows = try windowSystem()
        #expect(
            eventually {
                let tabs = (try? windows.windows())?.windows.flatMap(\.tabs) ?? []
                return tabs.contains { $0.handle.hasSuffix(target) && $0.title == "Page \(name)" }
            })
        return target
    }
}
