internal import UsherActivation
internal import UsherActivities
internal import UsherConfiguration
internal import UsherEngine
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherSuggestions
internal import UsherSystem
internal import UsherText

/// `usher perform`: has an app do something about a place, a person or media.
enum PerformCommand {
    private static let app = Option("app", "ID", "the app; else the first of usher suggest app --perform VERB")
    private static let mode = Option(
        "mode", oneOf: DirectionsMode.allCases.map(\.rawValue), "how to get there, for directions")
    private static let video = Option(flag: "video", "with pictures, for call")
    private static let text = Option("text", "TEXT", "what is to be written, for message and email")
    private static let indexPath = Option(
        "index-path", "PLACES", "for play: the place of a track, from 0, or of a playlist and a track in it: 2/0")
    private static let dryRun = Option(flag: "dry-run", "decide, but do nothing and write nothing")

    static let description = CommandDescription(
        "perform", "have an app show a place, get directions, call, write or play",
        operands: [.init("VERB", of: .verbs), .init("WHAT", .optional)],
        options: [app, mode, video, text, indexPath, dryRun],
        discussion: [
            "VERB is place, directions, ride, call, message, email or play. WHAT is a geo: URI or a link of a map service, an",
            "address, a telephone number, a mail address, the identifier of media, or the name of a contact or of something",
            "that was looked at lately; without WHAT it is the current activity. The app opens what [perform] of its manifest",
            "makes of it. Prints the decision record, and donates the interaction.",
        ],
        examples: [
            .init(
                "usher perform directions 'Karlskirche, Wien' --mode transit",
                "the way there, in the app that was used last"),
            .init("usher perform call Crusty --dry-run", "what calling a contact would do"),
            .init("usher perform message Crusty --text 'I am late'", "a message"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let verbs = PerformVerb.allCases.map(\.rawValue)
        guard let verb = arguments.operands.first, verbs.contains(verb) else {
            throw .unknown(
                "verb", arguments.operands.first ?? "", among: verbs,
                otherwise: "there is: \(verbs.joined(separator: ", ")); a shortcut item: usher shortcut perform TYPE")
        }
        var call = PerformPlan(verb, arguments.operands.dropFirst().first)
        (call.app, call.mode) = (arguments.value(app), arguments.value(mode))
        (call.text, call.indexPath) = (arguments.value(text), arguments.value(indexPath))
        call.video = arguments.has(video)
        if arguments.has(dryRun) {
            // A configuration that is missing or wrong is said before anything is looked for.
            let digest = try context.loadConfiguration().configuration.digest
            let plan = try context.service().call(call)
            if plan.player != nil {
                return try write(record(of: plan, digest: digest, isDryRun: true), context)
            }
            return try Rehearsal.run(context, plan.payload.jsonText, source: DeliverySource.perform)
        }
        let engine = try context.engine()
        let plan = try engine.call(call)
        if let player = plan.player { return try play(plan, on: player, call, context, engine) }
        let dispatching = DaemonDispatching(context, engine, source: DeliverySource.perform)
        let (status, outcome) = try dispatching.perform(try payload(of: plan, context, engine))
        if let outcome, let donation = plan.donation { donate(donation, outcome, context, engine) }
        return status
    }

    // MARK: Media players

    /// Has a player play it; the record is made here, as no delivery comes of it.
    private static func play(
        _ plan: PerformPlanAnswer, on player: String, _ call: PerformPlan, _ context: Context, _ engine: RunningDaemon
    ) throws(CommandFailure) -> ExitStatus {
        var record = record(of: plan, digest: engine.hello.digest, isDryRun: false)
        let started = MonotonicClock.now
        let answer = try engine.call(MediaPlay(player, item: record.target, indexPath: call.indexPath))
        record.actTime = MonotonicClock.now - started
        record.error = answer.error.map {
            Diagnostic(DiagnosticCode($0.code, $0.name), $0.message, help: $0.help)
        }
        record.outcome = record.error != nil ? .failed : answer.plays ? .verified : .unverified
        let playing = answer.player?.address ?? answer.player?.track
        // What was chosen by its place has an identifier only now.
        record.target = record.target ?? playing
        if var donation = plan.donation {
            donation.target = donation.target ?? playing
            if donation.target != nil { donate(donation, record.outcome, context, engine) }
        }
        return try write(record, context)
    }

    private static func record(of plan: PerformPlanAnswer, digest: String, isDryRun: Bool) -> DecisionRecord {
        var record = DecisionRecord(
            id: UUIDv7.next(), sequence: 1, time: .now, source: DeliverySource.perform, configuration: digest,
            action: .background, reason: .explicit, isDryRun: isDryRun)
        (record.app, record.target) = (plan.app, plan.target)
        (record.title, record.resolved) = (plan.title, plan.target)
        return record
    }

    private static func write(_ record: DecisionRecord, _ context: Context) throws(CommandFailure) -> ExitStatus {
        context.print(record: record)
        return record.error == nil ? .handled : .finding
    }

    // MARK: What is dispatched

    /// What is dispatched: of an activity that is continued, with the app's newest user info.
    private static func payload(
        of plan: PerformPlanAnswer, _ context: Context, _ engine: RunningDaemon
    ) throws(CommandFailure) -> [UInt8] {
        guard let id = plan.activity else { return plan.payload.jsonText }
        let answer = try engine.call(ActivitySave(activity: id))
        context.errors.warnings(of: answer)
        let fresh = answer.activity.activity.jsonValue
        return JSONValue.object(
            (plan.payload?.members ?? []).map { $0.name == "userActivity" ? .init("userActivity", fresh) : $0 }
        ).jsonText
    }

    /// Notes what was done. What could not be noted was done all the same.
    private static func donate(_ donation: Donation, _ outcome: Outcome, _ context: Context, _ engine: RunningDaemon) {
        var interaction = donation
        interaction.outcome = outcome == .failed || outcome == .skipped ? "failure" : "success"
        if case .failure(let error) = engine.answer(InteractionDonate([interaction])) {
            context.errors.warning("the interaction was not noted: \(error.message)", help: error.help)
        }
    }
}
