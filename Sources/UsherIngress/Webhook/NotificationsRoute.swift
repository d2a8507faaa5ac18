internal import UsherConfiguration
public import UsherEngine
public import UsherHTTP
internal import UsherHook
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// `POST /v1/notifications`: one payload, or one a line.
///
/// Answers 202 once all is on disk, with `?wait=1` 200 and the decision records, with `?wait=action` when their notifications are
/// answered; every refusal has a problem as its body.
public struct NotificationsRoute: Sendable {
    /// More lines than these are not taken in one request; nor more than the queue is long.
    public static let batchLimit = 10_000

    private let access: WebhookAccess

    public init(_ access: WebhookAccess) { self.access = access }

    /// Judges a request by its head: sender, rate and media type.
    public func admit(_ request: HTTPRequest) -> HTTPAdmission {
        access.admit(request) { () throws(Refusal) in
            if access.policy.preflight(request) != nil { return nil }
            guard request.method == "POST" else { throw Refusal.method(request.method, allowed: "POST") }
            let type = try MediaType(of: request)
            let sender = try access.sender(of: request, scope: .send)
            if type == .form, !sender.isAuthenticated { throw MediaType.refusal(of: request) }
            try access.limitRate(of: sender)
            return sender
        }
    }

    /// Answers a request that was admitted.
    public func handle(_ request: HTTPRequest, _ responder: any HTTPResponder, _ intake: any Intake) {
        access.answer(request, responder) { (responder) throws(Refusal) in try accept(request, responder, intake) }
    }

    private func accept(
        _ request: HTTPRequest, _ responder: any HTTPResponder, _ intake: any Intake
    ) throws(Refusal) {
        let started = MonotonicClock.now
        let type = try MediaType(of: request)
        let query = QueryString(of: request)
        try query.check(among: ["wait", "timeout", "app", "format"])
        let waiting = try query.waiting()
        let reading = try NotificationReading(of: request, query)
        let limit = min(NotificationsRoute.batchLimit, intake.capacity)
        let items: [NotificationReading.Item]
        switch type {
        case .lines: items = try reading.lines(request.body, limit: limit)
        case .json, .form:
            do throws(Refusal) {
                items = [try reading.document(request.body)]
            } catch {
                if type == .form, !HookRequest.isDocument(request.body) { throw MediaType.refusal(of: request) }
                guard access.isAuthenticated(request) else { throw error }
                var arrival = Arrival(
                    .failure(PayloadError(error.problem)), input: request.body, source: "webhook", started: started)
                (arrival.app, arrival.senderID) = (reading.app, reading.senderID)
                return try access.journal(error, of: arrival, request, responder, intake)
            }
        }
        let answer = PendingAnswer(items.map(\.problem), isList: type == .lines, waits: waiting != .journal, responder)
        let waits = try beginWaiting(waiting, items.count, answer, responder, intake)
        let arrivals = items.enumerated().map { index, item in
            var arrival = Arrival(
                item.payload, input: item.input, source: "webhook", started: started, events: answer.events(of: index))
            (arrival.app, arrival.sequence) = (reading.app, index + 1)
            if !access.isAuthenticated(request) { arrival.newWindowLimit = access.settings.server.rate.newWindows }
            if let wait = waits?[index] {
                arrival.wait = wait
                arrival.events.finished = { [finished = arrival.events.finished] record in
                    finished?(record)
                    intake.endWaiting(wait)
                }
            }
            arrival.senderID = reading.senderID.map { type == .lines ? "\($0)/\(index)" : $0 }
            return arrival
        }
        guard intake.submit(arrivals) else {
            answer.abandon()
            for wait in waits ?? [] { intake.endWaiting(wait) }
            throw Refusal.queueFull
        }
        var patience = access.waitLimit.usual
        // Past the time for the answers, only records are waited for.
        if case .answers(let time) = waiting { patience += Int(time.milliseconds) }
        access.waitLimit.watch(answer, milliseconds: patience)
    }

    /// Has the sender wait for so many answers, if it asked for that: until it has them, or has gone.
    private func beginWaiting(
        _ waiting: QueryString.Waiting, _ count: Int, _ answer: PendingAnswer, _ responder: any HTTPResponder,
        _ intake: any Intake
    ) throws(Refusal) -> [AnswerWait]? {
        guard case .answers(let time) = waiting else { return nil }
        guard let waits = intake.beginWaiting(time, count: count) else {
            let error = ControlError.tooManyWait
            throw Refusal(429, error.code, error.message, help: error.help).with("Retry-After", "1")
        }
        answer.whenAnswered { for wait in waits { intake.endWaiting(wait) } }
        responder.whenClientIsGone {
            answer.abandon()
            for wait in waits { intake.endWaiting(wait) }
        }
        return waits
    }
}
