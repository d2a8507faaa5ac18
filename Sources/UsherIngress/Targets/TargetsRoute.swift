internal import Dispatch
internal import UsherConfiguration
public import UsherDispatch
public import UsherHTTP
internal import UsherPayload

/// `POST /v1/targets/build`, `match` and `lint`: one JSON text, or one a line.
///
/// One that is no request is refused; of lines each has its error in its place.
public struct TargetsRoute: Sendable {
    /// Pure work, but a body may hold much of it: not for the server's thread.
    private let queue = DispatchQueue(label: "usher.targets")
    private let requests: @Sendable () -> TargetRequests

    /// - Parameter requests: by the configuration of the moment.
    public init(_ requests: @escaping @Sendable () -> TargetRequests) { self.requests = requests }

    /// - Parameter verb: `build`, `match` or `lint`.
    public func handle(_ verb: String, _ request: HTTPRequest, _ responder: any HTTPResponder) {
        do throws(Refusal) {
            let type = try MediaType(of: request)
            queue.async { [requests] in
                responder.respond(TargetsRoute.answer(verb, request.body, type, requests()))
            }
        } catch {
            responder.respond(error.response())
        }
    }

    private static func answer(
        _ verb: String, _ body: [UInt8], _ type: MediaType, _ requests: TargetRequests
    ) -> HTTPResponse {
        guard type == .lines else {
            let answer = answer(verb, .success(body), requests)
            // What no template fits is an answer, and what cannot be built is none.
            if let error = answer.error, answer.isMalformed || verb == "build" {
                return error.response(status: answer.isMalformed ? 400 : 422)
            }
            return HTTPResponse(200, type: "application/json", body: answer.bytes + [0x0A])
        }
        var lines: [UInt8] = []
        var splitter = JSONLinesSplitter(limit: 1 << 20)
        splitter.push(body)
        splitter.finish()
        while let line = splitter.next() {
            let reading: Result<[UInt8], PayloadError> =
                switch line.content {
                case .text(let bytes, let range): .success(Array(bytes[range]))
                case .tooLong: .failure(.tooLongLine)
                }
            lines += answer(verb, reading, requests).bytes
            lines.append(0x0A)
        }
        return HTTPResponse(200, type: "application/x-ndjson", body: lines)
    }

    private static func answer(
        _ verb: String, _ line: Result<[UInt8], PayloadError>, _ requests: TargetRequests
    ) -> TargetRequests.Answer {
        switch (verb, line) {
        case ("build", .success(let bytes)): requests.build(bytes)
        case ("build", .failure(let error)): requests.refusedBuild(error)
        case ("match", .success(let bytes)): requests.match(bytes)
        case ("match", .failure(let error)): requests.refusedMatch(error)
        case (_, .success(let bytes)): requests.lint(bytes)
        case (_, .failure(let error)): requests.refusedLint(error)
        }
    }
}
