import Foundation
import Synchronization
import UsherHTTP

/// Answers by path, at once or from another thread, and takes note of the lines it gets.
final class SampleHandler: HTTPHandler {
    let bodyLimit: Int
    let handled = Atomic<Int>(0)
    let streams = Mutex<[any HTTPStream]>([])
    let lineConnections = Mutex<[any LineConnection]>([])
    /// `/stream-late` begins when this is signalled.
    let late = DispatchSemaphore(value: 0)
    let lines = Mutex<[String]>([])
    let lineEnds = Atomic<Int>(0)

    init(bodyLimit: Int = 64 * 1024) { self.bodyLimit = bodyLimit }

    func admit(_ request: HTTPRequest) -> HTTPAdmission {
        request.path == "/refused"
            ? .refuse(HTTPResponse(401, type: "text/plain", body: Array("no".utf8)))
            : .accept(
                bodyLimit: ["/large", "/held", "/released"].contains(request.path) ? 16 << 20 : bodyLimit,
                account: account(of: request))
    }

    /// The field `Client` names the client; one with the field `Proven` is authenticated.
    private func account(of request: HTTPRequest) -> HTTPBodyAccount {
        if case .local = request.peer.address { return .local }
        return request.fields["Proven"] == nil ? .unproven(client: request.fields["Client"] ?? "") : .proven
    }

    func handle(_ request: HTTPRequest, _ responder: any HTTPResponder) {
        handled.add(1, ordering: .relaxed)
        switch request.path {
        case "/echo": responder.respond(HTTPResponse(200, type: "text/plain", body: request.body))
        case "/count":
            responder.respond(HTTPResponse(200, type: "text/plain", body: Array("\(request.body.count)".utf8)))
        case "/later":
            let body = Array("later \(request.query ?? "")".utf8)
            let delay = useconds_t.random(in: 0...20_000)
            Thread.detachNewThread {
                usleep(delay)
                responder.respond(HTTPResponse(200, type: "text/plain", body: body))
            }
        case "/twice":
            responder.respond(HTTPResponse(200, type: "text/plain", body: Array("once".utf8)))
            responder.respond(HTTPResponse(200, type: "text/plain", body: Array("twice".utf8)))
        case "/never", "/held": break
        case "/released": responder.releaseBody()
        case "/stream":
            let stream = responder.stream(HTTPResponse(200, type: "text/event-stream", body: []))
            streams.withLock { $0.append(stream) }
        case "/stream-late":
            Thread.detachNewThread { [self] in
                late.wait()
                let stream = responder.stream(HTTPResponse(200, type: "text/event-stream", body: []))
                streams.withLock { $0.append(stream) }
            }
        case "/split":
            // A value from outside that would end the line.
            var response = HTTPResponse(200)
            response.fields.append("X-Value", "a\r\nX-Evil: b")
            response.fields.append("Bad Name", "c")
            response.fields.append("Content-Length", "999")
            responder.respond(response)
        case "/empty": responder.respond(HTTPResponse(204))
        case "/peer": responder.respond(HTTPResponse(200, type: "text/plain", body: Array("\(request.peer)".utf8)))
        case "/fields":
            let text = request.fields.fields.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
            responder.respond(HTTPResponse(200, type: "text/plain", body: Array("\(request.target) \(text)".utf8)))
        case "/bulk":
            responder.respond(HTTPResponse(200, type: "text/plain", body: Array(repeating: 0x61, count: 1 << 20)))
        default:
            responder.respond(HTTPResponse(202, type: "application/json", body: Array(#"{"status":"accepted"}"#.utf8)))
        }
    }

    func openLines(_ peer: HTTPPeer, _ connection: any LineConnection) -> any LineReceiver {
        lineConnections.withLock { $0.append(connection) }
        return Receiver(handler: self, connection: connection)
    }

    /// Answers each line with itself.
    struct Receiver: LineReceiver {
        let handler: SampleHandler
        let connection: any LineConnection

        func receive(_ line: [UInt8]) {
            handler.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            connection.send(line + [0x0A])
        }

        func end() {
            handler.lineEnds.add(1, ordering: .relaxed)
            connection.close()
        }
    }
}
