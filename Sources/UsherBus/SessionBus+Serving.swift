package import UsherActivation
internal import UsherSystem

// The other side: to be called.

extension SessionBus {
    /// Takes a name, and answers calls with what `body` says, which runs on the thread that speaks to the bus and never
    /// waits; nil is what is not known here. One name at a time.
    package func serve(
        _ name: String, _ body: @escaping @Sendable (BusMessage) -> BusReply?
    ) throws(ActivationFailure) {
        let call = BusCall.driver("RequestName", [.string(name)])
        let answer = BusAnswer()
        do throws(BusProblem) {
            guard thread.submit(.serve(BusService(name: name, body: body), answer)) else { throw .fromHandler }
            let result = try answer.wait(until: Deadline(inMilliseconds: call.timeLimit)).get()
            guard result.arguments.first?.uint32 == 1 else {
                throw .error(BusName.driver + ".Error.AddressInUse", "\(name) is somebody else's")
            }
        } catch {
            throw error.failure(call)
        }
    }

    /// Sends a signal, to everybody or to one connection.
    package func emit(_ signal: BusMessage, to destination: String? = nil) throws(ActivationFailure) {
        let answer = BusAnswer()
        do throws(BusProblem) {
            guard thread.submit(.emit(signal, destination, answer)) else { throw .fromHandler }
            _ = try answer.wait(until: Deadline(inMilliseconds: 5000)).get()
        } catch {
            throw error.failure(BusCall(destination ?? "everybody", signal.path, signal.interface, signal.member))
        }
    }
}
