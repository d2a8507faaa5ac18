internal import UsherSystem

/// Why a server cannot begin.
public struct HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
    public var code: HTTPProblem.Code
    /// The label of the listener.
    public var listener: String
    public var message: String
    /// The errno, where there was one.
    public var systemError: Int32?

    public var description: String { "\(code.code) \(code.name): \(message)" }

    static func cannotListen(_ listener: HTTPServer.Listener, _ error: Int32) -> HTTPServerError {
        let place =
            switch listener.endpoint {
            case .internet(let host, let port): host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .local(let path): path
            case .inherited(let descriptor): "descriptor \(descriptor)"
            }
        return HTTPServerError(
            code: .cannotListen, listener: listener.label,
            message: "cannot listen on \(place): \(SystemError.text(error))", systemError: error)
    }

    static func certificate(_ listener: HTTPServer.Listener, _ problem: TLSError) -> HTTPServerError {
        HTTPServerError(code: .certificate, listener: listener.label, message: problem.message)
    }

    static func noEventLoop(_ error: Int32) -> HTTPServerError {
        HTTPServerError(
            code: .cannotListen, listener: "", message: "cannot watch descriptors: \(SystemError.text(error))",
            systemError: error)
    }
}
