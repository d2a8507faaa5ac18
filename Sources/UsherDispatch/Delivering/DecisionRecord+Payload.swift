internal import UsherLog
internal import UsherPayload
internal import UsherScene

extension DecisionRecord.Problem {
    /// What is wrong with a payload, where, and the remedy.
    init(_ error: PayloadError) {
        self.init(
            DiagnosticCode(error.code, error.name.rawValue), error.message, at: error.pointer, offset: error.offset,
            help: error.help)
    }
}

extension DecisionRecord.Note {
    init(_ warning: PayloadWarning) {
        self.init(name: warning.name.rawValue, message: warning.message, pointer: warning.pointer, help: warning.help)
    }
}
