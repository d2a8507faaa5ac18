internal import UsherEngine
internal import UsherOperation
internal import UsherScene
internal import UsherText

/// The names of signals.
enum SignalName {
    static func check(_ name: String, at place: String) throws(ControlError) {
        let isName =
            !name.isEmpty && name.utf8.count <= 64
            && name.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            }
        guard isName else {
            throw ControlError(
                .signalName, "\(QuotedText.text(name)) is no name of a signal", at: place,
                help: "it is up to 64 letters from a to z, digits and hyphens: headphones, bluetooth, car, home, work")
        }
    }
}
