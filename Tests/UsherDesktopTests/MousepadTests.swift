import Foundation
import TestSupport
import Testing
import UsherBus

@testable import UsherActivation
@testable import UsherDesktop

/// A real GApplication on a display of the test's own: started by the bus, and when it runs already.
struct MousepadTests {
    /// A display without a window manager, and a bus whose programs are shown there.
    private final class Desk {
        let display: String
        let bus: PrivateBus
        private let server: Program
        private let folder = EntryFolder()

        init() throws {
            signal(SIGPIPE, SIG_IGN)
            let answer = folder.path + "/number"
            server = try Program(
                SpawnRequest(
                    program: "/bin/sh",
                    arguments: [
                        "sh", "-c", "exec Xvfb -displayfd 1 -screen 0 640x480x24 -nolisten tcp -noreset >\"$0\"",
                        answer,
                    ], environment: [EnvironmentVariable("PATH", "/usr/bin:/bin")]))
            var number = ""
            _ = eventually {
                number = (try? String(contentsOfFile: answer, encoding: .utf8)) ?? ""
                return number.hasSuffix("\n")
            }
            display = ":" + number.trimmingCharacters(in: .whitespacesAndNewlines)
            bus = try PrivateBus(
                services: ["org.xfce.mousepad": "/usr/bin/mousepad --gapplication-service"],
                environment: [
                    "DISPLAY": display, "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1", "GDK_BACKEND": "x11",
                ])
            try folder.entry("org.xfce.mousepad.desktop", exec: "/nowhere/mousepad %U", "DBusActivatable=true")
        }

        deinit {
            bus.stop()
            server.end()
        }

        func applications() -> SessionApplications {
            folder.applications(bus: SessionBus(environment: bus.environment))
        }

        func file(_ name: String) throws -> String { try folder.write("text\n", folder.path + "/" + name) }

        /// The titles of the windows that there are.
        var windows: String {
            let request = SpawnRequest(
                program: "/usr/bin/xwininfo", arguments: ["xwininfo", "-display", display, "-root", "-tree"],
                environment: [EnvironmentVariable("PATH", "/usr/bin")], captureLimit: 1 << 16)
            return String(decoding: (try? Spawner.run(request, timeLimit: 30_000))?.output ?? [], as: UTF8.self)
        }
    }

    @Test func isStartedByTheBusAndThenGivenMore() throws {
        let desk = try Desk()
        let applications = desk.applications()
        #expect(try applications.owner(of: "org.xfce.mousepad") == nil)
        let one = try desk.file("one of these.txt")
        let first = try applications.launch(
            EntryLaunch(entry: "org.xfce.mousepad", uris: ["file://" + one.replacingOccurrences(of: " ", with: "%20")]))
        #expect(first.warnings.isEmpty)
        #expect(eventually { desk.windows.contains("one of these.txt") })
        let process = try #require(first.process)
        #expect(try applications.owner(of: "org.xfce.mousepad") == process)
        #expect(try String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8).contains("mousepad"))
        // It runs: the same process opens another.
        let two = try desk.file("second.txt")
        let second = try applications.call(ApplicationCall(name: "org.xfce.mousepad", verb: .open(["file://" + two])))
        #expect(second.process == process)
        #expect(eventually { desk.windows.contains("second.txt") })
        // Nothing of it is left running when the bus goes.
        kill(process, SIGTERM)
        #expect(eventually { kill(process, 0) != 0 })
        #expect(eventually { (try? applications.owner(of: "org.xfce.mousepad")) == .some(nil) })
    }
}
