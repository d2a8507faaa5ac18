public import UsherJSON
public import UsherPayload
public import UsherScene

/// What becomes of a request to a hook's path, once its signature was judged.
public enum HookOutcome: Sendable {
    /// The sender's challenge is answered; nothing is delivered.
    case answered(HookReply, by: HookDefinition)
    /// No hook of the path accepts the event.
    case ignored([HookMiss])
    /// One element for a hook without `each`, else one for each element of the array, in its order; not all of them are ignored.
    /// What is wrong with one stops no other.
    case accepted([HookElement], by: HookDefinition)
}

public enum HookElement: Sendable {
    case notification(HookNotification)
    /// An element of `each` that the hook ignores.
    case ignored(HookMiss)
    /// An element of `each` that cannot be mapped, its bytes, and the sender's id of it.
    case failed(HookRefusal, input: [UInt8], senderID: String?)

    /// Why a request is refused: none of its elements is accepted, and this one cannot be mapped. nil if one is accepted.
    public static func refusal(of elements: [HookElement]) -> HookRefusal? {
        var first: HookRefusal?
        for element in elements {
            switch element {
            case .notification: return nil
            case .failed(let refusal, _, _): first = first ?? refusal
            case .ignored: break
            }
        }
        return first
    }
}

/// What one event asks for.
public struct HookNotification: Sendable {
    /// An envelope; for a hook with `run`, with the request in it.
    public var payload: Payload
    /// The same as text. It is what the journal keeps.
    public var input: [UInt8]
    /// The sender's id of the event.
    public var senderID: String?
    /// The values of the templates; those without a value are left out.
    public var values: [String: String]
}

/// Why a hook ignores an event: its first condition that does not hold.
public struct HookMiss: Sendable, Hashable {
    public var hook: String
    /// What was found and what is wanted.
    public var message: String
    /// The place in the body, as a JSON pointer; nil for a header and the query.
    public var at: String?
    /// The condition.
    public var rule: SourceLocation
}

extension HookMiss {
    /// The answer to an event that is ignored: `{"status":"ignored","why":[…]}`.
    public static func write(_ misses: [HookMiss], to json: inout JSONWriter) {
        json.beginObject()
        json.member("status", "ignored")
        json.key("why")
        writeReasons(misses, to: &json)
        json.endObject()
    }

    /// A list of `{"hook","name","message","at","rule"}`.
    public static func writeReasons(_ misses: [HookMiss], to json: inout JSONWriter) {
        json.beginArray()
        for miss in misses {
            json.beginObject()
            json.member("hook", miss.hook)
            json.member("name", DiagnosticCode.hookNoMatch.name)
            json.member("message", miss.message)
            json.member("at", miss.at)
            json.member("rule", miss.rule.description)
            json.endObject()
        }
        json.endArray()
    }
}

/// Evaluates the hooks of one path for a request: pure, and the same for the daemon, `usher hook test` and `usher check`.
public struct HookEvaluation {
    /// All of one path, in the order in which they are tried; at least one.
    let hooks: [HookDefinition]
    let request: HookRequest
    /// Seconds since 1970, for `expires`.
    let now: Int64
    /// The code of a text under the first secret, in hexadecimal; nil where there is no secret.
    let code: (String) -> String?

    /// More reasons than these are left out.
    private static let missLimit = 16

    public init(
        _ hooks: [HookDefinition], _ request: HookRequest, now: Int64,
        code: @escaping (String) -> String? = { _ in nil }
    ) {
        self.hooks = hooks
        self.request = request
        self.now = now
        self.code = code
    }

    /// - Parameter keepsRefused: whether elements of `each` are given although none of them can be mapped; else that is thrown.
    /// - Throws: why a hook that accepts the event cannot map it, or why no hook of the path can read the request.
    public func outcome(keepsRefused: Bool = false) throws(HookRefusal) -> HookOutcome {
        var contents: [(inputs: [HookInput], content: Result<HookContent, HookRefusal>)] = []
        func content(_ hook: HookDefinition) -> Result<HookContent, HookRefusal> {
            if let known = contents.first(where: { $0.inputs == hook.input }) { return known.content }
            let read = Result { () throws(HookRefusal) in try HookContent(request, as: hook.input) }
            contents.append((hook.input, read))
            return read
        }
        for hook in hooks where !hook.answers.isEmpty {
            guard case .success(let content) = content(hook) else { continue }
            for answer in hook.answers {
                do throws(HookRefusal) {
                    if let reply = try reply(answer, content) { return .answered(reply, by: hook) }
                } catch {
                    var refusal = error
                    refusal.isAboutChallenge = true
                    throw refusal
                }
            }
        }
        var misses: [HookMiss] = []
        var unreadable: HookRefusal?
        for hook in hooks {
            switch content(hook) {
            case .failure(let refusal):
                unreadable = unreadable ?? refusal
            case .success(let content):
                do throws(HookRefusal) {
                    if let elements = try elements(of: hook, content, missing: &misses) {
                        if !keepsRefused, let refusal = HookElement.refusal(of: elements) { throw refusal }
                        return .accepted(elements, by: hook)
                    }
                } catch {
                    var refusal = error
                    refusal.hook = hook.name
                    throw refusal
                }
            }
        }
        if misses.isEmpty, let unreadable { throw unreadable }
        return .ignored(Array(misses.prefix(HookEvaluation.missLimit)))
    }

