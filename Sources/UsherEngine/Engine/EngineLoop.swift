internal import Synchronization
internal import UsherActivation
internal import UsherDelivery
internal import UsherLog
internal import UsherPayload
internal import UsherResolution
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// What other threads hand to the engine.
enum EngineMail: Sendable {
    case arrivals([Arrival])
    /// An effect is over.
    indirect case effect(Int, Effect)
    /// The window that a delivery has brought to the front is not watched any more: the warning for its record.
    indirect case frontWatched(Int, DecisionRecord.Note?)
    /// The warning is in the record on disk, or was refused.
    indirect case frontNoted(Int, DecisionRecord.Note)
    case edit(Journal.Edit)
    /// Looks at the sessions of this moment.
    case look(@Sendable (SessionTable) -> Void)
    indirect case configuration(
        Configuration, missingPrograms: Set<SceneName>, Reply<Result<Void, StoreError>>)
    case recover(Reply<Result<Int, StoreError>>)
    case when(EngineCondition, Reply<Void>)
    case cancel(Cancellation)
    /// The notification of a delivery has ended without a press.
    case notificationEnded(String, Store.NotificationState)
    /// A sender waits for answers no longer.
    case waitEnded
    /// No sender waits any more for the answers to these notifications of an earlier run.
    case sendersGone([Store.StoredNotification])
    /// Nothing is waited for from now on; answered when all senders are.
    case endWaits(Reply<Void>)
    /// Answered when no effect runs any more.
    case stop(Reply<Void>)
}

/// What other threads wait for.
enum EngineCondition {
    /// Every arrival before the question is on disk, or was refused.
    case journalled
    /// Nothing is in a lane or waits for one, no step that the store refused is held, and no front window is watched. A
    /// delivery that is to be tried again later is not waited for.
    case lanesEmpty
    /// Nothing is open any more.
    case idle
    /// No effect runs any more, and every end is on disk or left to the next run.
    case effectsOver
}

/// The engine's thread.
struct EngineLoop: ~Copyable {
    private let mailbox: Mailbox<EngineMail>
    private let executor: Executor
    private let subscribers: Subscribers
    private let load: EngineLoad
    private let answers: AnswerDesk
    private let logger: Logger
    private let options: Engine.Options
    private var journal: Journal
    private var scheduler: Scheduler
    private var outbox: Outbox
    /// Claimed deliveries that have not ended.
    private var tickets: [Int: Ticket] = [:]
    /// Steps for the next transaction, besides edits and arrivals.
    private var pending: [Journal.Step] = []
    private var edits: [Journal.Step] = []
    /// Actions of the scheduler that are being carried out, see `handle(_:)`.
    private var actions: [Scheduler.Action] = []
    private var arrivals: ArraySlice<Arrival> = []
    /// Steps that the store refused for now.
    private var held = HeldSteps()
    private var frontWatches = FrontWatches()
    /// The number of the newest delivery.
    private var newest = 0
    private var nesting = Nesting()
    private var waiting: [(condition: EngineCondition, reply: Reply<Void>)] = []
    /// When `whenQuiet` is to be called, unless something happens before.
    private var quietFrom: MonotonicInstant?

    /// Arrivals in one transaction.
    private static let batchLimit = 128
    /// Queued deliveries that are decided in one transaction.
    private static let dequeueLimit = 64
    /// The total size of the inputs of the arrivals in one transaction, in bytes. A larger input is the only arrival of
    /// its transaction.
    private static let batchByteLimit = 16 << 20

    init(
        _ journal: consuming Journal, _ mailbox: Mailbox<EngineMail>, _ executor: Executor, _ subscribers: Subscribers,
        _ load: EngineLoad, _ answers: AnswerDesk, _ logger: Logger, _ options: Engine.Options
    ) {
        self.journal = journal
        self.mailbox = mailbox
        self.executor = executor
        self.subscribers = subscribers
        self.load = load
        self.answers = answers
        self.logger = logger
        self.options = options
        scheduler = Scheduler(capacity: options.claimedLimit)
        outbox = Outbox(subscribers, executor.tokens, executor.activator.windowSystem, logger)
    }

    // MARK: The loop

