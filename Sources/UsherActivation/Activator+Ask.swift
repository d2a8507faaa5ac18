public import UsherScene

extension Activator {
    /// What a command answered on its standard output.
    public struct CommandAnswer: Sendable {
        /// At most `limit` bytes of it; what it wrote on standard error is not among them.
        public var output: [UInt8]
        /// Whether it wrote more.
        public var isTruncated: Bool
        /// `done` where it ended by itself with status 0.
        public var report: ActivationReport
    }

    /// Asks a command: the task's payload on its standard input, the answer on its output, within its time limit.
    ///
    /// In a dry run nothing is asked, and nothing answered.
    public func ask(_ task: ActivationTask, _ command: Command, verb: String, limit: Int) -> CommandAnswer {
        if isDryRun { return CommandAnswer(output: [], isTruncated: false, report: .init(outcome: .skipped)) }
        let name = command.arguments.first ?? ""
        do throws(ActivationFailure) {
            let prepared = try prepare(task, command, payloadFile: standardInput)
            var request = request(prepared, name: name, task: task, captures: true)
            request.captureLimit = limit
            request.capturesErrors = false
            let result = try Spawner.run(request, timeLimit: command.timeLimit)
            // The record says that there was an answer, not what it was.
            let handler = HandlerReport(
                verb: verb, command: prepared.summary, status: Activator.status(result.end),
                milliseconds: result.milliseconds, outputLength: result.outputLength)
            let report: ActivationReport =
                switch result.end {
                case .exited(0): ActivationReport(outcome: .done, handlers: [handler])
                case .exited(let status):
                    ActivationReport(.exitStatus(name, status, output: nil), handlers: [handler])
                case .signalled(let signal): ActivationReport(.killed(name, by: signal), handlers: [handler])
                case nil:
                    ActivationReport(.timeLimit(name, milliseconds: command.timeLimit), handlers: [handler])
                }
            return CommandAnswer(
                output: result.output, isTruncated: result.outputLength > result.output.count, report: report)
        } catch {
            return CommandAnswer(output: [], isTruncated: false, report: notStarted(error, command, verb: verb))
        }
    }
}
