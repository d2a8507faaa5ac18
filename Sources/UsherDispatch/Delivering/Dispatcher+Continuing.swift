internal import UsherActivation
internal import UsherJSON
internal import UsherLog
internal import UsherScene
internal import UsherStore

// User activities: what the app that continues them is told, and in which order (Documentation/Continuation.md).

extension Dispatcher {
    /// No activity is larger, in bytes.
    private static let longestUpgrade = 128 * 1024

    /// Launches the window; one that comes back is given the activity that its session had.
    func launch(_ job: Job, _ handler: LaunchHandler) -> ActivationReport {
        var task = task(for: job)
        task.token = tokens.take(of: job.id)
        var warning: ActivationFailure?
        if case .activate(let session, _) = job.decision.resolution.verdict {
            do throws(StoreError) {
                // It stays until the session becomes current with another: a launch that came to nothing took nothing away.
                if let kept = try store.activity(ofSession: session), kept.state == .kept {
                    do throws(ActivationFailure) {
                        task.restorationFile = try activator.keepRestoration(kept.document, nonce: job.item.nonce)
                    } catch {
                        warning = error
                    }
                }
            } catch {
                warning = ActivationFailure(error.code, error.message, help: error.help)
            }
        }
        var report = activator.launch(task, handler, focus: job.decision.scene?.focus)
        if let warning { report.warnings.append(warning) }
        return report
    }

    /// Tells the window what it is there for: an activity that is continued, or what to show.
    ///
    /// - Parameter isShown: it was launched with the target.
    func tell(_ job: Job, isShown: Bool, _ report: inout ActivationReport) {
        let continuation = job.decision.continuation
        guard let continuation, continuation.isHandled else {
            if !isShown { show(job, in: job.decision.scene, &report) }
            return
        }
        if job.mayHaveContinued {
            report.outcome = .unverified
            report.warnings.append(.interruptedContinuation)
            return
        }
        if let handler = continuation.willContinue {
            report.note(activator.show(task(for: job), handler, verb: ContinuationVerb.willContinue))
        }
        if let handler = continuation.continue {
            var taken = activator.show(task(for: job), handler, verb: ContinuationVerb.continue)
            switch taken.failure?.code {
            case .exitStatus?, .killedBySignal?:
                taken.failure = taken.failure.map {
                    ActivationFailure(
                        .continuationNotHandled, "the app did not take the activity: \($0.message)", help: $0.help)
                }
            default: break
            }
            report.add(taken)
        } else if !isShown {
            show(job, in: job.decision.scene, &report)
        }
    }

    /// Gives an activity that is older than its app to `upgrade`; why there is none to hand on.
    func upgrade(_ job: inout Job) -> ActivationFailure? {
        guard job.decision.isOutdated, let command = job.decision.continuation?.upgrade else { return nil }
        let answer = activator.ask(
            task(for: job), command, verb: ContinuationVerb.upgrade, limit: Dispatcher.longestUpgrade)
        job.preparations += answer.report.handlers
        if activator.isDryRun { return nil }
        if let failure = answer.report.failure ?? answer.report.warnings.first {
            return ActivationFailure(
                .continuationUpgrade, "the activity could not be brought up to date: \(failure.message)",
                help: failure.help)
        }
        if answer.isTruncated {
            return .noActivity("it wrote more than \(Dispatcher.longestUpgrade) bytes")
        }
        var reader = JSONDocument()
        do throws(JSONError) {
            try reader.parse(answer.output)
        } catch {
            return .noActivity("what it wrote is not JSON: \(error)")
        }
        guard let root = reader.root, reader.kind(root) == .object else {
            return .noActivity("it wrote no JSON object")
        }
        job.activity = Array(reader.raw(root))
        return nil
    }

    /// Tells the app that its activity could not be continued; its runs and what is wrong with them go into the record.
    ///
    /// - Parameter record: as it will be, but for this.
    func tellOfFailure(_ job: Job, _ report: ActivationReport, _ record: inout DecisionRecord) {
        guard job.isBegun, let handler = job.decision.continuation?.didFail,
            let failure = record.error.map({ ActivationFailure($0.code, $0.message, help: $0.help) })
                ?? report.unansweredContinuation
        else { return }
        var task = task(for: job)
        task.error = failure
        let told = activator.show(task, handler, verb: ContinuationVerb.didFail)
        record.handlers += told.handlers.map(DecisionRecord.HandlerRun.init)
        record.warnings += ([told.failure].compactMap { $0 } + told.warnings).map {
            .init(name: $0.code.name, message: "\(ContinuationVerb.didFail): \($0.message)", help: $0.help)
        }
    }
}

extension Dispatcher.Job {
    /// Whether a killed run may have handed the activity over, and handing it over again could do harm.
    var mayHaveContinued: Bool {
        item.isInterrupted && decision.continuation?.continue?.command.idempotent == false
    }
}

/// What the runs of a continuation's handlers are called in records.
enum ContinuationVerb {
    static let willContinue = "will-continue"
    static let `continue` = "continue"
    static let didFail = "did-fail"
    static let upgrade = "upgrade"
}

extension ActivationReport {
    /// Adds a run that decides nothing: what went wrong with it is only a warning.
    fileprivate mutating func note(_ other: ActivationReport) {
        handlers += other.handlers
        for failure in [other.failure].compactMap({ $0 }) + other.warnings {
            warnings.append(
                ActivationFailure(
                    failure.code, "\(ContinuationVerb.willContinue): \(failure.message)", help: failure.help))
        }
    }

    /// The time limit of `continue`, where that is what ended it.
    fileprivate var unansweredContinuation: ActivationFailure? {
        guard let last = handlers.last, last.verb == ContinuationVerb.continue, last.status == .timedOut else {
            return nil
        }
        return warnings.last { $0.code == .timeLimit }
    }
}

extension ActivationFailure {
    fileprivate static let interruptedContinuation = ActivationFailure(
        .interrupted, "the run that handed the activity over was killed, and nobody knows whether it was taken",
        help: "say idempotent = true in the app's `continue`, and it is handed over again instead")

    fileprivate static func noActivity(_ problem: String) -> ActivationFailure {
        ActivationFailure(
            .continuationUpgrade, "the activity could not be brought up to date: \(problem)",
            help: "`upgrade` reads an activity on standard input and writes one, a JSON object, to standard output")
    }
}
