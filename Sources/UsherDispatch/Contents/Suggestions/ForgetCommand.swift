internal import UsherJSON
internal import UsherOperation
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// `forget`, for every interface (socket, HTTP, command line).
struct ForgetCommand {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    /// `{"events","interactions","contacts","reminders"}`.
    func perform(_ call: Forget) throws(ControlError) -> JSONValue {
        guard call.all || call.app != nil || call.source != nil || call.since != nil else {
            throw ControlError(
                .forgetWhat, "it is not said what is to be forgotten",
                help: "give --app ID, --source APP|HOST, --since TIME|DURATION or --all")
        }
        let since = try call.since.map { text throws(ControlError) in
            try TimeArgument.instant(orBefore: Instant.now, text, at: "/since")
        }
        let what = Store.Forgetting(app: call.app, source: call.source, since: since?.microseconds)
        let forgotten = try service.storing { () throws(StoreError) in
            try service.store.forget(what, isRehearsal: call.dryRun)
        }
        if !call.dryRun { service.remindersChanged?() }
        func number(_ number: Int) -> JSONValue { .number(String(number)) }
        return [
            "events": number(forgotten.events), "interactions": number(forgotten.interactions),
            "contacts": number(forgotten.contacts), "reminders": number(forgotten.reminders),
        ]
    }
}
