import Foundation
import Glibc
import TestSupport
import Testing
import UsherActivation
import UsherScene
import UsherTarget

@testable import UsherEngine

@Suite("WindowContent") struct WindowContentTests {
    static let here = SourceLocation(path: "apps/viewer.toml", line: 1, column: 1)

    struct Case: CustomTestStringConvertible, Sendable {
        var titles: [String]
        /// A path, or a target: `mail:{n}`.
        var result: String
        var title: String
        /// The target, or the name of the finding.
        var expected: String
        var base: SceneContent.Base?
        var testDescription: String { "\(titles.first ?? "") of \(title.prefix(40))" }

        init(
            _ titles: [String], _ result: String, _ title: String, _ expected: String, base: SceneContent.Base? = nil
        ) {
            (self.titles, self.result, self.title) = (titles, result, title)
            (self.expected, self.base) = (expected, base)
        }

        /// A path before `- V`.
        init(_ title: String, _ expected: String, base: SceneContent.Base? = nil) {
            self.init(["{file} - V"], "{file}", title + " - V", expected, base: base)
        }
    }

    static let inFolder = ["{file} ({folder}) - V"]
    static let cases: [Case] = [
        Case("/a/b c.pdf", "file:///a/b%20c.pdf"), Case("~/é#?%.pdf", "file:///home/me/%C3%A9%23%3F%25.pdf"),
        Case("/a/./b/../c.pdf", "file:///a/c.pdf"), Case("/a - V", "file:///a%20-%20V"),
        Case("a.pdf", "content.relative"), Case("a.pdf", "file:///docs/a.pdf", base: .folder("/docs")),
        Case("../a.pdf", "file:///a.pdf", base: .folder("/docs")),
        Case("/a.pdf", "file:///a.pdf", base: .folder("/docs")),
        Case("a.pdf", "content.relative", base: .workingFolder), Case("~root/a", "content.relative"),
        Case(["{file} - V"], "{file}", "/a - V!", "content.no-match"), Case("", "content.no-match"),
        Case(["{file} - V"], "{file}", "V", "content.no-match"), Case(["{file}"], "{file}", "", "content.no-match"),
        Case("/a\u{1B}[0m", "content.control-character"), Case("/a\u{85}b", "content.control-character"),
        Case("/a\nb", "content.control-character"), Case("/a\u{FFFD}", "content.encoding"),
        Case(inFolder, "{folder}/{file}", "a (/b) (/c) - V", "content.ambiguous"),
        Case(inFolder, "{folder}/{file}", "a (b) (/c) - V", "content.ambiguous"),
        Case(inFolder, "{folder}/{file}", "a (~/c) - V", "file:///home/me/c/a"),
        Case(["{n} {rest}"], "x:{n}", "1 2 3", "content.ambiguous"),
        Case(["{a} - {b}"], "x:same", "1 - 2 - 3", "x:same"),
        Case(["Mail {n}"], "mail:{n}", "Mail a/b", "mail:a%2Fb"),
        Case(["Mail {n}"], "mail:{+n}", "Mail a/b", "mail:a/b"),
        Case(["Inbox"], "mail:inbox", "Inbox", "mail:inbox"),
        Case(["{file} [V]", "{file} - V"], "{file}", "/a - V", "file:///a"),
        Case(["Other {n}", "Mail {n}"], "mail:{n}", "Mail 7", "mail:7"),
        Case(["{n} [x]", "{n}"], "mail:{n}", "7 [x]", "content.ambiguous"),
        Case(["{file}"], "{file}", "/" + String(repeating: "a", count: 4096), "content.too-long"),
        Case(["{file}"], "{file}", "/" + String(repeating: "é", count: 2048), "content.too-long"),
        Case(["{file}"], "{file}", "/" + String(repeating: "a", count: 65_535), "content.too-long"),
        Case(
            ["{file}"], "{file}", "/" + String(repeating: "a", count: 4095),
            "file:///" + String(repeating: "a", count: 4095)),
    ]

    static func scene(_ rules: [SceneContent], name: String = "document") -> SceneConfiguration {
        var scene = SceneConfiguration(name: name, location: here)
        scene.content = rules
        return scene
    }

    @Test("reads a title, and guesses nothing", arguments: cases)
    func titles(_ example: Case) throws {
        let result: SceneContent.Result =
            example.result.contains(":")
            ? .target(try URITemplate(example.result)) : .path(try TextTemplate(example.result))
        let rule = SceneContent(
            source: .title(try example.titles.map { try TextTemplate($0) }), result: result, base: example.base,
            location: Self.here)
        let content = WindowContent(title: example.title, windowClass: nil, home: "/home/me")
        let reading = try #require(content.readings(of: Self.scene([rule]), app: "example.viewer").first)
        #expect(reading.target?.text ?? reading.finding?.rawValue == example.expected)
        #expect((reading.target == nil) == (reading.finding != nil))
    }

