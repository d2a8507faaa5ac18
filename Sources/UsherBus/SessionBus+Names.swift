internal import Dispatch
public import UsherActivation
public import UsherSystem

extension SessionBus {
    /// The process that has a name; nil where nobody has it.
    public func owner(of name: String) throws(ActivationFailure) -> Int32? {
        let call = BusCall.driver("GetConnectionUnixProcessID", [.string(name)])
        do throws(BusProblem) {
            return try ask(call).arguments.first?.uint32.map { Int32(truncatingIfNeeded: $0) }
        } catch {
            if case .error("org.freedesktop.DBus.Error.NameHasNoOwner", _) = error { return nil }
            throw error.failure(call)
        }
    }

    /// Whether somebody has a name, or a service file says how to start who would have it.
    public func isProvided(_ name: String) throws(ActivationFailure) -> Bool {
        if try owner(of: name) != nil { return true }
        let call = BusCall.driver("ListActivatableNames", [])
        do throws(BusProblem) {
            guard case .array(let names, _)? = try ask(call).arguments.first else { return false }
            return names.contains(.string(name))
        } catch {
            throw error.failure(call)
        }
    }

    /// Comes back when somebody has the name, or at the deadline; the process.
    public func wait(for name: String, until deadline: Deadline) throws(ActivationFailure) -> Int32? {
        // Who has it at once costs no match rule.
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
