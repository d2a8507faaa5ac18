internal import UsherActivation
internal import UsherConfiguration
internal import UsherEngine
internal import UsherFeatures
internal import UsherHook
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherPayload
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// `usher hook test`: what would become of a request, and why; does nothing.
enum HookTestCommand {
    private static let header = Option("header", "'N: V'", "a header of the request", isRepeatable: true)
    private static let query = Option("query", "TEXT", "the query of the URL, without the question mark")
    private static let method = Option("method", "NAME", "the method (POST)")
    private static let at = Option("at", "TIME", "judge as if it came then: RFC 3339, or seconds since 1970")
    private static let unsigned = Option(flag: "unsigned", "do not judge the signature")

    static let description = CommandDescription(
        "hook test", "say what would become of a request to a hook, and why; does nothing",
        operands: [.init("NAME", of: .hooks), .init("FILE|-")], options: [header, query, method, at, unsigned],
        discussion: [
            "NAME is a hook or the path of hooks. FILE is the body of a request, or a whole request that usher hook listen wrote:",
            "that is judged as if it came when it was captured, and its signature is not judged where a token was masked.",
            "Exit status 0: it is taken, or answered. 1: it is ignored or refused.",
        ],
        examples: [
            .init(
                "usher hook test github-issues --unsigned --header 'X-GitHub-Event: issues' "
                    + "--header 'X-GitHub-Delivery: 1' Payloads/hooks/github-issue.json",
                "the body of an event, whatever its signature")
        ],
        run: run)

    /// The longest file: a body of the longest kind, in a captured request.
    private static let sizeLimit = 64 << 20

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let loaded = try context.loadConfiguration()
        let hooks = try loaded.settings.knownHooks(called: arguments.operands[0])
        let (capture, now) = try request(arguments, hooks)
        var test = HookTest(hook: hooks[0].name)
        let isMasked = capture.request.hasMaskedProof(of: hooks[0].signature)
        if isMasked { context.errors.note("the token of this request is masked: its signature is not judged") }
        if !arguments.has(unsigned), !isMasked, hooks[0].signature.secret != nil {
            try test.judgeSignature(of: capture, hooks[0], now: now, context)
        }
        if test.signatureError == nil {
            try test.apply(try judgement(hooks, capture.request, now: now, context), loaded, context)
        }
        if context.writesJSON {
            context.printJSON { test.write(to: &$0) }
        } else {
            context.output.write(test.text(style: context.style))
        }
        return test.isTaken ? .handled : .finding
    }

    /// With the codes that an answer to a challenge needs.
    private static func judgement(
        _ hooks: [HookDefinition], _ request: HookRequest, now: Int64, _ context: Context
    ) throws(CommandFailure) -> HookJudgement {
        var wanted: [String] = []
        let judgement = HookJudgement(hooks, request, now: now) { text in
            wanted.append(text)
            return nil
        }
        guard judgement.answer != nil, !wanted.isEmpty,
            hooks.contains(where: { $0.answers.contains(where: \.usesCode) })
        else { return judgement }
        let answer = try context.engine().call(HookJudge(path: hooks[0].path, texts: wanted))
        let codes = Dictionary(
            zip(wanted, answer.codes), uniquingKeysWith: { first, _ in first })
        return HookJudgement(hooks, request, now: now) { codes[$0] }
    }

    /// The request, and the time of its judgement in seconds since 1970.
    private static func request(
        _ arguments: Arguments, _ hooks: [HookDefinition]
    ) throws(CommandFailure) -> (HookCapture, Int64) {
        var headers: [HookRequest.Header] = []
        for text in arguments.values(header) {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw .usage(
                    "--header cannot be \(QuotedText.text(text))", help: "--header 'X-GitHub-Event: issues'")
            }
            headers.append(.init(String(parts[0]), String(parts[1].drop { $0 == " " })))
        }
        var time: Int64?
        if let text = arguments.value(at) {
            time = Int64(text) ?? HookCapture(time: text, HookRequest(path: "")).seconds
            guard time.map({ $0 >= 0 }) == true else {
                throw .usage("--at cannot be \(QuotedText.text(text))", help: "--at 2026-11-25T09:00:00Z")
            }
        }
        let bytes = try InputFile(arguments.operands[1]).readAll(limit: sizeLimit)
        do throws(HookCapture.Invalid) {
            var capture = try HookCapture.made(of: bytes)
            capture.complete(
                headers: headers, query: arguments.value(query), method: arguments.value(method), for: hooks)
            return (capture, time ?? capture.seconds ?? Instant.now.microseconds / 1_000_000)
        } catch {
            throw .usage("\(arguments.operands[1]): \(error.message)", code: .usageFile)
        }
    }
}

