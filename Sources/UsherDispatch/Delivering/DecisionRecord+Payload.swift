internal import UsherLog
internal import UsherPayload
internal import UsherScene

extension DecisionRecord.Note {
    init(_ warning: PayloadWarning) {
        self.init(name: warning.name.rawValue, message: warning.message, pointer: warning.pointer, help: warning.help)
    }
}