    /// Receive, commit, schedule, publish; until the engine is gone. What the mailbox has at once is a batch.
    mutating func run() {
        while let mail = mailbox.receive(until: wakeTime) {
            for place in mail.indices { receive(mail[place]) }
            while turn() {}
            endWaits()
            answerWaiting()
            noteQuiet(!mail.isEmpty)
        }
    }

    private mutating func noteQuiet(_ hasMail: Bool) {
        guard let whenQuiet = options.whenQuiet else { return }
        let clock = MonotonicClock.now
        if hasMail {
            quietFrom = clock + Engine.Options.quietTime
        } else if let time = quietFrom, time <= clock {
            quietFrom = nil
            whenQuiet()
        }
    }

    /// When the loop has work without a message: a retry is due, a refused step is written again, a sender has waited for
    /// its answer for long enough, or `whenQuiet` is due.
    private var wakeTime: MonotonicInstant? {
        [scheduler.nextDue, held.due, quietFrom, answers.due].compactMap { $0 }.min()
    }

    /// Commits everything available in one transaction, and carries out the resulting actions. Returns false if there
    /// was nothing to do.
    private mutating func turn() -> Bool {
        let clock = MonotonicClock.now
        var steps = held.removeDue(at: clock) + pending + edits
        pending.removeAll(keepingCapacity: true)
        edits.removeAll(keepingCapacity: true)
        for number in scheduler.dequeue(now: clock, limit: EngineLoop.dequeueLimit) {
            guard let entry = outbox[number] else { continue }
            steps.append(
                .decideQueued(
                    number, id: entry.delivery.id,
                    .init(
                        isRecovered: entry.isRecovered, sequence: entry.sequence, sender: sender(entry.parent),
                        newWindowLimit: entry.newWindowLimit)))
        }
        let taken = takeArrivals()
        let others = steps.count
        for place in taken.indices { steps.append(step(of: taken[place])) }
        if steps.isEmpty {
            publishStatistics()
            return false
        }

        let (results, notices) = journal.commit(steps, Journal.Capacity(scheduler), now: Instant.now, clock: clock)
        var isTaken = false
        for place in steps.indices {
            let arrival = place < others ? nil : taken.startIndex + place - others
            switch results[place] {
            case .success(let committed):
                isTaken = true
                for record in committed.collapsed { withdraw(record, .collapsed) }
                if let arrival {
                    if case .ended(let record) = committed.outcome {
                        // Nothing was kept of it.
                        outbox.finishAtOnce(taken[arrival].eventsWithoutNotice, record)
                        continue
                    }
                    open(steps[place], taken[arrival])
                    outbox.accept(steps[place].number)
                }
                follow(steps[place], committed)
            case .failure(let error):
                if let arrival { open(steps[place], taken[arrival]) }
                refuse(steps[place], error)
            }
        }
        held.reschedule(isTaken: isTaken, at: clock)
        subscribers.statistics.withLock { statistics in
            if isTaken { statistics.batches += taken.isEmpty ? 0 : 1 }
            statistics.isRefusing = !isTaken
        }
        log(notices)
        load.noteJournalled(taken, open: openCount)
        publishStatistics()
        outbox.deliver()
        executor.runInlineIfStarved()
        return !pending.isEmpty || !edits.isEmpty || !arrivals.isEmpty || (isTaken && !held.isEmpty)
            || scheduler.hasWork(at: clock)
    }

    // MARK: Receive

    /// Those that have room in one transaction. They are counted where they lie: a copy of one takes ten references.
    private mutating func takeArrivals() -> ArraySlice<Arrival> {
        var (count, bytes) = (0, 0)
        while count < min(arrivals.count, EngineLoop.batchLimit) {
            bytes += arrivals[arrivals.startIndex + count].input.count
            if count > 0, bytes > EngineLoop.batchByteLimit { break }
            count += 1
        }
        let taken = arrivals.prefix(count)
        arrivals = count == arrivals.count ? [] : arrivals.dropFirst(count)
        return taken
    }