/// What `hook test` says.
private struct HookTest {
    var hook: String
    var status = 0
    var isJudged = false
    var signatureError: ErrorAnswer?
    var result = HookExpectation.Result.refused
    var why: [HookReasonAnswer] = []
    var answer: HookReply?
    var notifications: [(made: HookNotification, record: DecisionRecord)] = []

    var isTaken: Bool { result == .accepted || result == .answered }

    /// Only an engine can: it has the means, and perhaps the secrets.
    mutating func judgeSignature(
        of capture: HookCapture, _ hook: HookDefinition, now: Int64, _ context: Context
    ) throws(CommandFailure) {
        var json = JSONWriter(escaping: .minimal)
        capture.write(to: &json)
        let call = HookJudge(path: hook.path, request: json.text, at: Int(now))
        let answer = try context.engine().call(call)
        isJudged = true
        guard let error = answer.error else { return }
        signatureError = error
        status = answer.status ?? 0
    }

    mutating func apply(
        _ judgement: HookJudgement, _ loaded: LoadedConfiguration, _ context: Context
    ) throws(CommandFailure) {
        (hook, status, result, answer) = (judgement.hook, judgement.status, judgement.result, judgement.answer)
        why = judgement.why.map(HookReasonAnswer.init)
        if let problem = judgement.problem, judgement.why.isEmpty || result == .accepted {
            why.append(HookReasonAnswer(problem, hook: hook))
        }
        guard !judgement.notifications.isEmpty else { return }
        let store = try context.openStore(.readOnly)
        defer { store.close() }
        var run = try context.dryRun(loaded, store, DryRun.Options(source: DeliverySource.hookPrefix + hook))
        for notification in judgement.notifications {
            let record = run.record(of: .success(notification.payload), startedAt: MonotonicClock.now)
            notifications.append((notification, record))
        }
    }

    // MARK: Output

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("hook", hook)
        json.member("status", status)
        json.beginObject("signature")
        json.member("judged", isJudged)
        json.key("error")
        signatureError.write(to: &json)
        json.endObject()
        json.key("why")
        why.write(to: &json)
        if let answer {
            json.beginObject("answer")
            json.member("status", answer.status)
            json.member("body", String(decoding: answer.body ?? [], as: UTF8.self))
            json.endObject()
        } else {
            json.nullMember("answer")
        }
        json.beginArray("notifications")
        for (made, record) in notifications {
            json.beginObject()
            json.beginObject("values")
            for (name, value) in made.values.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
            json.endObject()
            json.member("target", made.payload.targetContentIdentifier)
            json.member("title", made.payload.title)
            json.member("body", made.payload.body)
            json.key("decision")
            json.raw(record.json.utf8)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    func text(style: TerminalStyle) -> String {
        let word = signatureError == nil ? result.rawValue : "refused"
        var text = "\(Printable.escaped(hook))  \(status)  \(HookRequestText.coloured(word, word, style))\n"
        if let signatureError {
            text += HookRequestText.problem(signatureError, style)
        } else {
            text += "   the signature \(isJudged ? "is right" : "was not judged")\n"
        }
        for reason in why {
            let isProblem = reason.rule == nil
            text += isProblem ? HookRequestText.problem(reason, style) : HookRequestText.reasons([reason], style)
        }
        if let answer {
            text += "   answers \(Printable.escaped(String(decoding: answer.body ?? [], as: UTF8.self)))\n"
        }
        for (made, record) in notifications {
            let rows = made.values.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
            text += "\n" + record.text(style: style) + "\n"
            if let body = made.payload.body { text += "   \(Printable.escaped(body))\n" }
            text += TextTable.text(escaping: rows, indent: 3)
        }
        return text
    }
}

extension Settings {
    /// The hooks of a path, else those of the path of the hook with this name; at least one.
    func knownHooks(called name: String) throws(CommandFailure) -> [HookDefinition] {
        let found = hooks(called: name)
        guard found.isEmpty else { return found }
        throw .unknown("hook", name, among: hooks.map(\.name), otherwise: "usher hook list shows the hooks")
    }
}
