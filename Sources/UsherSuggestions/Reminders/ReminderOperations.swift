internal import UsherEngine
internal import UsherOperation
internal import UsherScene
internal import UsherText

/// The names of signals.
enum SignalName {
    static func check(_ name: String, at place: String) throws(ControlError) {
        guard SuggestionInput.Signal.isName(name), name.utf8.count <= 64 else {
            throw ControlError(
                .signalName, "\(QuotedText.text(name)) is no name of a signal", at: place,
                help: "it is up to 64 letters from a to z, digits and hyphens: headphones, bluetooth, car, home, work")
        }
    }
}