    private mutating func receive(_ mail: EngineMail) {
        switch mail {
        case .arrivals(let new):
            if arrivals.isEmpty { arrivals = new[...] } else { arrivals += new }
        case .effect(let number, let effect): receive(effect, of: number)
        case .frontWatched(let number, let note):
            carryOut(frontWatches.end(number, note, isOpen: outbox[number] != nil))
        case .frontNoted(let number, let note): carryOut(frontWatches.noteAmended(number, note))
        case .edit(let edit): edits.append(.edit(edit))
        case .look(let body): body(journal.decisionState.resolver.snapshot.sessions)
        case .configuration(let configuration, let missingPrograms, let reply):
            do throws(StoreError) {
                try journal.replaceConfiguration(configuration, missingPrograms: missingPrograms)
                reply.give(.success(()))
            } catch {
                reply.give(.failure(error))
            }
        case .recover(let reply):
            do throws(StoreError) {
                let count = try recover()
                publishStatistics()
                reply.give(.success(count))
            } catch {
                reply.give(.failure(error))
            }
        case .when(let condition, let reply): waiting.append((condition, reply))
        case .cancel(let cancellation): cancel(cancellation)
        case .notificationEnded(let delivery, let end):
            if let awaited = answers.noteEnd(of: delivery, as: end) {
                outbox.answer(awaited, .init(state: end.rawValue))
            }
        case .waitEnded: break
        case .sendersGone(let notifications):
            for notification in notifications { removeAnswers(of: notification) }
        case .endWaits(let reply):
            answers.close()
            endWaits()
            outbox.deliver()
            reply.give(())
        case .stop(let reply):
            stop()
            waiting.append((.effectsOver, reply))
        }
    }

    /// An effect is over. Its end goes into the next transaction; the next delivery of its lane begins in the same one.
    private mutating func receive(_ effect: Effect, of number: Int) {
        guard var ticket = tickets[number] else { return }
        switch effect.end {
        case .leftForNextRun:
            logger.log(.launchLeft, ["delivery.id": .text(ticket.id)])
            leaveForNextRun(number)
        // Nothing is left of what an earlier run had begun, and doing it twice does no harm.
        case .runAgain:
            ticket.adoption = nil
            tickets[number] = ticket
            pending.append(.begin(ticket))
        case .finished, .retry, .decideAgain, .windowGone, .programGone, .shown, .unstarted:
            if case .windowGone = effect.end {
                logger.log(
                    .windowGone,
                    ["delivery.id": .text(ticket.id), "session.id": ticket.plan.record.session.map(LogValue.text)])
            }
            if case .programGone = effect.end {
                logger.log(
                    .sceneProgramGone,
                    [
                        "delivery.id": .text(ticket.id), "app": ticket.plan.decision.appID.map(LogValue.text),
                        "scene": ticket.plan.decision.scene.map { .text($0.name) },
                    ])
            }
            if let notice = effect.awaitedNotice, let (wait, report) = outbox[number]?.awaited {
                answers.add(Awaited(wait, notice, report: report), of: ticket.id)
            }
            pending.append(.finish(ticket, effect))
            handle(.leftLane(number))
        }
    }

    private mutating func step(of arrival: Arrival) -> Journal.Step {
        newest += 1
        let now = Instant.now
        let payload = try? arrival.reading.get()
        let id = UUIDv7.next()
        let sender = sender(arrival.parent)
        if let sender { nesting.note(sender.depth, of: id, at: arrival.started) }
        let record = DecisionRecord(
            id: id, sequence: arrival.sequence, time: now, source: arrival.source, configuration: "")
        var delivery = Store.NewDelivery(
            id: id, senderID: arrival.senderID ?? payload?.senderID, source: arrival.source, accepted: now.microseconds,
            input: arrival.input, app: arrival.app, payload)
        delivery.code = arrival.code
        executor.tokens.keep(arrival.token, of: id)
        return .arrive(
            newest,
            Request(
                reading: arrival.reading, delivery: delivery, app: arrival.app, record: record, isNew: true,
                started: arrival.started, sender: sender, openedPages: arrival.openedPages,
                newWindowLimit: arrival.newWindowLimit))
    }

    /// An arrival is open after the transaction that journalled it.
    private mutating func open(_ step: Journal.Step, _ arrival: Arrival) {
        var entry = Outbox.Entry(
            delivery: Delivery(id: step.delivery, number: step.number), sequence: arrival.sequence,
            events: arrival.eventsWithoutNotice, cancellation: arrival.cancellation, parent: arrival.parent,
            newWindowLimit: arrival.newWindowLimit, since: arrival.started)
        if let wait = arrival.wait, let report = arrival.events.finished { entry.awaited = (wait, report) }
        outbox.open(entry)
    }

