internal import Dispatch
internal import Synchronization
internal import UsherSystem

/// Runs the work of one scene in order, and that of different scenes side by side.
final class SceneLanes: Sendable {
    typealias Work = @Sendable () -> Void

    private let lanes = Mutex<[String: [Work]]>([:])
    private let threads: WorkerThreads
    private let group = DispatchGroup()

    /// - Parameter limit: how many lanes may work at once.
    init(limit: Int) { threads = WorkerThreads(limit: limit) }

    /// Whether nothing runs or waits in a lane: work submitted now begins at once.
    func isIdle(_ lane: String) -> Bool { lanes.withLock { $0[lane] == nil } }

    /// Runs work after everything that was submitted to the lane before.
    func submit(_ lane: String, _ work: @escaping Work) {
        let starts = lanes.withLock { lanes in
            if lanes[lane] != nil {
                lanes[lane]?.append(work)
                return false
            }
            lanes[lane] = []
            return true
        }
        guard starts else { return }
        group.enter()
        threads.submit { [self] in
            work()
            while let next = next(in: lane) { next() }
            group.leave()
        }
    }

    /// Waits until no lane has work.
    func drain() {
        lendHand()
        group.wait()
    }

    /// The same, but not for ever; false where there is still work.
    func drain(within seconds: Double) -> Bool {
        lendHand()
        return group.wait(timeout: .now() + seconds) == .success
    }

    /// To be called after `submit`, outside of every lock: where the system gives no thread, the work is done here.
    func lendHand() { threads.lendHand() }

    /// How many lanes have work.
    var busyCount: Int { lanes.withLock { $0.count } }

    private func next(in lane: String) -> Work? {
        lanes.withLock { lanes in
            if lanes[lane]?.isEmpty ?? true {
                lanes[lane] = nil
                return nil
            }
            return lanes[lane]?.removeFirst()
        }
    }
}