    @Test("of two scenes that read a target, none has it; of another class, a scene takes no part")
    func scenes() throws {
        let rule = SceneContent(
            source: .title([try TextTemplate("{n}")]), result: .target(try URITemplate("x:{n}")), base: nil,
            location: Self.here)
        var app = App(id: "example.viewer", name: "Viewer", location: Self.here)
        var other = Self.scene([rule], name: "other")
        var pattern = WindowRule(location: Self.here)
        pattern.windowClass = try .init("Other")
        other.focus = FocusHandler(method: .window(pattern))
        app.scenes = [Self.scene([rule]), other]
        let unknown = WindowContent(title: "7", windowClass: nil, home: nil)
        #expect(unknown.readings(in: [app], app: nil, scene: nil).map(\.finding) == [.ambiguous, .ambiguous])
        #expect(unknown.readings(in: [app], app: nil, scene: "other").map(\.target?.text) == ["x:7"])
        let own = WindowContent(title: "7", windowClass: "Viewer", home: nil)
        #expect(own.readings(in: [app], app: nil, scene: nil).map(\.scene) == ["document"])
        #expect(own.readings(in: [app], app: nil, scene: "other").map(\.target?.text) == ["x:7"])
        #expect(own.readings(in: [app], app: "example.none", scene: nil).isEmpty)
    }

    // MARK: Processes

    struct Program: Sendable {
        let process: Process
        let folder: String

        /// `tail -f` of the files, which it holds open; or a script of this name, which stops itself.
        init(_ arguments: [String], files: [String], script: String? = nil) throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for file in files { _ = FileManager.default.createFile(atPath: folder + "/" + file, contents: Data()) }
            if let script {
                try TestSupport.Program.write("#!/bin/sh\nkill -STOP $$\n", at: folder + "/" + script)
            }
            process = Process()
            process.executableURL = URL(fileURLWithPath: script.map { folder + "/" + $0 } ?? "/usr/bin/tail")
            process.arguments =
                (script == nil ? ["-f"] : [])
                + arguments.map { $0.replacingOccurrences(of: "FOLDER", with: folder) }
            process.currentDirectoryURL = URL(fileURLWithPath: folder)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            if script != nil {
                let path = "/proc/\(process.processIdentifier)/stat"
                _ = try eventually { try String(contentsOfFile: path, encoding: .utf8).contains(") T ") }
            }
        }

        func end() {
            // SIGTERM may be blocked in this process, and so in that one.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    struct ProcessCase: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var arguments: [String]
        var files = ["a b.txt"]
        var script: String?
        var fact = SceneContent.Fact.arguments
        var base: SceneContent.Base?
        var expected: String?
        var finding: SceneContent.Finding?
    }

    static let processCases: [ProcessCase] = [
        .init(testDescription: "absolute", arguments: ["FOLDER/a b.txt"], expected: "/a%20b.txt"),
        .init(
            testDescription: "a URL", arguments: ["FOLDER/a b.txt", "file://FOLDER/a%20b.txt"], expected: "/a%20b.txt"),
        .init(testDescription: "relative", arguments: ["a b.txt"], finding: .relative),
        .init(
            testDescription: "relative to cwd", arguments: ["./a b.txt"], base: .workingFolder, expected: "/a%20b.txt"),
        .init(
            testDescription: "relative to elsewhere", arguments: ["a b.txt"], base: .folder("/none"), finding: .noMatch),
        .init(
            testDescription: "two files", arguments: ["FOLDER/a", "FOLDER/b"], files: ["a", "b"], finding: .ambiguous),
        .init(testDescription: "no file", arguments: ["/dev/null", "FOLDER/none"], files: [], finding: .noMatch),
        // `tail` of a folder alone would end.
        .init(testDescription: "a folder", arguments: ["/dev/null", "FOLDER"], files: [], finding: .noMatch),
        .init(
            testDescription: "a file named after its program", arguments: ["FOLDER/tail"], files: ["tail"],
            expected: "/tail"),
        .init(testDescription: "a script", arguments: ["FOLDER/a b.txt"], script: "edit", expected: "/a%20b.txt"),
        .init(
            testDescription: "a script of a long name", arguments: [], script: "edit-the-whole-text", finding: .noMatch),
        .init(
            testDescription: "a script that is given itself", arguments: ["FOLDER/edit"], script: "edit",
            expected: "/edit"),
        .init(testDescription: "cwd", arguments: ["/dev/null"], fact: .workingFolder, expected: ""),
    ]

    @Test("reads what a process was given", arguments: processCases)
    func processes(_ example: ProcessCase) throws {
        let program = try Program(example.arguments, files: example.files, script: example.script)
        defer { program.end() }
        let rule = SceneContent(
            source: .process(example.fact), result: .path(try TextTemplate("{file}")), base: example.base,
            location: Self.here)
        var window = WindowList.Window(handle: "x11:0x1", title: "a", group: "1")
        window.process = program.process.processIdentifier
        let content = WindowContent(window, home: nil)
        let expected = example.expected.map { "file://" + program.folder + $0 }
        // Between fork and exec it is not the program yet.
        #expect(
            try eventually {
                let readings = content.readings(of: Self.scene([rule]), app: "example.viewer")
                let reading = try #require(readings.first)
                return reading.finding == example.finding && reading.target?.text == expected
            })
    }

    @Test("says that a process ended")
    func processGone() throws {
        let program = try Program(["/dev/null"], files: [])
        program.end()
        for fact in SceneContent.Fact.allCases {
            let rule = SceneContent(
                source: .process(fact), result: .path(try TextTemplate("{file}")), base: nil, location: Self.here)
            var window = WindowList.Window(handle: "x11:0x1", title: "a", group: "1")
            window.process = program.process.processIdentifier
            let content = WindowContent(window, home: nil)
            #expect(content.readings(of: Self.scene([rule]), app: "a").map(\.finding) == [.processGone])
        }
    }
}