    /// The parent delivery, if a handler of it sends the request, with the lanes that this delivery and its own parents
    /// hold. In one of these lanes, the request would wait for itself.
    private func sender(_ parent: String?) -> Request.Sender? {
        guard let parent else { return nil }
        var sender = Request.Sender(delivery: parent, lanes: [], depth: nesting.depth(of: parent) + 1)
        var next: String? = parent
        // The parent of a delivery is always older than the delivery, so there is no cycle.
        while let id = next, let number = outbox.number(of: id), let ticket = tickets[number] {
            sender.lanes.insert(ticket.lane)
            next = outbox[number]?.parent
        }
        return sender
    }

    // MARK: After a commit

    /// Updates the scheduler and the outbox after a step was committed.
    private mutating func follow(_ step: Journal.Step, _ committed: Journal.Committed) {
        let number = step.number
        switch committed.outcome {
        case .ended(let record):
            tellOfFailedClick(record.value)
            var isWatched = false
            var isAwaited = false
            if case .finish(let ticket, let effect) = step {
                noteWritten(ticket, effect)
                isWatched = effect.watchesFront
                isAwaited = effect.awaitedNotice != nil
                if let shown = effect.shown { noteReplaced(by: shown) }
            }
            guard isWatched, !scheduler.isStopped else {
                return end(number, record.value.end, record, isAwaited: isAwaited)
            }
            let events = executor.front.mayBeTaken ? outbox[number]?.events : nil
            let action = frontWatches.noteRecord(number, record, heldBackFrom: events)
            end(number, record.value.end, record, isHeldBack: events != nil)
            carryOut(action)
        case .known:
            // It has its end already.
            tickets[number] = nil
            handle(.withdrawn(number))
            outbox.forget(number)
        case .queued(let share):
            outbox.apply(.accepted, to: number)
            handle(.queued(number, share: share))
            if scheduler.isStopped { leaveForNextRun(number) }
        case .claimed(let ticket):
            if case .finish(let before, let effect) = step {
                noteWritten(before, effect)
                outbox.apply(.decidedAgain, to: number)
            }
            if scheduler.isStopped, !ticket.hasBegun { return leaveForNextRun(number) }
            outbox.apply(.claimed, to: number)
            tickets[number] = ticket
            if ticket.hasBegun { outbox.apply(.began, to: number) }
            handle(
                .claimed(
                    number, lane: ticket.lane, width: ticket.width, hasBegun: ticket.hasBegun, share: ticket.share))
        case .began(let ticket):
            outbox.apply(.began, to: number)
            tickets[number] = ticket
            handle(.began(number))
        case .retryScheduled(let ticket, let delay, let record): scheduleRetry(ticket, delay, record)
        case .unstarted: leaveForNextRun(number)
        case .endedElsewhere(let ticket, let state):
            end(number, state ?? .failed, Shared(ticket.plan.record.endedElsewhere(as: state)))
        case .edited(let edit, let changes):
            for id in changes.queued { enqueue(id, isRecovered: false) }
            for id in changes.redriven { enqueue(id, isRecovered: true) }
            for record in changes.withdrawn { withdraw(record, .failed) }
            for (delivery, answer) in changes.answered {
                if let awaited = answers.take(delivery) { outbox.answer(awaited, answer) }
            }
            edit.reply(nil)
        }
    }

    /// Tells the scheduler what happened, and carries out its actions. The begin of an effect is journalled first, and
    /// the effect runs after that commit. An effect that an earlier run had begun, or that was cancelled, needs no such
    /// step.
    ///
    /// If a delivery ends at once, the scheduler adds the next action of its lane. The outermost call carries out that
    /// action too, so that a long lane of cancelled deliveries needs no more stack than a short one.
    private mutating func handle(_ event: Scheduler.Event) {
        let isOutermost = actions.isEmpty
        actions += scheduler.handle(event)
        guard isOutermost else { return }
        var place = 0
        while place < actions.count {
            let action = actions[place]
            place += 1
            switch action {
            case .journalBegin(let number):
                guard let ticket = tickets[number] else { continue }
                if scheduler.isStopped || isAboutLaunchOfNextRun(ticket) {
                    leaveForNextRun(number)
                } else if ticket.adoption != nil || outbox.isCancelled(number) {
                    runEffect(of: ticket)
                } else {
                    pending.append(.begin(ticket))
                }
            case .runEffect(let number):
                if let ticket = tickets[number] { runEffect(of: ticket) }
            }
        }
        actions.removeAll(keepingCapacity: true)
    }