    /// What a hook makes of the event; nil where it ignores it: then `misses` has the reason.
    private func elements(
        of hook: HookDefinition, _ content: HookContent, missing misses: inout [HookMiss]
    ) throws(HookRefusal) -> [HookElement]? {
        for condition in hook.conditions {
            if let violation = condition.violation(in: content, from: content.root) {
                misses.append(HookEvaluation.miss(hook, condition, violation))
                return nil
            }
        }
        let mapping = HookMapping(hook: hook, content: content, request: request, now: now)
        guard let each = hook.each else {
            return [.notification(try mapping.notification(of: content.root, index: nil))]
        }
        let all = try HookEvaluation.elements(of: each, content)
        if all.isEmpty {
            let message = "\(each.pointer.text) is empty, and an element is wanted"
            misses.append(HookMiss(hook: hook.name, message: message, at: each.pointer.text, rule: hook.location))
            return nil
        }
        var result: [HookElement] = []
        var isWanted = false
        for (index, element) in all.enumerated() {
            let missed = each.conditions.lazy.compactMap { condition in
                condition.violation(in: content, from: element).map { HookEvaluation.miss(hook, condition, $0) }
            }.first
            if let missed {
                result.append(.ignored(missed))
            } else {
                do throws(HookRefusal) {
                    result.append(.notification(try mapping.notification(of: element, index: index)))
                } catch {
                    let id = mapping.senderIDIfAny(of: element, index: index)
                    result.append(.failed(error, input: content.raw(element), senderID: id))
                }
                isWanted = true
            }
        }
        if isWanted { return result }
        for case .ignored(let miss) in result { misses.append(miss) }
        return nil
    }

    /// More elements than these are not taken in one request.
    private static let elementLimit = 10_000

    private static func elements(
        of each: HookElements, _ content: HookContent
    ) throws(HookRefusal) -> [HookContent.Element] {
        let place = each.pointer.text
        guard let elements = content.elements(at: each.pointer) else {
            throw HookRefusal(
                422, .hookElements, "\(place) is \(content.phrase(at: each.pointer)), not an array", at: place)
        }
        guard elements.count <= elementLimit else {
            throw HookRefusal(
                422, .hookElements, "\(place) has more than \(elementLimit) elements", at: place,
                help: "let the sender put fewer into one request")
        }
        return elements
    }

    private static func miss(
        _ hook: HookDefinition, _ condition: HookCondition, _ violation: HookCondition.Violation
    ) -> HookMiss {
        HookMiss(hook: hook.name, message: violation.message, at: violation.at, rule: condition.location)
    }
}

// MARK: - Answers

extension HookEvaluation {
    /// A longer value is no challenge.
    private static let valueLimit = 4096

    /// The reply of an answer whose conditions hold; nil where one does not.
    private func reply(_ answer: HookAnswer, _ content: HookContent) throws(HookRefusal) -> HookReply? {
        for condition in answer.conditions where condition.violation(in: content, from: content.root) != nil {
            return nil
        }
        var values: [String: String] = [:]
        for value in answer.values {
            guard let text = try content.text(of: value, from: content.root) else {
                throw HookRefusal(
                    422, .hookValueMissing, "the answer needs `\(value.name)`, which is not in the request",
                    at: value.sources.first?.places.first?.pointerText)
            }
            guard text.utf8.count <= HookEvaluation.valueLimit else {
                throw HookRefusal(
                    422, .hookAnswerSize,
                    "the value `\(value.name)` has more than \(HookEvaluation.valueLimit) bytes",
                    at: value.sources.first?.places.first?.pointerText)
            }
            values[value.name] = text
            if let code = code(text) { values["hmac." + value.name] = code }
        }
        switch answer.content {
        case .text(let text):
            let body = Array(text.expand(values).utf8)
            return HookReply(
                status: answer.status, type: body.isEmpty ? nil : "text/plain; charset=utf-8", body: body)
        case .json(let json):
            let text = json.replacingStrings { HookText($0, hasGroups: true).expand(values) }.text(escaping: .minimal)
            return HookReply(status: answer.status, type: "application/json", body: Array(text.utf8))
        }
    }
}

extension JSONValue {
    /// The same with other strings; names of members stay. Recursive: a configuration nests only a few levels deep.
    fileprivate func replacingStrings(_ replacement: (String) -> String) -> JSONValue {
        switch self {
        case .string(let text): .string(replacement(text))
        case .array(let elements): .array(elements.map { $0.replacingStrings(replacement) })
        case .object(let members):
            .object(members.map { Member($0.name, $0.value.replacingStrings(replacement)) })
        case .null, .boolean, .number: self
        }
    }
}
