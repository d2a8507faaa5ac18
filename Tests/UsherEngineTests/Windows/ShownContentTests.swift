import EngineTestSupport
import Foundation
import TestSupport
import Testing
import UsherScene
import UsherSystem

@testable import UsherActivation
@testable import UsherEngine

/// What the user opened and shows a target, read just before a window would be launched for it.
@Suite("Content that is shown already") struct ShownContentTests {
    private let files = TemporaryFolder()
    private let desktop = ToldDesktop()

    private var activator: Activator {
        Activator(
            windowSystem: desktop, environment: ["PATH": "/usr/bin:/bin", "HOME": files.path], stateDirectory: nil)
    }

    /// A program that has a terminal of its own made for another one, as terminals do.
    private static let terminal = """
        import os, pty
        pid, terminal = pty.fork()
        if pid == 0: os.execvp("tail", ["tail", "-f", os.environ["SHOWN"]])
        try:
            while os.read(terminal, 65536): pass
        except OSError: pass
        """

    private func scene(_ rule: WindowRule? = nil) throws -> (App, SceneConfiguration) {
        var scene = SceneConfiguration(name: "page", location: WindowContentTests.here)
        scene.content = [
            SceneContent(
                source: .title([try TextTemplate("{file} - Viewer")]), result: .path(try TextTemplate("{file}")),
                base: nil, location: WindowContentTests.here),
            SceneContent(
                source: .process(.arguments), result: .path(try TextTemplate("{file}")), base: .workingFolder,
                location: WindowContentTests.here),
        ]
        scene.focus = rule.map { FocusHandler(method: .window($0)) }
        var app = App(id: "example.viewer", name: "Viewer", location: WindowContentTests.here)
        app.scenes = [scene]
        return (app, scene)
    }

    private func shown(_ path: String, _ rule: WindowRule? = nil) throws -> ShownContent? {
        let (app, scene) = try scene(rule)
        return activator.content(
            showing: [TargetContentIdentifier("file://" + path)], by: scene, of: app)
    }

    @Test("is a window by its title; what shows nothing else is not one")
    func title() throws {
        var window = WindowList.Window(handle: "x11:0x1", title: "/a.pdf - Viewer", group: "1")
        window.windowClass = "Viewer"
        desktop.say(WindowList(server: "one", windows: [window]))
        let found = try #require(try shown("/a.pdf"))
        #expect(found.handle == "x11:0x1" && found.handleServer == "one" && found.target.text == "file:///a.pdf")
        #expect(try shown("/b.pdf") == nil)
        // It is no window of the scene.
        var rule = WindowRule(location: WindowContentTests.here)
        rule.windowClass = try .init("Other")
        #expect(try shown("/a.pdf", rule) == nil)
    }

    @Test("is a program in a terminal, or the terminal's window where that is the scene's")
    func program() throws {
        let file = files.path + "/a.txt"
        try Data().write(to: URL(fileURLWithPath: file))
        let started = try Program(
            SpawnRequest(
                program: "/usr/bin/python3", arguments: ["python3", "-c", Self.terminal],
                environment: [EnvironmentVariable("PATH", "/usr/bin:/bin"), EnvironmentVariable("SHOWN", file)]))
        var window = WindowList.Window(handle: "x11:0x1", title: "terminal", group: "1")
        (window.process, window.windowClass) = (started.process, "XTerm")
        desktop.say(WindowList(server: "one", windows: [window]))
        var found: ShownContent?
        let path = FilePath.normalised(file)
        try waitUntil("it runs") {
            found = try shown(path)
            return found != nil
        }
        let program = try #require(ProcessTable.foregrounds(ofTerminalsOf: started.process).first)
        #expect(found?.handle == ProcessHandle("process:\(program)")?.running?.text && found?.handleServer == nil)
        #expect(try shown("/nowhere") == nil)
        var rule = WindowRule(location: WindowContentTests.here)
        rule.windowClass = try .init("XTerm")
        #expect(try shown(path, rule)?.handle == "x11:0x1")
        // Which of several windows of the terminal it is in, only the program says.
        var second = window
        second.handle = "x11:0x2"
        desktop.say(WindowList(server: "one", windows: [window, second]))
        #expect(try shown(path, rule)?.handle == found?.handle)
        started.end()
    }
}
