internal import Glibc
internal import UsherActivation

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
            return .windowSystem(name, "its socket cannot be used: \(SwayError.text(code)): \(path)")
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

/// The system's own words for an error number.
private enum SwayError {
    static func text(_ code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        _ = unsafe strerror_r(code, &buffer, buffer.count)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
