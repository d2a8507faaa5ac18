import Foundation
import TestSupport
import Testing
import UsherJSON

/// Runs Python with packages of PyPI: what other people's senders and receivers are made of.
enum PythonLibrary {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The packages, installed once for the checkout.
    static let packages = [
        "standardwebhooks==1.1.0", "gidgethub==6.0.0", "stripe==16.1.0", "slack_sdk==3.48.0", "twilio==9.13.0",
        "svix==1.99.1", "PyJWT==2.15.1", "cryptography==50.0.2",
    ]

    /// The JSON that a program prints.
    ///
    /// - Parameter input: handed to it as JSON on standard input.
    static func run(_ program: String, _ input: JSONValue) throws -> JSONValue {
        _ = try start(Repository.path + "/Scripts/install-python", packages, "")
        let output = try start(Repository.path + "/.build/python/bin/python", ["-c", program], input.text())
        return try JSONValue(parsing: Array(output))
    }

    private static func start(_ path: String, _ arguments: [String], _ input: String) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let (standardInput, standardOutput) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        try process.run()
        // Far less than a pipe holds.
        standardInput.fileHandleForWriting.write(Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let output = standardOutput.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(path) ended with status \(process.terminationStatus)")
        }
        return output
    }
}
