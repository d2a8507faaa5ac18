public import UsherActivation
internal import UsherScene
internal import UsherText

/// `org.freedesktop.Application` (Desktop Entry Specification 1.5, D-Bus activation).
extension SessionBus {
    private static let application = "org.freedesktop.Application"

    /// Calls a program by its name; the bus starts it where it does not run. Its process is whose answer came.
    public func call(_ call: ApplicationCall) throws(ActivationFailure) -> ApplicationStart {
        let (member, arguments): (String, [BusValue]) =
            switch call.verb {
            case .activate: ("Activate", [])
            case .open(let uris): ("Open", [.strings(uris)])
            case .action(let action, let parameter):
                ("ActivateAction", [.string(action), .array(parameter.map { [.variant(.string($0))] } ?? [], of: "v")])
            }
        guard let path = Self.path(of: call.name) else {
            throw ActivationFailure(
                .busMessage, "\(Printable.text(call.name)) cannot be a name on the session bus",
                help: "names are like org.gnome.TextEditor")
        }
        var message = BusCall(call.name, path, Self.application, member, arguments + [Self.platformData(call.token)])
        message.timeLimit = call.timeLimit
        let answer: BusMessage
        do throws(BusProblem) {
            answer = try ask(message)
        } catch {
            var failure = error.failure(message)
            if failure.code == .busUnknownMethod {
                failure.help =
                    "it is no org.freedesktop.Application: start it with `launch = { desktop = … }` or `exec`"
            }
            throw failure
        }
        // It answered: that it is gone already is no failure of the call.
        let process = try? owner(of: answer.sender)
        return ApplicationStart(process: process, summary: call.summary)
    }

    public static func isApplicationName(_ name: String) -> Bool { path(of: name) != nil }

    /// `/org/gnome/TextEditor` of `org.gnome.TextEditor`; nil where that is no name.
    static func path(of name: String) -> String? {
        guard name.utf8.count <= 255, name.utf8.contains(UInt8(ascii: ".")) else { return nil }
        var path = "/"
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "."): path += "/"
            case UInt8(ascii: "-"): path += "_"
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                path.unicodeScalars.append(Unicode.Scalar(byte))
            default: return nil
            }
        }
        return path.contains("//") || path.hasSuffix("/") ? nil : path
    }

    /// Programs look for the token under the one name or the other.
    private static func platformData(_ token: String?) -> BusValue {
        guard let token else { return .options([]) }
        return .options([("activation-token", .string(token)), ("desktop-startup-id", .string(token))])
    }
}
