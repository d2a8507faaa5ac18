internal import UsherText

/// What clients ask of every object: its description, and its properties, of which there are none.
enum ObjectDescription {
    /// nil where the call is about something else.
    static func answer(_ call: BusMessage, at path: String) -> BusReply? {
        switch (call.interface, call.member) {
        case ("org.freedesktop.DBus.Introspectable", "Introspect"), ("", "Introspect"):
            return description(of: call.path, path).map { .values([.string($0)]) }
        case ("org.freedesktop.DBus.Properties", _) where call.path.hasSameBytes(as: path):
            switch call.member {
            case "GetAll": return .values([.options([])])
            case "Get", "Set": return .error("org.freedesktop.DBus.Error.UnknownProperty", "there are no properties")
            default: return nil
            }
        default: return nil
        }
    }

    /// Of the object itself, or of a node on the way to it.
    private static func description(of path: String, _ object: String) -> String? {
        let head = """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

            """
        if path.hasSameBytes(as: object) { return head + "<node>\n\(interfaces)</node>\n" }
        let above = path.hasSameBytes(as: "/") ? "/" : path + "/"
        guard object.utf8.starts(with: above.utf8) else { return nil }
        let next = object.utf8.dropFirst(above.utf8.count).prefix { $0 != UInt8(ascii: "/") }
        return head + "<node>\n  <node name=\"\(String(Substring(next)))\"/>\n</node>\n"
    }

    /// Methods with their arguments: what goes in, and what comes out.
    private static let methods: KeyValuePairs<String, [(name: String, takes: [String], gives: [String])]> = [
        "org.freedesktop.DBus.Introspectable": [("Introspect", [], ["s"])],
        "org.freedesktop.DBus.Properties": [
            ("Get", ["s", "s"], ["v"]), ("GetAll", ["s"], ["a{sv}"]), ("Set", ["s", "s", "v"], []),
        ],
        "org.gnome.Shell.SearchProvider2": [
            ("GetInitialResultSet", ["as"], ["as"]), ("GetSubsearchResultSet", ["as", "as"], ["as"]),
            ("GetResultMetas", ["as"], ["aa{sv}"]), ("ActivateResult", ["s", "as", "u"], []),
            ("LaunchSearch", ["as", "u"], []),
        ],
        "org.kde.krunner1": [
            ("Actions", [], ["a(sss)"]), ("Match", ["s"], ["a(sssida{sv})"]), ("Run", ["s", "s"], []),
            ("Config", [], ["a{sv}"]), ("Teardown", [], []), ("SetActivationToken", ["s"], []),
        ],
    ]

    private static var interfaces: String {
        methods.map { interface, methods in
            let lines = methods.map { method in
                let arguments =
                    method.takes.map { "      <arg type=\"\($0)\" direction=\"in\"/>\n" }
                    + method.gives.map { "      <arg type=\"\($0)\" direction=\"out\"/>\n" }
                return "    <method name=\"\(method.name)\">\n\(arguments.joined())    </method>\n"
            }
            return "  <interface name=\"\(interface)\">\n\(lines.joined())  </interface>\n"
        }.joined()
    }
}
