internal import CBus
internal import Glibc
internal import UsherSystem
internal import UsherText

/// A connection to a bus, open or not. It belongs to one thread. Closed by `deinit`.
///
/// Nothing here blocks: connecting, authentication and sending go on in `receive`, whenever the descriptor is ready. No
/// callback of the library is used; an answer is matched to its call by the serial number of the call.
@safe
struct BusConnection: ~Copyable {
    private var bus: OpaquePointer?
    /// Calls of others that are answered later, by their numbers. No number is used twice.
    private var unanswered: [Int: KeptMessage] = [:]
    private var calls = 0

    /// As many calls may wait for their answers.
    private static let mostUnanswered = 64

    init() { unsafe bus = nil }

    deinit { if let bus = unsafe bus { unsafe sd_bus_close_unref(bus) } }

    var isOpen: Bool { unsafe bus != nil }

    /// The name that the bus has given to it (`:1.42`); empty before the first answer.
    var uniqueName: String {
        var name: UnsafePointer<CChar>?
        guard let bus = unsafe bus, unsafe sd_bus_get_unique_name(bus, &name) >= 0 else { return "" }
        return unsafe BusReading.text(name)
    }

    /// Begins to connect.
    mutating func open(_ address: String) throws(BusProblem) {
        close()
        var made: OpaquePointer?
        guard unsafe sd_bus_new(&made) >= 0, let opened = unsafe made else { throw .absent("no memory") }
        var result = unsafe sd_bus_set_address(opened, address)
        if result >= 0 { result = unsafe sd_bus_set_bus_client(opened, 1) }
        // No peer needs to send file descriptors.
        if result >= 0 { result = unsafe sd_bus_negotiate_fds(opened, 0) }
        if result >= 0 { result = unsafe sd_bus_start(opened) }
        guard result >= 0 else {
            unsafe sd_bus_close_unref(opened)
            throw .absent("\(Printable.text(address)): \(SystemError.text(-result))")
        }
        unsafe bus = opened
    }

    mutating func close() {
        unanswered = [:]
        if let bus = unsafe bus { unsafe sd_bus_close_unref(bus) }
        unsafe bus = nil
    }

    /// What is to be waited for, and for how long: milliseconds, or -1.
    var interest: (descriptor: Int32, events: Int16, milliseconds: Int32) {
        guard let bus = unsafe bus else { return (-1, 0, -1) }
        let events = unsafe max(sd_bus_get_events(bus), 0)
        var moment: UInt64 = .max
        guard unsafe sd_bus_get_timeout(bus, &moment) >= 0, moment != .max else {
            return unsafe (sd_bus_get_fd(bus), Int16(truncatingIfNeeded: events), -1)
        }
        let now = UInt64(MonotonicClock.microseconds())
        let left = moment > now ? Int32(clamping: (moment - now) / 1000 + 1) : 0
        return unsafe (sd_bus_get_fd(bus), Int16(truncatingIfNeeded: events), left)
    }

    enum Arrival {
        /// Nothing more for now.
        case nothing
        case answer(to: UInt64, Result<BusMessage, BusProblem>)
        case signal(BusMessage)
        /// A call of others whose answer is being made: `answerLater` sends it, under this number.
        case call(Int, @Sendable (BusReplier) -> Void)
        case end
    }

    /// The next thing that arrived. Calls of others are answered with what `service` says.
    mutating func receive(_ service: (BusMessage) -> BusReply?) -> Arrival {
        while let bus = unsafe bus {
            var given: OpaquePointer?
            let result = unsafe sd_bus_process(bus, &given)
            if result < 0 { return .end }
            guard let message = unsafe given else {
                if result == 0 { return .nothing }
                continue
            }
            defer { unsafe sd_bus_message_unref(message) }
            if let arrival = unsafe decode(message, service) { return arrival }
        }
        return .end
    }

