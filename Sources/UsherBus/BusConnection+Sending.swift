internal import CBus
internal import Glibc
internal import UsherSystem

/// What a call of others is answered with.
package enum BusReply: Sendable {
    case values([BusValue])
    /// An error's name, and its text.
    case error(String, String)
}

extension BusConnection {
    /// Sends a call; the number that its answer will bear.
    func send(_ call: BusCall) throws(BusProblem) -> UInt64 {
        guard let bus = unsafe bus else { throw .lost }
        for name in [call.destination, call.path, call.interface, call.member] { try BusWriting.check(name) }
        var made: OpaquePointer?
        let result = unsafe sd_bus_message_new_method_call(
            bus, &made, call.destination, call.path, call.interface, call.member)
        guard result >= 0, let message = unsafe made else { throw .unsuitable("a name in it is none of D-Bus") }
        defer { unsafe sd_bus_message_unref(message) }
        if !call.startsService { unsafe sd_bus_message_set_auto_start(message, 0) }
        unsafe try BusWriting.append(call.arguments, to: message)
        var number: UInt64 = 0
        let sent = unsafe sd_bus_send(bus, message, &number)
        guard sent >= 0 else { throw Self.problem(sent) }
        return number
    }

    /// Sends a signal, to everybody or to one.
    func emit(_ signal: BusMessage, to destination: String?) throws(BusProblem) {
        guard let bus = unsafe bus else { throw .lost }
        var made: OpaquePointer?
        let result = unsafe sd_bus_message_new_signal(bus, &made, signal.path, signal.interface, signal.member)
        guard result >= 0, let message = unsafe made else { throw .unsuitable("a name in it is none of D-Bus") }
        defer { unsafe sd_bus_message_unref(message) }
        if let destination { unsafe sd_bus_message_set_destination(message, destination) }
        unsafe try BusWriting.append(signal.arguments, to: message)
        let sent = unsafe sd_bus_send(bus, message, nil)
        guard sent >= 0 else { throw Self.problem(sent) }
    }

    func answer(_ call: OpaquePointer, _ reply: BusReply?) {
        guard let bus = unsafe bus, unsafe sd_bus_message_get_expect_reply(call) > 0 else { return }
        switch reply {
        case .values(let values):
            var made: OpaquePointer?
            guard unsafe sd_bus_message_new_method_return(call, &made) >= 0, let message = unsafe made else { return }
            defer { unsafe sd_bus_message_unref(message) }
            guard unsafe (try? BusWriting.append(values, to: message)) != nil else { return }
            unsafe sd_bus_send(bus, message, nil)
        case .error(let name, let text): unsafe refuse(call, name, text)
        case nil: unsafe refuse(call, "org.freedesktop.DBus.Error.UnknownObject", "there is nothing to call here")
        }
    }

    private func refuse(_ call: OpaquePointer, _ name: String, _ text: String) {
        unsafe name.withCString { name in
            unsafe text.withCString { text in
                var error = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                _ = unsafe sd_bus_reply_method_error(call, &error)
            }
        }
    }

    private static func problem(_ result: Int32) -> BusProblem {
        switch -result {
        case ECONNRESET, ENOTCONN, EPIPE, ECONNABORTED, ESHUTDOWN: .lost
        default: .unsuitable(SystemError.text(-result))
        }
    }
}
