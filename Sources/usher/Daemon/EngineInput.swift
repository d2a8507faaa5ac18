internal import UsherControl
internal import UsherOperation
internal import UsherScene

/// Sends inputs to an engine, which cuts them into payloads.
struct EngineInput: InputReceiver {
    private let session: EngineSession
    /// Of the input at hand.
    private var form = InputForm.stream
    private var isFromFile = false

    /// Of bytes that are sent at once.
    private static let chunkSize = 128 * 1024

    init(_ session: EngineSession) { self.session = session }

    var end: InputEnd? { session.inputEnd }
    var handled: Int { session.done.handled + session.stream.handled }

    mutating func begin(_ form: InputForm, isFromFile: Bool) {
        if session.stream.isToEnd { session.moveOn() }
        self.form = form
        self.isFromFile = isFromFile
        session.stream.send(.begin(form, isFromFile: isFromFile))
    }

    mutating func receive(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while !rest.isEmpty {
            while end == nil, !session.stream.hasRoom(withinMilliseconds: 100) {}
            guard end == nil else { return }
            var some = rest.prefix(EngineInput.chunkSize)
            if session.stream.isToEnd, form != .simulator {
                moveOnIfWhole()
                // A payload in hand ends soon, as a rule with its line.
                if session.stream.isToEnd, let feed = some.firstIndex(of: 0x0A) { some = some[...feed] }
            }
            session.stream.send(some)
            rest = rest[some.endIndex...]
        }
    }

    /// What follows ends it.
    mutating func endInput() {}

    mutating func wait() { moveOnIfWhole() }

    private func moveOnIfWhole() {
        guard session.stream.isToEnd, form != .simulator, let place = session.stream.placeBetweenTexts else {
            return
        }
        session.moveOn()
        session.stream.send(.begin(form, isFromFile: isFromFile, at: place))
    }
}
