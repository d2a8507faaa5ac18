internal import UsherHTTP
internal import UsherOperation
internal import UsherScene
internal import UsherStore

/// Why the daemon does not start: one sentence, and what to do about it.
struct DaemonFailure: Error {
    var message: String
    var help: String?

    init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }

    init(_ error: ControlError) { self.init(error.message, help: error.help) }

    init(_ error: StoreError) { self.init("\(error.code.code) \(error.path): \(error.message)", help: error.help) }

    init(_ error: HTTPServerError) {
        self.init(error.message, help: error.listener == "control" ? "--socket names another place" : nil)
    }
}
