internal import Dispatch
internal import Synchronization
internal import UsherEngine
internal import UsherHTTP
internal import UsherHook
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherScene

/// Collects what becomes of the deliveries of one request, and answers once all is known that the sender waits for.
///
/// Nothing is acknowledged before it is on disk. Safe from any thread; answers once.
final class PendingAnswer: Sendable {
    private enum Element {
        case waiting
        case accepted(id: String)
        // Indirect: most answers have neither, and would carry room for both about.
        indirect case finished(DecisionRecord)
        indirect case refused(Diagnostic)
        /// An element that the hook ignores: nothing is delivered for it.
        indirect case ignored(HookMiss)
    }

    private struct State {
        var elements: [Element]
        /// How many there is nothing known of yet, and how many have no record yet.
        var waiting: Int
        var unfinished: Int
        /// How many of the deliveries repeat an earlier one.
        var repeated = 0
        var isLate = false
        var responder: (any HTTPResponder)?
        /// Called once, with the answer.
        var whenAnswered: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    /// One answer, or a list of them.
    private let isList: Bool
    fileprivate let waits: Bool
    /// What is wrong with each payload, where something is.
    private let problems: [Diagnostic?]
    /// The answer once everything is accepted.
    private let reply: HookReply
    /// Called once, when everything is on disk: whether all of it repeats what was accepted before, and our ids.
    private let whenAccepted: (@Sendable (_ isRepeated: Bool, _ deliveries: [String]) -> Void)?
    /// Makes the answer to a request that is refused: with our ids, or without any if it could not be journalled.
    private let refusal: (@Sendable (_ deliveries: [String]) -> HTTPResponse)?

    /// - Parameters:
    ///   - problems: an element for each payload.
    ///   - ignored: the elements that are not delivered, by their place among `problems`; not all of them.
    init(
        _ problems: [Diagnostic?], ignored: [Int: HookMiss] = [:], isList: Bool, waits: Bool,
        reply: HookReply = HookReply(status: 202), _ responder: any HTTPResponder,
        refusal: (@Sendable (_ deliveries: [String]) -> HTTPResponse)? = nil,
        whenAccepted: (@Sendable (_ isRepeated: Bool, _ deliveries: [String]) -> Void)? = nil
    ) {
        self.problems = problems
        self.isList = isList
        self.waits = waits
        self.reply = reply
        self.whenAccepted = whenAccepted
        self.refusal = refusal
        let elements = problems.indices.map { index in ignored[index].map(Element.ignored) ?? .waiting }
        let count = elements.count - ignored.count
        state = Mutex(State(elements: elements, waiting: count, unfinished: count, responder: responder))
    }

    func events(of index: Int) -> Arrival.Events {
        var events = Arrival.Events()
        events.accepted = { self.accept($0, index) }
        if whenAccepted != nil { events.repeated = { self.state.withLock { $0.repeated += 1 } } }
        events.refused = { self.become(.refused($0), index) }
        if waits {
            events.finished = { self.become(.finished($0), index) }
            // Its record comes in another life of the daemon.
            events.left = { self.update { $0.isLate = true } }
        }
        return events
    }

    /// Records are not waited for any longer: what is accepted is answered so.
    fileprivate func beLate() { update { $0.isLate = true } }

    /// Has `body` called when this has answered. To be called before anything is known.
    func whenAnswered(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenAnswered = body } }

    /// Nothing will be answered by this.
    func abandon() { state.withLock { $0.responder = nil } }

    /// Nearly every request is one payload without `?wait=1`: its answer is known here.
    private func accept(_ id: String, _ index: Int) {
        guard !isList, !waits, problems[index] == nil, reply == HookReply(status: 202) else {
            return become(.accepted(id: id), index)
        }
        let (responder, isRepeated) = state.withLock { ($0.responder.take(), $0.repeated > 0) }
        whenAccepted?(isRepeated, [id])
        responder?.respond(PendingAnswer.accepted(id))
    }

    private func become(_ element: Element, _ index: Int) {
        update { state in
            switch (state.elements[index], element) {
            case (.waiting, .accepted):
                state.waiting -= 1
            case (.waiting, _):
                state.waiting -= 1
                state.unfinished -= 1
            case (.accepted, .finished), (.accepted, .refused):
                state.unfinished -= 1
            default: return
            }
            state.elements[index] = element
        }
    }

    private func update(_ body: (inout State) -> Void) {
        var accepted: (isRepeated: Bool, deliveries: [String])?
        var waiting: (any HTTPResponder)?
        let ready: (any HTTPResponder, [Element], (@Sendable () -> Void)?)? = state.withLock { state in
            let isKnown = state.waiting == 0
            body(&state)
            if !isKnown, state.waiting == 0 {
                let deliveries = state.elements.count { if case .ignored = $0 { false } else { true } }
                let refused = state.elements.count { if case .refused = $0 { true } else { false } }
                if refused < deliveries {
                    accepted = (state.repeated == deliveries, PendingAnswer.deliveries(of: state.elements))
                }
            }
            let isReady = state.waiting == 0 && (!waits || state.isLate || state.unfinished == 0)
            if !isKnown, state.waiting == 0, !isReady { waiting = state.responder }
            guard isReady, let responder = state.responder else { return nil }
            state.responder = nil
            return (responder, state.elements, state.whenAnswered.take())
        }
        if let accepted, refusal == nil { whenAccepted?(accepted.isRepeated, accepted.deliveries) }
        // The answer may take long, and what was sent is on disk.
        waiting?.releaseBody()
        if let (responder, elements, whenAnswered) = ready {
            responder.respond(response(elements))
            whenAnswered?()
        }
    }