    private mutating func decode(_ message: OpaquePointer, _ service: (BusMessage) -> BusReply?) -> Arrival? {
        var type: UInt8 = 0
        unsafe sd_bus_message_get_type(message, &type)
        switch Int32(type) {
        case Int32(SD_BUS_MESSAGE_METHOD_RETURN):
            do throws(BusProblem) {
                return unsafe .answer(to: Self.answered(by: message), .success(try BusReading.message(message)))
            } catch {
                return unsafe .answer(to: Self.answered(by: message), .failure(error))
            }
        case Int32(SD_BUS_MESSAGE_METHOD_ERROR):
            let error = unsafe sd_bus_message_get_error(message)
            let name = unsafe BusReading.text(error?.pointee.name)
            let text = unsafe BusReading.text(error?.pointee.message)
            return unsafe .answer(to: Self.answered(by: message), .failure(.error(name, text)))
        case Int32(SD_BUS_MESSAGE_SIGNAL):
            // One that cannot be read is not for us.
            guard let signal = unsafe try? BusReading.message(message) else { return nil }
            return .signal(signal)
        case Int32(SD_BUS_MESSAGE_METHOD_CALL):
            let reply = unsafe (try? BusReading.message(message)).flatMap(service)
            guard case .later(let body) = reply else {
                unsafe answer(message, reply)
                return nil
            }
            guard unanswered.count < Self.mostUnanswered else {
                unsafe refuse(
                    message, "org.freedesktop.DBus.Error.LimitsExceeded", "too many calls wait for their answers")
                return nil
            }
            calls += 1
            unanswered[calls] = unsafe KeptMessage(message)
            return .call(calls, body)
        default: return nil
        }
    }

    private static func answered(by message: OpaquePointer) -> UInt64 {
        var number: UInt64 = 0
        unsafe sd_bus_message_get_reply_cookie(message, &number)
        return number
    }
}

/// A message that is kept for a while.
@safe
private final class KeptMessage {
    let message: OpaquePointer

    init(_ message: OpaquePointer) { unsafe self.message = unsafe sd_bus_message_ref(message) }

    deinit { unsafe sd_bus_message_unref(message) }
}

// MARK: - Sending

/// What a call of others is answered with.
package enum BusReply: Sendable {
    case values([BusValue])
    /// An error's name, and its text.
    case error(String, String)
    /// The answer comes later: the body is called at once, on the bus thread, and hands the work to another one. Of the
    /// calls that wait for their answers, 64 are taken; others are refused.
    case later(@Sendable (BusReplier) -> Void)
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

    /// Sends a signal, as a broadcast or to one connection.
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

    /// Answers a call that `Arrival.call` reported, unless its connection is gone.
    mutating func answerLater(_ number: Int, _ reply: BusReply?) {
        guard let kept = unanswered.removeValue(forKey: number) else { return }
        unsafe answer(kept.message, reply)
    }

    private func answer(_ call: OpaquePointer, _ reply: BusReply?) {
        guard let bus = unsafe bus, unsafe sd_bus_message_get_expect_reply(call) > 0 else { return }
        switch reply {
        case .values(let values):
            var made: OpaquePointer?
            guard unsafe sd_bus_message_new_method_return(call, &made) >= 0, let message = unsafe made else { return }
            defer { unsafe sd_bus_message_unref(message) }
            guard unsafe (try? BusWriting.append(values, to: message)) != nil else {
                return unsafe refuse(call, "org.freedesktop.DBus.Error.Failed", "the answer cannot be sent")
            }
            unsafe sd_bus_send(bus, message, nil)
        case .error(let name, let text): unsafe refuse(call, name, text)
        case .later, nil:
            unsafe refuse(call, "org.freedesktop.DBus.Error.UnknownObject", "there is nothing to call here")
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

    /// Where the system bus is.
    static func system(_ environment: [String: String]) -> Result<String, BusProblem> {
        guard let address = environment["DBUS_SYSTEM_BUS_ADDRESS"], !address.isEmpty else {
            return .success("unix:path=/run/dbus/system_bus_socket")
        }
        guard !address.utf8.contains(0), address.utf8.starts(with: "unix:".utf8) else {
            return .failure(.absent("DBUS_SYSTEM_BUS_ADDRESS is \(Printable.text(address)), and is not used"))
        }
        return .success(address)
    }

    /// As values in addresses are written.
    private static func escaped(_ value: String) -> String {
        PercentEncoding.encode(value.utf8, isUpper: false) { $0.isASCIILetterOrDigit || #"-_/.*\"#.utf8.contains($0) }
    }
}
