public import UsherScene

extension Activator {
    /// No answer of a program is longer, in bytes.
    public static let longestAnswer = 1024 * 1024

    /// Runs a command to its end for what it writes on standard output: `save`, `upgrade`.
    ///
    /// The answer is empty where it failed; one that is too long is a failure, and so is the time limit.
    public func ask(
        _ task: ActivationTask, _ command: Command, verb: String
    ) -> (report: ActivationReport, answer: [UInt8]) {
        if isDryRun { return (ActivationReport(outcome: .skipped), []) }
        let name = command.arguments.first ?? ""
        do throws(ActivationFailure) {
            let prepared = try prepare(task, command, payloadFile: standardInput)
            var request = request(prepared, name: name, task: task, captures: true)
            request.captureLimit = Self.longestAnswer
            request.capturesOutputOnly = true
            let result = try Spawner.run(request, timeLimit: command.timeLimit)
            let run = HandlerReport(
                verb: verb, command: prepared.summary, status: Self.status(result.end),
                milliseconds: result.milliseconds)
            let failure: ActivationFailure
            switch result.end {
            case .exited(0) where result.outputLength <= Self.longestAnswer:
                return (ActivationReport(outcome: .done, handlers: [run]), result.output)
            case .exited(0): failure = .longAnswer(name, bytes: result.outputLength)
            case .exited(let status): failure = .exitStatus(name, status, output: nil)
            case .signalled(let signal): failure = .killed(name, by: signal)
            case nil: failure = .timeLimit(name, milliseconds: command.timeLimit)
            }
            return (ActivationReport(outcome: .failed, failure: failure, handlers: [run]), [])
        } catch {
            return (notStarted(error, command, verb: verb), [])
        }
    }

    /// Keeps the activity of a lost window for the launch that brings it back; where it is.
    public func keepRestoration(_ activity: [UInt8], nonce: String) throws(ActivationFailure) -> String {
        guard let payloadFiles else { throw .noStateDirectory }
        return try payloadFiles.write(activity, nonce: nonce + "-restoration")
    }
}
