internal import UsherActivation
internal import UsherText

/// Where the session bus is (D-Bus Specification 0.43, well-known message bus instances).
enum BusAddress {
    static func find(_ environment: [String: String]) -> Result<String, BusProblem> {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
            // A program to be started is no place where a bus runs already.
            guard !address.utf8.contains(0), address.utf8.starts(with: "unix:".utf8) else {
                return .failure(
                    .absent("DBUS_SESSION_BUS_ADDRESS is \(Printable.text(address)), and only unix: addresses are used")
                )
            }
            return .success(address)
        }
        if let folder = environment["XDG_RUNTIME_DIR"], folder.utf8.first == UInt8(ascii: "/"), !folder.utf8.contains(0)
        {
            return .success("unix:path=\(escaped(folder + "/bus"))")
        }
        return .failure(.absent("neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR says where it is"))
    }

    /// As values in addresses are written.
    private static func escaped(_ value: String) -> String {
        var text = ""
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"),
                UInt8(ascii: "."), UInt8(ascii: "*"), UInt8(ascii: "\\"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16)
                text += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
            }
        }
        return text
    }
}
