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
        if executable {
            try Program.write(text, at: file)
        } else {
            try FileManager.default.createDirectory(
                atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        }
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
