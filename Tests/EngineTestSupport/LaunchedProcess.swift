import Foundation

/// A process that looks like one which an engine has launched, until `end`.
package struct LaunchedProcess {
    package let nonce = "nonce-\(UUID().uuidString)"
    private let process = Process()

    package init() throws {
        process.executableURL = URL(fileURLWithPath: "/bin/sleep")
        process.arguments = ["30"]
        process.environment = ["USHER_LAUNCH": nonce]
        try process.run()
    }

    package func end() {
        // A test runner's children may have been told to ignore SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
