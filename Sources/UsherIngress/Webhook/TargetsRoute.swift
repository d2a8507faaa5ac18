internal import Dispatch
internal import Synchronization
public import UsherEngine
public import UsherHTTP
internal import UsherJSON
internal import UsherPayload

/// `POST /v1/targets/build`, `match` and `lint`: one JSON text, or one a line.
///
/// One that is no request is refused; of lines each has its error in its place. A request has at most 1 MiB and 1000 lines,
/// and 16 MiB of them wait: the client needs no token.
public struct TargetsRoute: Sendable {
    /// Pure work, but a body may hold much of it: not for the server's thread.
    private let queue = DispatchQueue(label: "usher.targets")
    private let requests: @Sendable () -> TargetRequests
    private let waiting = Waiting()

    public static let bodyLimit = 1 << 20
    static let lineLimit = 1000
    /// The longest answer, in bytes.
    static let answerLimit = 4 << 20

    /// Bytes of the bodies that wait for their turn.
    private final class Waiting: Sendable {
        private let bytes = Atomic<Int>(0)

        func add(_ count: Int) -> Bool {
            guard bytes.add(count, ordering: .relaxed).newValue <= 16 << 20 else {
                remove(count)
                return false
            }
            return true
        }

        func remove(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
    }

    /// - Parameter requests: by the configuration of the moment.
    public init(_ requests: @escaping @Sendable () -> TargetRequests) { self.requests = requests }

    /// - Parameter verb: `build`, `match` or `lint`.
    public func handle(_ verb: String, _ request: HTTPRequest, _ responder: any HTTPResponder) {
        do throws(Refusal) {
            let type = try MediaType(of: request)
            if type == .form, case .internet = request.peer.address { throw MediaType.refusal(of: request) }
            guard waiting.add(request.body.count) else { throw Refusal.targetsBusy }
            queue.async { [requests, waiting] in
                defer { waiting.remove(request.body.count) }
                do throws(Refusal) {
                    responder.respond(try TargetsRoute.answer(verb, request.body, type, requests()))
                } catch {
                    responder.respond(error.response())
                }
            }
        } catch {
            responder.respond(error.response())
        }
    }

    private static func answer(
        _ verb: String, _ body: [UInt8], _ type: MediaType, _ requests: TargetRequests
    ) throws(Refusal) -> HTTPResponse {
        guard type == .lines else {
            let answer = answer(verb, .success(body), requests)
            // What no template fits is an answer, and what cannot be built is none.
            if let error = answer.error, answer.isMalformed || verb == "build" {
                return error.response(status: answer.isMalformed ? 400 : 422)
            }
            return HTTPResponse(200, type: "application/json", body: answer.bytes + [0x0A])
        }
        var lines: [UInt8] = []
        var count = 0
        var splitter = JSONStreamSplitter(limit: bodyLimit)
        var document = JSONDocument()
        splitter.push(body)
        splitter.finish()
        while let text = splitter.next(into: &document) {
            count += 1
            guard count <= lineLimit else {
                throw .batch(limit: lineLimit, of: "lines", help: "send them in several requests")
            }
            let reading: Result<[UInt8], PayloadError> =
                text.isTooLong ? .failure(.tooLongLine) : .success(Array(text.bytes[text.range]))
            lines += answer(verb, reading, requests).bytes
            lines.append(0x0A)
            guard lines.count <= answerLimit else {
                throw .batch(limit: answerLimit, of: "bytes in the answer", help: "send the lines in several requests")
            }
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
