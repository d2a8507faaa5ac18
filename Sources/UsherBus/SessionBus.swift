internal import Dispatch
public import UsherActivation
internal import UsherScene
public import UsherSystem
internal import UsherText

/// The user's session bus: one lasting connection, made when it is first needed, and again after the bus was gone.
///
/// All calls block, no longer than their time limits, and may come from several threads. One thread speaks to the bus and
/// sleeps while there is nothing to say. What is called has answered when a call returns, so no message is lost because we
/// leave too early.
public final class SessionBus: Sendable {
    let thread: BusThread

    /// `environment` says where it is (`DBUS_SESSION_BUS_ADDRESS`, `XDG_RUNTIME_DIR`). Nothing is asked before it is needed.
    public convenience init(environment: [String: String]) { self.init(address: BusAddress.find(environment)) }

    init(address: Result<String, BusProblem>) { thread = BusThread(address: address) }

    deinit { thread.end() }

    /// Calls a method; its results.
    @discardableResult
    public func call(_ call: BusCall) throws(ActivationFailure) -> [BusValue] {
        try failing(call) { () throws(BusProblem) in try ask(call).arguments }
    }

    /// What `body` returns; its problem as one with a call.
    private func failing<Value>(
        _ call: BusCall, _ body: () throws(BusProblem) -> Value
    ) throws(ActivationFailure) -> Value {
        try Result(catching: body).mapError { $0.failure(call) }.get()
    }

    /// Calls `body` for each matching signal until the observation is released. Returns once the bus has confirmed the
    /// match rule: every signal sent after that arrives, in the order of its sender.
    ///
    /// `body` runs on the bus thread: it must not block, and should only pass the event on. It cannot call the bus.
    public func observe(
        _ match: BusMatch, _ body: @escaping @Sendable (BusEvent) -> Void
    ) throws(ActivationFailure) -> BusObservation {
        let number = thread.number()
        let call = BusCall.driver("AddMatch", [.string(match.rule)])
        do throws(BusProblem) {
            _ = try submit(until: Deadline(inMilliseconds: call.timeLimit)) { .observe(number, match, body, $0) }
            return BusObservation(thread, number)
        } catch {
            _ = thread.submit(.forget(number))
            throw error.failure(call)
        }
    }

    func ask(_ call: BusCall) throws(BusProblem) -> BusMessage {
        let deadline = Deadline(inMilliseconds: call.timeLimit)
        return try submit(until: deadline) { .call(call, $0, deadline) }
    }

    /// Gives the bus thread something to do, and waits for the answer.
    private func submit(
        until deadline: Deadline, _ job: (BusAnswer) -> BusJob
    ) throws(BusProblem) -> BusMessage {
        let answer = BusAnswer()
        guard thread.submit(job(answer)) else { throw .unsuitable("a signal handler cannot wait for an answer") }
        return try answer.wait(until: deadline).get()
    }
}

/// Signals are observed as long as it is there.
public final class BusObservation: Sendable {
    private let thread: BusThread
    private let number: Int

    init(_ thread: BusThread, _ number: Int) {
        self.thread = thread
        self.number = number
    }

    deinit { _ = thread.submit(.forget(number)) }
}

// MARK: - Applications

/// `org.freedesktop.Application` (Desktop Entry Specification 1.5, D-Bus activation).
extension SessionBus {
    private static let application = "org.freedesktop.Application"

    /// Calls a program by its name; the bus starts it where it does not run. The process returned is the one that sent
    /// the answer.
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
        // The program has answered. If it has already exited, the call still succeeded.
        let process = try? owner(of: answer.sender)
        return ApplicationStart(process: process, summary: call.summary)
    }

    public static func isApplicationName(_ name: String) -> Bool { path(of: name) != nil }

    /// `/org/gnome/TextEditor` of `org.gnome.TextEditor`; nil where that is no name.
    private static func path(of name: String) -> String? {
        guard name.utf8.count <= 255, name.utf8.contains(UInt8(ascii: ".")) else { return nil }
        var path = "/"
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "."): path += "/"
            case UInt8(ascii: "-"): path += "_"
            case _ where byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_"):
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

