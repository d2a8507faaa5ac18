import Foundation
import TestSupport
import UsherBus
import UsherDesktop

@testable import UsherActivation

/// A data folder of a test's own, with desktop entries in it; gone with the value.
final class EntryFolder {
    private let files = TemporaryFolder()
    var path: String { files.path }
    var applications: String { path + "/applications" }

    init() { try? FileManager.default.createDirectory(atPath: applications, withIntermediateDirectories: true) }

    @discardableResult
    func write(_ text: String, _ name: String, executable: Bool = false) throws -> String {
        let file = name.hasPrefix("/") ? name : "\(applications)/\(name)"
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        guard executable else {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            return file
        }
        // A file that is open for writing, be it in a child of another thread, cannot be executed.
        _ = try Spawner.run(
            SpawnRequest(
                program: "/bin/sh", arguments: ["sh", "-c", "cat >\"$0\" && chmod 755 \"$0\"", file],
                environment: [EnvironmentVariable("PATH", "/bin")], input: Array(text.utf8)), timeLimit: 30_000)
        return file
    }

    /// An entry of a program; `more` are further lines.
    @discardableResult
    func entry(_ id: String, exec: String, name: String = "A Name", _ more: String = "") throws -> String {
        try write("[Desktop Entry]\nType=Application\nName=\(name)\nExec=\(Self.escaped(exec))\n\(more)\n", id)
    }

    /// As strings are written in key files.
    static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\n", with: "\\n")
    }

    /// A program that says what it was given.
    func dumper() throws -> String {
        try write("#!/bin/sh\nfor word; do printf '<%s>' \"$word\"; done\necho\n", path + "/dump", executable: true)
    }

    var environment: [String: String] {
        [
            "XDG_DATA_HOME": path, "XDG_DATA_DIRS": path + "/shared", "PATH": "\(path)/bin:/usr/bin:/bin", "HOME": path,
            "LANG": "C.UTF-8",
        ]
    }

    func applications(_ more: [String: String] = [:], bus: SessionBus? = nil) -> SessionApplications {
        SessionApplications(environment: environment.merging(more) { $1 }, bus: bus)
    }
}
