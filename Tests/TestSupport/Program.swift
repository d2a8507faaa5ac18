package import UsherActivation
import UsherSystem

/// A program that runs until it is ended: with the signals of a new program, which a test's threads may have blocked.
package final class Program {
    private var child: ChildProcess

    package init(_ request: SpawnRequest) throws { child = try Spawner.start(request) }

    deinit { end() }

    package var process: Int32 { child.pid }

    package var hasEnded: Bool { child.wait(until: Deadline(inMilliseconds: 0)) != nil }

    package func end() { child.stop(patience: 5000) }
}
