import Foundation
import TestSupport
import Testing

/// Programs of others that judge what is written here, in the environment that Scripts/install-python makes.
enum PythonJudge {
    /// Runs Python code with `input` on its standard input; what it wrote, and whether it ended well.
    static func run(_ code: String, input: [UInt8]) throws -> (isGood: Bool, output: String) {
        let (status, text) = try process(Repository.path + "/Scripts/install-python", [], input: [])
        try #require(status == 0, "\(text)")
        let answer = try process(Repository.path + "/.build/python/bin/python", ["-c", code], input: input)
        return (answer.0 == 0, answer.1)
    }

    static func process(_ program: String, _ arguments: [String], input: [UInt8]) throws -> (Int32, String) {
        let folder = NSTemporaryDirectory() + "/usher-judge-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Files, not pipes: the two processes cannot block each other.
        try Data(input).write(to: URL(fileURLWithPath: folder + "/input"))
        try #require(FileManager.default.createFile(atPath: folder + "/output", contents: nil))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle(forReadingAtPath: folder + "/input")
        let output = FileHandle(forWritingAtPath: folder + "/output")
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, try String(contentsOfFile: folder + "/output", encoding: .utf8))
    }
}
