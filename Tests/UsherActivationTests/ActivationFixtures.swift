import Foundation
import Testing
import UsherActivation
import UsherScene

let here = SourceLocation(path: "test.toml", line: 1, column: 1)

/// A command as a manifest would give it.
func command(_ arguments: [String], timeLimit: Int = Command.defaultTimeLimit) -> Command {
    var command = Command(arguments: arguments, location: here)
    command.timeLimit = timeLimit
    return command
}

/// `sh -c SCRIPT`, with arguments from `$1` on.
func shell(_ script: String, _ arguments: [String] = [], timeLimit: Int = Command.defaultTimeLimit) -> Command {
    command(["sh", "-c", script, "sh"] + arguments, timeLimit: timeLimit)
}

func task(
    session: String? = "clown-7", handle: String? = nil, target: String? = "https://clowntown.example/clowns/crusty",
    title: String? = "Crusty", payload: [UInt8] = Array(#"{"aps":{}}"#.utf8), action: Action = .launch
) -> ActivationTask {
    ActivationTask(
        delivery: "0199-delivery", nonce: "nonce-\(UUID().uuidString)", app: "example.clowntown", scene: "clown",
        session: session, handle: handle, target: target, title: title, payload: payload, action: action,
        reason: .opens)
}

/// The NUL-terminated strings of a file.
func strings(_ bytes: [UInt8]?) -> [String] {
    guard let bytes else { return [] }
    var parts = bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    if parts.last == "" { parts.removeLast() }
    return parts
}