// MARK: - Names

extension SessionBus {
    /// The process that owns a name; nil if the name has no owner.
    public func owner(of name: String) throws(ActivationFailure) -> Int32? {
        let call = BusCall.driver("GetConnectionUnixProcessID", [.string(name)])
        do throws(BusProblem) {
            return try ask(call).arguments.first?.uint32.map { Int32(truncatingIfNeeded: $0) }
        } catch {
            if case .error("org.freedesktop.DBus.Error.NameHasNoOwner", _) = error { return nil }
            throw error.failure(call)
        }
    }

    /// Whether a name has an owner, or a service file describes how to start one.
    public func isProvided(_ name: String) throws(ActivationFailure) -> Bool {
        if try owner(of: name) != nil { return true }
        guard case .array(let names, _)? = try call(.driver("ListActivatableNames", [])).first else { return false }
        return names.contains(.string(name))
    }

    /// Waits until the name has an owner, and returns its process; nil at the deadline.
    public func wait(for name: String, until deadline: Deadline) throws(ActivationFailure) -> Int32? {
        // If the name has an owner already, no match rule is needed.
        if let process = try owner(of: name) { return process }
        let change = DispatchSemaphore(value: 0)
        let observation = try observe(.owner(of: name)) { _ in change.signal() }
        defer { withExtendedLifetime(observation) {} }
        while true {
            if let process = try owner(of: name) { return process }
            if deadline.isOver { return nil }
            _ = change.wait(timeout: .now() + .milliseconds(Int(deadline.remainingMilliseconds)))
        }
    }
}

// MARK: - Serving

// The other side: to be called.

extension SessionBus {
    /// Takes a name, and answers calls with what `body` returns; nil means that the method is unknown here. `body` runs
    /// on the bus thread and must not block. Only one name at a time. After `BusEvent.lost` it has to be called again.
    ///
    /// - Parameter waits: where another process has the name, the bus gives it to this one when that process leaves.
    /// - Returns: whether the name is had now; without `waits` anything else is an error.
    @discardableResult
    package func serve(
        _ name: String, waits: Bool = false, _ body: @escaping @Sendable (BusMessage) -> BusReply?
    ) throws(ActivationFailure) -> Bool {
        let call = BusCall.driver("RequestName", [.string(name)])
        return try failing(call) { () throws(BusProblem) in
            let service = BusService(name: name, waits: waits, body: body)
            let result = try submit(until: Deadline(inMilliseconds: call.timeLimit)) { .serve(service, $0) }
            // 1: we own it; 4: we did before; 2: we are in its queue.
            if [1, 4].contains(result.arguments.first?.uint32) { return true }
            guard waits, result.arguments.first?.uint32 == 2 else {
                throw .error(BusName.driver + ".Error.AddressInUse", "another process owns \(name)")
            }
            return false
        }
    }

    /// Answers calls of the connection itself with what `body` returns, as `serve` of a name does.
    ///
    /// - Returns: the unique name of the connection.
    func serve(_ body: @escaping @Sendable (BusMessage) -> BusReply?) throws(ActivationFailure) -> String {
        let call = BusCall.driver("GetId", [])
        return try failing(call) { () throws(BusProblem) in
            let service = BusService(name: nil, body: body)
            let result = try submit(until: Deadline(inMilliseconds: call.timeLimit)) { .serve(service, $0) }
            return result.arguments.first?.string ?? ""
        }
    }

    /// Sends a signal, as a broadcast or to one connection.
    package func emit(_ signal: BusMessage, to destination: String? = nil) throws(ActivationFailure) {
        let call = BusCall(destination ?? "all connections", signal.path, signal.interface, signal.member)
        _ = try failing(call) { () throws(BusProblem) in
            try submit(until: Deadline(inMilliseconds: 5000)) { .emit(signal, destination, $0) }
        }
    }
}
