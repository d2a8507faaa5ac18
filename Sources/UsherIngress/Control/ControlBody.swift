internal import UsherHTTP
internal import UsherJSON
internal import UsherOperation
internal import UsherText

/// Bodies of the control door: requests in, and commands' results as answers.
enum ControlBody {
    // MARK: Requests

    /// Why a body is not read at all: its media type.
    static func refusal(of request: HTTPRequest, on route: ControlRoute) -> HTTPResponse? {
        guard route.takesBody(request.method), !request.body.isEmpty else { return nil }
        let taken = route == .sessions ? [json] + lines : [json]
        guard !taken.contains(mediaType(request) ?? "") else { return nil }
        let error = ControlError(
            .controlArgument,
            "the body is \(request.fields["Content-Type"].map { QuotedText.text($0) } ?? "of no media type"),"
                + " and \(taken.joined(separator: " or ")) is read here",
            help: "send Content-Type: \(json)")
        return error.response(status: 415, fields: [.init("Accept", taken.joined(separator: ", "))])
    }

    private static let json = "application/json"
    private static let lines = ["application/x-ndjson", "application/jsonl"]

    /// In lower case, without parameters.
    private static func mediaType(_ request: HTTPRequest) -> String? {
        guard let field = request.fields["Content-Type"] else { return nil }
        let type = field.prefix { $0 != ";" }
        return type.split(separator: " ").joined().lowercased()
    }

    /// One session, an array of them, or one a line.
    static func sessionRequests(_ request: HTTPRequest) throws(ControlError) -> [SessionRequest] {
        if lines.contains(mediaType(request) ?? "") {
            var requests: [SessionRequest] = []
            for line in request.body.split(separator: 0x0A) where line.contains(where: { $0 > 0x20 }) {
                requests.append(try SessionRequest(reading: try value(Array(line)), at: "/\(requests.count)"))
            }
            return requests
        }
        let value = try value(request.body)
        guard let elements = value.elements else { return [try SessionRequest(reading: value)] }
        var requests: [SessionRequest] = []
        for (index, element) in elements.enumerated() {
            requests.append(try SessionRequest(reading: element, at: "/\(index)"))
        }
        return requests
    }

    /// What is to change; nothing where there is no body.
    static func update(_ request: HTTPRequest) throws(ControlError) -> SessionUpdate {
        request.body.isEmpty ? SessionUpdate() : try SessionUpdate(reading: try value(request.body))
    }

    private static func value(_ bytes: [UInt8]) throws(ControlError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, maximumDepth: 16)
        } catch {
            throw ControlError(
                .controlArgument, "the body is not JSON: \(error.message)", at: error.pointer, offset: error.offset)
        }
    }

    // MARK: Answers

    /// How a result becomes an answer.
    enum Shape {
        case plain
        /// The one session of the result, new.
        case connected
        /// Every session of the result, new.
        case connectedList
        /// The one session of the result.
        case changed
        case content(HTTPForm)

        init(of command: ControlCommand, in request: HTTPRequest) {
            switch command {
            case .connect:
                let first = request.body.first { $0 > 0x20 }
                let isList = first == UInt8(ascii: "[") || ControlBody.lines.contains(mediaType(request) ?? "")
                self = isList ? .connectedList : .connected
            case .update, .activate, .disconnect, .close: self = .changed
            default: self = .plain
            }
        }

        var isOneNew: Bool { if case .connected = self { true } else { false } }

        func response(_ json: [UInt8]) -> HTTPResponse {
            switch self {
            case .plain: return ControlBody.response(200, json)
            case .content(let form): return ControlBody.response(json, form)
            case .connectedList:
                // As it is: sessions, and warnings with their index.
                return ControlBody.response(201, json)
            case .connected, .changed:
                guard let value = try? JSONValue(parsing: json) else { return ControlBody.response(200, json) }
                let warnings: [JSONValue]
                var session: JSONValue
                if isOneNew {
                    session = value["sessions"]?.elements?.first ?? .null
                    warnings = (value["warnings"]?.elements ?? []).compactMap { $0["message"] }
                } else {
                    session = value["session"] ?? .null
                    warnings = value["warnings"]?.elements ?? []
                }
                if case .object(let members) = session, !warnings.isEmpty {
                    session = .object(members + [.init("warnings", .array(warnings))])
                }
                var writer = JSONWriter(escaping: .minimal)
                writer.value(session)
                var response = ControlBody.response(isOneNew ? 201 : 200, writer.bytes)
                if isOneNew, let id = session["id"]?.string {
                    response.fields.append("Location", "/v1/scenes/\(ControlBody.encoded(id))")
                }
                return response
            }
        }
    }

    /// 201 and where it is for what was made, else 200.
    private static func response(_ json: [UInt8], _ form: HTTPForm) -> HTTPResponse {
        guard let made = form.made else { return response(200, json) }
        let value = try? JSONValue(parsing: json)
        // The same redirect again changes nothing.
        let isNew = value?["is_new"]?.boolean ?? true
        var answer = response(isNew ? 201 : 200, json)
        if let id = made.members.reduce(value, { $0?[$1] })?.string {
            answer.fields.append("Location", made.path + encoded(id))
        }
        return answer
    }

    static func response(_ status: Int, _ json: [UInt8]) -> HTTPResponse {
        HTTPResponse(status, type: ControlBody.json, body: json + [0x0A])
    }

    /// A segment of a path (RFC 3986, 3.3).
    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