    /// Our ids, in the order of the elements.
    private static func deliveries(of elements: [Element]) -> [String] {
        elements.compactMap { element in
            switch element {
            case .accepted(let id): id
            case .finished(let record): record.id
            case .refused, .ignored, .waiting: nil
            }
        }
    }

    private func response(_ elements: [Element]) -> HTTPResponse {
        if let refusal { return refusal(PendingAnswer.deliveries(of: elements)) }
        let refusals = elements.compactMap { if case .refused(let problem) = $0 { problem } else { nil } }
        let ignored = elements.count { if case .ignored = $0 { true } else { false } }
        if let problem = refusals.first, refusals.count + ignored == elements.count {
            return Refusal(503, problem).with("Retry-After", "1").response()
        }
        let isComplete =
            waits && elements.allSatisfy { if case .accepted = $0 { false } else { true } }
        if !isComplete, reply.body != nil || reply.status == 204 {
            return HTTPResponse(reply)
        }
        var json = JSONWriter()
        if isList { json.beginArray() }
        for (index, element) in elements.enumerated() { write(element, problems[index], to: &json) }
        if isList { json.endArray() }
        json.newline()
        var response = HTTPResponse(
            isComplete ? 200 : reply.status, type: "application/json", body: json.bytes)
        if !isList, !isComplete, case .accepted(let id)? = elements.first {
            response.fields.append("Location", "/v1/deliveries/\(id)")
        }
        return response
    }

    /// The usual answer, as the general way would write it. An id has nothing to escape.
    private static func accepted(_ id: String) -> HTTPResponse {
        var body: [UInt8] = []
        body.reserveCapacity(80)
        body.append(contentsOf: "{\"id\":\"".utf8)
        body.append(contentsOf: id.utf8)
        body.append(contentsOf: "\",\"status\":\"accepted\"}\n".utf8)
        return HTTPResponse(
            202,
            fields: HTTPFields([.init("Content-Type", "application/json"), .init("Location", "/v1/deliveries/" + id)]),
            body: body)
    }

    private func write(_ element: Element, _ problem: Diagnostic?, to json: inout JSONWriter) {
        let id: String
        switch element {
        case .finished(let record) where waits: return json.raw(record.json.utf8)
        case .finished(let record): id = record.id
        case .accepted(let accepted): id = accepted
        case .ignored(let miss): return HookMiss.write([miss], to: &json)
        case .refused(let problem): return RefusedAnswer(error: ErrorAnswer(problem)).write(to: &json)
        // Nothing is answered while one waits.
        case .waiting: id = ""
        }
        if let problem {
            InvalidAnswer(id: id, error: ErrorAnswer(problem)).write(to: &json)
        } else {
            AcceptedAnswer(id: id).write(to: &json)
        }
    }
}

/// Ends the waiting of answers after a time.
///
/// One timer is set while answers wait, and none for each: setting one wakes a thread up.
final class WaitLimit: Sendable {
    private struct Waiting {
        weak var answer: PendingAnswer?
        var end: DispatchTime
    }

    private struct State {
        /// The first to end first.
        var waiting: [Waiting] = []
        /// When the next timer fires; nil where none is set.
        var timer: DispatchTime?
    }

    /// For how long records are waited for, in milliseconds.
    let usual: Int
    private let state = Mutex(State())

    /// A queue of its own: after the first use of a global queue, Dispatch wakes up once a second for ever.
    private static let queue = DispatchQueue(label: "usher.webhook.limits")

    init(milliseconds: Int) { usual = milliseconds }

    /// Lets an answer that waits for records wait no longer than that.
    ///
    /// - Parameter milliseconds: nil for the usual time.
    func watch(_ answer: PendingAnswer, milliseconds: Int? = nil) {
        guard answer.waits else { return }
        let end = DispatchTime.now() + .milliseconds(milliseconds ?? usual)
        let isFirst = state.withLock { state in
            state.waiting.removeSubrange(..<(state.waiting.firstIndex { $0.answer != nil } ?? state.waiting.endIndex))
            let place = state.waiting.lastIndex { $0.end <= end }.map { $0 + 1 } ?? 0
            state.waiting.insert(Waiting(answer: answer, end: end), at: place)
            if let timer = state.timer, timer <= end { return false }
            state.timer = end
            return true
        }
        if isFirst { setTimer(end) }
    }

    private func setTimer(_ end: DispatchTime) {
        WaitLimit.queue.asyncAfter(deadline: end) { [self] in
            let (late, next) = state.withLock { state in
                state.waiting.removeAll { $0.answer == nil }
                let late = state.waiting.prefix { $0.end <= .now() }.compactMap(\.answer)
                state.waiting.removeFirst(late.count)
                // A later timer that an earlier one has overtaken has nothing to do but for the first that waits.
                let next = state.timer == end ? state.waiting.first?.end : Optional.none
                if state.timer == end { state.timer = next }
                return (late, next)
            }
            for answer in late { answer.beLate() }
            if let next { setTimer(next) }
        }
    }
}