    /// Hands a delivery to the executor, with what it needs to know of the decisionState at this moment.
    private mutating func runEffect(of ticket: Ticket) {
        if outbox.isCancelled(ticket.number), ticket.adoption == nil {
            let failure = ActivationFailure(
                .interrupted, "not begun: the run was interrupted", help: "send the payload again")
            return fail(ticket, failure)
        }
        if ticket.plan.decision.action == .focus, isAboutLaunchOfNextRun(ticket) {
            return leaveForNextRun(ticket.number)
        }
        var surroundings = journal.surroundings(of: ticket)
        surroundings.earlierTries = outbox[ticket.number]?.tries ?? []
        surroundings.cancellation = outbox[ticket.number]?.cancellation
        surroundings.awaitsAnswer = outbox[ticket.number]?.awaited.map { !$0.wait.isOver } ?? false
        // Work before this one in the lane may have launched the window, lost it, or failed to make it.
        if ticket.adoption == nil, ticket.plan.decision.needsSession,
            surroundings.session.map({ ticket.plan.decision.action == .focus && !$0.state.isOpen }) ?? true
        {
            guard ticket.tries.vanished < 16 else {
                return fail(
                    ticket, ActivationFailure(.windowGone, "the chosen window vanished again and again"))
            }
            return receive(Effect(end: .decideAgain, record: ticket.plan.record), of: ticket.number)
        }
        if ticket.plan.decision.action == .notify { executor.notifications?.begin() }
        // From now on another window is to be in front.
        if ticket.opensWindow { publishHeldBack() }
        executor.run(ticket, surroundings) { [mailbox, number = ticket.number] effect in
            mailbox.post(.effect(number, effect))
        } watched: { [mailbox, number = ticket.number] note in
            mailbox.post(.frontWatched(number, note))
        }
    }

    /// Ends a claimed delivery before its effect has begun.
    private mutating func fail(_ ticket: Ticket, _ failure: ActivationFailure) {
        let surroundings = journal.surroundings(of: ticket)
        receive(executor.failure(failure, of: ticket, surroundings), of: ticket.number)
    }

    private mutating func scheduleRetry(_ ticket: Ticket, _ delay: Duration, _ record: DecisionRecord) {
        noteWritten(ticket, nil)
        tickets[ticket.number] = nil
        outbox.apply(.retryScheduled, to: ticket.number)
        let why = record.error?.message ?? record.warnings.last?.message ?? "no answer"
        logger.log(
            .deliveryRetried,
            [
                "delivery.id": .text(ticket.id), "attempt": .number(Int64(ticket.tries.attempt)),
                "delay.ms": .number(delay.milliseconds), "error.message": .text(why),
            ])
        subscribers.statistics.withLock { $0.retries += 1 }
        let note = DecisionRecord.Note(
            name: DiagnosticCode.deliveryTriedAgain.name, message: "try \(ticket.tries.attempt) failed: \(why)")
        outbox.noteTry(ticket.number, note, record)
        // A run on demand takes up what an earlier one left, but does not stay for it.
        if ticket.plan.record.isRecovered, !options.waitsForRecovered { return outbox.forget(ticket.number) }
        handle(.retryScheduled(ticket.number, due: MonotonicClock.now + delay))
        if outbox.isCancelled(ticket.number) { giveUpRetry(ticket.number) }
    }

    /// A delivery has its terminal record.
    ///
    /// - Parameters:
    ///   - isHeldBack: whether it is published only when its window was watched for long enough.
    ///   - isAwaited: whether its sender waits for the answer to the notification that was shown.
    private mutating func end(
        _ number: Int, _ end: DeliveryState, _ record: Shared<DecisionRecord>, isHeldBack: Bool = false,
        isAwaited: Bool = false
    ) {
        tickets[number] = nil
        frontWatches.forgetEarly(number)
        handle(.withdrawn(number))
        if !isAwaited { forgetAnswer(of: number) }
        let published = outbox.finish(number, end, record, isHeldBack: isHeldBack, isAwaited: isAwaited)
        if isAwaited { answers.complete(record.value.id, published) }
    }

