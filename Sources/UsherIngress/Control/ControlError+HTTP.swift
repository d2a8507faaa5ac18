internal import UsherControl
internal import UsherHTTP
internal import UsherJSON
internal import UsherScene

extension ControlError {
    /// The status of an answer that says this error.
    var httpStatus: Int {
        switch code {
        case .noSuchSession, .controlNoDelivery, .controlRoute: 404
        case .storeSessionTaken, .controlDeliveryState: 409
        case .daemonReload: 422
        case .controlBusy: 429
        case .daemonStopping: 503
        case let code where code.code.hasPrefix("U4"): 503
        default: 400
        }
    }

    /// The answer: `application/problem+json` (RFC 9457) with our `error`.
    func response(status: Int? = nil, fields: [HTTPFields.Field] = []) -> HTTPResponse {
        let status = status ?? httpStatus
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        json.member("type", "about:blank")
        json.member("title", ControlError.titles[status] ?? "Error")
        json.member("status", status)
        json.key("error")
        write(to: &json)
        json.endObject()
        json.newline()
        var response = HTTPResponse(status, type: "application/problem+json", body: json.bytes)
        if status == 429 || status == 503 { response.fields.append("Retry-After", "1") }
        for field in fields { response.fields.append(field.name, field.value) }
        return response
    }

    private static let titles = [
        400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 409: "Conflict",
        415: "Unsupported Media Type", 422: "Unprocessable Content", 429: "Too Many Requests",
        503: "Service Unavailable",
    ]
}
