public import UsherActivation
internal import UsherSystem

/// The user's session bus: one lasting connection, made when it is first needed, and again after the bus was gone.
///
/// All calls block, no longer than their time limits, and may come from several threads. One thread speaks to the bus and
/// sleeps while there is nothing to say. What is called has answered when a call returns, so no message is lost because we
/// leave too early.
public final class SessionBus: Sendable {
    let thread: BusThread

    /// `environment` says where it is (`DBUS_SESSION_BUS_ADDRESS`, `XDG_RUNTIME_DIR`). Nothing is asked before it is needed.
    public init(environment: [String: String]) {
        thread = BusThread(address: BusAddress.find(environment))
    }

    deinit { thread.end() }

    /// Calls a method; its results.
    @discardableResult
    public func call(_ call: BusCall) throws(ActivationFailure) -> [BusValue] {
        do throws(BusProblem) {
            return try ask(call).arguments
        } catch {
            throw error.failure(call)
        }
    }

    /// Has `body` told of signals until the observation goes. It comes back when the bus has heard of it: what is sent
    /// after that arrives, in the order of its sender.
    ///
    /// `body` runs on the thread that speaks to the bus: it hands over, and never waits. It cannot call the bus.
    public func observe(
        _ match: BusMatch, _ body: @escaping @Sendable (BusEvent) -> Void
    ) throws(ActivationFailure) -> BusObservation {
        let answer = BusAnswer()
        let number = thread.number()
        let call = BusCall.driver("AddMatch", [.string(match.rule)])
        let deadline = Deadline(inMilliseconds: call.timeLimit)
        do throws(BusProblem) {
            guard thread.submit(.observe(number, match, body, answer)) else { throw BusProblem.fromHandler }
            _ = try answer.wait(until: deadline).get()
            return BusObservation(thread, number)
        } catch {
            _ = thread.submit(.forget(number))
            throw error.failure(call)
        }
    }

    func ask(_ call: BusCall) throws(BusProblem) -> BusMessage {
        let answer = BusAnswer()
        let deadline = Deadline(inMilliseconds: call.timeLimit)
        guard thread.submit(.call(call, answer, deadline)) else { throw .fromHandler }
        return try answer.wait(until: deadline).get()
    }
}

/// Signals are observed as long as it is there.
public final class BusObservation: Sendable {
    private let thread: BusThread
    private let number: Int

    init(_ thread: BusThread, _ number: Int) {
        self.thread = thread
        self.number = number
    }

    deinit { _ = thread.submit(.forget(number)) }
}

extension BusProblem {
    static let fromHandler = BusProblem.unsuitable("who is told of a signal cannot wait for an answer meanwhile")
}