    /// No answer will be given to the sender of a delivery: its notification is not stored.
    private func forgetAnswer(of number: Int) {
        if let entry = outbox[number], entry.awaited != nil { answers.take(entry.delivery.id) }
    }

    /// A click after which the user sees nothing of what was meant is not to end in silence.
    private func tellOfFailedClick(_ record: DecisionRecord) {
        guard let desk = executor.notifications,
            let click = FailedClick(record, of: record.app.flatMap(journal.decisionState.configuration.app))
        else { return }
        desk.show(click, in: journal.store, logger)
    }

    // MARK: Answers

    /// Senders that wait no longer, because their time is over or they have ended, have their records, and the
    /// notifications lose the buttons that answer.
    private mutating func endWaits() {
        for (delivery, awaited, answer) in answers.takeOver(at: MonotonicClock.now) {
            outbox.answer(awaited, answer)
            guard awaited.state == .shown, !awaited.notice.answers.isEmpty, !awaited.wait.leavesNotification else {
                continue
            }
            executor.notifications?.removeAnswers(to: delivery, in: journal.store, logger) {
                [notice = awaited.notice] _ in
                notice.withoutAnswers
            }
        }
    }

    /// What an earlier run has shown is decided again, since the store has no notification but its request.
    private mutating func removeAnswers(of shown: Store.StoredNotification) {
        guard let stored = try? journal.store.deliveries(ids: [shown.delivery]).first,
            case .success(let ticket) = journal.resume(stored, number: 0)
        else { return }
        let plan = ticket.plan
        executor.notifications?.removeAnswers(to: shown.delivery, in: journal.store, logger) {
            (presenter) throws(ActivationFailure) in
            var notification = DesktopNotification(
                plan.decision, plan.payload, capabilities: try presenter.capabilities())
            notification.replaces = ShownNotification(id: shown.number, server: shown.server)
            notification.isSilent = true
            return notification
        }
    }

    /// A notification has the number of an older one, which it has replaced.
    private mutating func noteReplaced(by new: Store.StoredNotification) {
        let replaced = answers.deliveries { $0.id == new.number && $0.server.hasSameBytes(as: new.server) }
        for delivery in replaced where delivery != new.delivery {
            if let awaited = answers.noteEnd(of: delivery, as: .replaced) {
                outbox.answer(awaited, .init(state: Store.NotificationState.replaced.rawValue))
            }
        }
    }

    /// Publishes a record whose window was watched, or writes the warning into it first.
    private mutating func carryOut(_ action: FrontWatches.Action?) {
        switch action {
        case .publish(let record, let events): outbox.publish(record, to: events)
        case .amend(let number, let shared, let note):
            let record = shared.value
            logger.log(.frontLost, ["delivery.id": .text(record.id), "reason": .text(note.message)])
            edits.append(
                .edit(
                    Journal.Edit(
                        body: { (state, _) throws(StoreError) in
                            try state.amend(
                                delivery: record.id, record: record.adding(note).json, insteadOf: record.json)
                        },
                        reply: { [mailbox] _ in mailbox.post(.frontNoted(number, note)) })))
        case nil: break
        }
    }

    private mutating func publishHeldBack() {
        for action in frontWatches.takeHeldBack() { carryOut(action) }
    }

    /// A delivery that had not begun was collapsed or dropped.
    private mutating func withdraw(_ record: DecisionRecord, _ end: DeliveryState) {
        if let number = outbox.number(of: record.id) {
            self.end(number, end, Shared(record))
        } else {
            outbox.publish(Shared(record))
        }
    }

    /// A delivery stays in the journal for the next run.
    private mutating func leaveForNextRun(_ number: Int) {
        if let ticket = tickets.removeValue(forKey: number) { releaseWindowClaims(of: ticket) }
        forgetAnswer(of: number)
        outbox.leave(number)
        handle(.withdrawn(number))
    }

