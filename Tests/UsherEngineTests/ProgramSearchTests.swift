import Foundation
import Testing
import UsherActivation
import UsherConfiguration

/// What the configuration calls found is what activation runs.
struct ProgramSearchTests {
    @Test(arguments: [
        "sh", "tool", "folder", "plain", "", "nothing", "a\0b", "./first/tool", "first/tool", "FOLDER/first/tool",
        "FOLDER/first/plain", "FOLDER/first", "FOLDER/nothing/tool",
    ])
    func isThatOfActivation(program: String) throws {
        let folder = NSTemporaryDirectory() + "usher-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, mode) in [
            ("first/plain", 0o644), ("first/tool", 0o755), ("second/tool", 0o755), ("second/plain", 0o755),
        ] {
            let path = "\(folder)/\(name)"
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try FileManager.default.createDirectory(
                atPath: folder + "/first/folder", withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let name = program.replacingOccurrences(of: "FOLDER", with: folder)
        for path in [nil, "", "/usr/bin:/bin", "\(folder)/first:\(folder)/second", "first::.:\(folder)/second/"] {
            var found: String?
            if case .found(let file) = ProgramSearch(path: path).find(name) { found = file }
            #expect(found == ProgramLocator(path: path).locate(name), "\(path ?? "no PATH")")
        }
    }
}
