internal import Glibc
internal import UsherActivation
internal import UsherSystem

extension SwayWindowSystem {
    /// A problem in words.
    func failure(_ problem: SwayProblem) -> ActivationFailure {
        let path = place.path
        switch problem {
        case .gone(let window): return .windowGone(window)
        case .noSocket:
            return .windowSystem(name, "no compositor is named here", help: "sway sets SWAYSOCK for what it starts")
        case .unreachable(ECONNREFUSED), .unreachable(ENOENT):
            return .windowSystem(
                name, "no compositor answers at \(path): it has ended",
                help: "SWAYSOCK is left over from an earlier session: start usherd within the one that runs")
        case .unreachable(EAGAIN), .silent:
            return .windowSystem(name, "the compositor at \(path) does not answer")
        case .unreachable(let code):
            return .windowSystem(name, "its socket cannot be used: \(SystemError.text(code)): \(path)")
        case .ended: return .windowSystem(name, "the compositor went away")
        case .garbled(let what): return .windowSystem(name, "\(path) speaks another language: \(what)")
        case .refused(let what): return .windowSystem(name, what)
        case .ambiguous(let paths):
            return .windowSystem(
                name, "no compositor answers at \(path), and several others run: \(paths.joined(separator: ", "))",
                help: "SWAYSOCK says which one")
        }
    }
}