    /// An effect's end is on disk.
    private func noteWritten(_ ticket: Ticket, _ effect: Effect?) {
        releaseWindowClaims(of: ticket)
        if ticket.plan.decision.action == .notify || effect?.isNoticeInstead == true,
            let desk = executor.notifications
        {
            desk.shownIsStored()
        }
        if effect?.isTiedToProcess == true { subscribers.processesChanged() }
    }

    /// Ends the window claims of a launch: the windows are its session's now, or free again.
    private func releaseWindowClaims(of ticket: Ticket) {
        if ticket.plan.decision.action == .launch { executor.activator.claims?.release(ticket.nonce) }
    }

    /// Whether the window of a delivery is being launched, or would be launched, while launches are left to the next
    /// run.
    private func isAboutLaunchOfNextRun(_ ticket: Ticket) -> Bool {
        guard executor.activator.waitsForNoLaunches, ticket.opensWindow, let app = ticket.plan.decision.appID,
            let session = ticket.plan.decision.session?.id
        else { return false }
        return ticket.plan.decision.action == .launch
            || journal.decisionState.session(session, app: app)?.state == .connecting
    }

    // MARK: A store that refuses

    /// A step could not be written. An arrival is refused. The steps of accepted deliveries are kept and written later.
    private mutating func refuse(_ step: Journal.Step, _ error: StoreError) {
        switch step {
        case .arrive(let number, let request):
            logger.log(
                .requestsNotJournalled,
                ["error.code": .text(error.code.code), "error.message": .text(error.message), "requests": .number(1)])
            subscribers.statistics.withLock { $0.refused += 1 }
            let problem = Diagnostic(error)
            outbox.refuse(number, problem, journal.record(ofRefused: request, problem))
        case .edit(let edit): edit.reply(error)
        case .decideQueued, .begin, .finish, .abandon, .giveUp:
            if scheduler.isStopped { return leaveForNextRun(step.number) }
            if !held.isRefusing {
                logger.log(
                    .stepNotJournalled,
                    [
                        "delivery.id": .text(step.delivery), "error.code": .text(error.code.code),
                        "error.message": .text(error.message),
                    ])
            }
            let patience = outbox.isCancelled(step.number) ? .zero : options.patience
            if held.add(step, error, patience: patience, at: MonotonicClock.now) { return }
            giveUp(step, error)
        }
    }

    /// A step that will not be written: the record says so.
    private mutating func giveUp(_ step: Journal.Step, _ error: StoreError) {
        let problem = Diagnostic(error)
        switch step {
        case .arrive, .edit: break
        case .decideQueued(let number, _, _): leaveForNextRun(number)
        case .begin(let ticket): abandon(ticket, ticket.plan.record, problem)
        case .finish(let ticket, let effect):
            noteWritten(ticket, effect)
            guard case .finished = effect.end else { return abandon(ticket, effect.record, problem) }
            var record = effect.record
            record.error = problem
            logger.log(
                .recordNotJournalled,
                [
                    "delivery.id": .text(record.id), "error.code": .text(error.code.code),
                    "error.message": .text(error.message),
                ])
            end(ticket.number, .failed, Shared(record))
        case .abandon(_, var record), .giveUp(_, var record):
            record.warnings.append(.notJournalled(error))
            end(step.number, .failed, Shared(record))
        }
    }

    /// Journals that a claimed delivery failed without its effect, so that no later run carries it out.
    private mutating func abandon(_ ticket: Ticket, _ given: DecisionRecord, _ problem: Diagnostic) {
        var record = given
        record.outcome = .failed
        record.error = problem
        pending.append(.abandon(ticket, record))
    }

    // MARK: Recovery, interruption, stop

    /// No policy waits longer. The limit is needed because a clock that was set back must not delay a retry without
    /// end.
    private static let longestRecoveredWait = Duration.seconds(3600)

