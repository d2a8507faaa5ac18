internal import UsherLog
internal import UsherPayload
internal import UsherScene

extension DecisionRecord.Note {
    init(_ warning: PayloadError) {
        self.init(name: warning.code.name, message: warning.message, pointer: warning.pointer, help: warning.help)
    }
}