    private mutating func recover() throws(StoreError) -> Int {
        // What has arrived in this run is in the outbox. No other engine writes to the store (`DaemonLock`).
        let left = try journal.takeOver().filter { outbox.number(of: $0) == nil }
        for id in left {
            // One by one: their inputs together may be large.
            guard let stored = try journal.store.deliveries(ids: [id]).first, !stored.state.isTerminal else { continue }
            let known: KeyValuePairs<String, LogValue?> = [
                "delivery.id": .text(stored.id), "delivery.state": .text(stored.state.rawValue),
            ]
            if stored.state == .acting {
                logger.log(.deliveryRecovered, known)
            } else {
                logger.log(.deliveryRequeued, known)
            }
            newest += 1
            let number = newest
            let wait = stored.due.map { Instant(microseconds: $0) - Instant.now } ?? .zero
            if stored.state == .accepted, wait > .zero, !options.waitsForRecovered { continue }
            outbox.open(
                Outbox.Entry(
                    delivery: Delivery(id: id, number: number, state: .init(stored.state), attempts: stored.attempts),
                    sequence: 0, isRecovered: true, since: MonotonicClock.now))
            if stored.state == .accepted {
                let due = MonotonicClock.now + min(wait, EngineLoop.longestRecoveredWait)
                let share = Scheduler.Share(source: stored.source, app: stored.app)
                handle(wait > .zero ? .retryScheduled(number, due: due) : .queued(number, share: share))
                continue
            }
            switch journal.resume(stored, number: number) {
            case .success(let ticket):
                tickets[number] = ticket
                handle(
                    .claimed(number, lane: ticket.lane, width: ticket.width, hasBegun: false, share: ticket.share))
            case .failure(let unreadable): pending.append(.giveUp(number, unreadable.record))
            }
        }
        return left.count
    }

    /// An edit has added a delivery that waits in the journal.
    ///
    /// - Parameter isRecovered: whether it arrived in an earlier run, so that its record has no place in the input of
    ///   this run.
    private mutating func enqueue(_ id: String, isRecovered: Bool) {
        newest += 1
        outbox.open(
            Outbox.Entry(
                delivery: Delivery(id: id, number: newest, state: .accepted), sequence: isRecovered ? 0 : newest,
                isRecovered: isRecovered, since: MonotonicClock.now))
        handle(.queued(newest))
    }

    private mutating func cancel(_ cancellation: Cancellation) {
        for number in outbox.numbers(sharing: cancellation) { giveUpRetry(number) }
    }

    /// Ends a delivery that waits for a retry: there is no further try.
    private mutating func giveUpRetry(_ number: Int) {
        guard scheduler.isRetrying(number), let record = outbox[number]?.lastTry?.value else { return }
        handle(.withdrawn(number))
        pending.append(.giveUp(number, record))
    }

    /// Begins no further effects. Deliveries that have not begun, and steps that the store refused, are left to the
    /// next run. The engine waits for the effects that run.
    private mutating func stop() {
        for step in held.removeAll() { leaveForNextRun(step.number) }
        let steps = pending
        pending.removeAll()
        for step in steps {
            if case .begin(let ticket) = step { leaveForNextRun(ticket.number) } else { pending.append(step) }
        }
        for number in scheduler.stop() { leaveForNextRun(number) }
        publishHeldBack()
        frontWatches = FrontWatches()
    }

    private mutating func answerWaiting() {
        outbox.deliver()
        for place in waiting.indices.reversed() where holds(waiting[place].condition) {
            waiting.remove(at: place).reply.give(())
        }
    }

    private func holds(_ condition: EngineCondition) -> Bool {
        switch condition {
        case .journalled: true
        case .effectsOver: tickets.isEmpty && pending.isEmpty
        case .lanesEmpty:
            tickets.isEmpty && scheduler.queued == 0 && pending.isEmpty && held.isEmpty && frontWatches.isEmpty
        case .idle:
            outbox.isEmpty && pending.isEmpty && edits.isEmpty && arrivals.isEmpty && frontWatches.isEmpty
        }
    }

    // MARK: Figures

    /// How many deliveries have no terminal record: in lanes, queued in the journal, or between two tries.
    private var openCount: Int { scheduler.inLanes + scheduler.queued + scheduler.retrying }

    private func publishStatistics() {
        let oldest = scheduler.oldestQueued.flatMap { outbox[$0]?.since }
        subscribers.statistics.withLock { statistics in
            statistics.inHand = scheduler.inLanes
            statistics.waiting = scheduler.queued
            statistics.retrying = scheduler.retrying
            statistics.busyLanes = scheduler.busyLanes
            statistics.oldestSince = oldest
        }
    }

    private func log(_ notices: [Planner.Notice]) {
        for notice in notices {
            logger.log(.pushHeldBack, ["delivery.id": .text(notice.delivery), "app": .text(notice.app)])
        }
    }
}
