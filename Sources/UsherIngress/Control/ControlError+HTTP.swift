internal import UsherEngine
internal import UsherFeatures
internal import UsherHTTP
internal import UsherOperation
internal import UsherScene

extension ControlError {
    /// The status of an answer that says this error.
    var httpStatus: Int {
        switch code {
        case .noSuchSession, .noApp, .sceneUnknown, .shortcutUnknownType, .controlNoDelivery, .controlRoute,
            .sceneHandleGone:
            404
        case .storeSessionTaken, .storeConditions, .controlDeliveryState, .shortcutStatic, .sceneSingle, .sceneLimit,
            .sceneNoWindow, .answerNotWaiting, .answerGiven:
            409
        case .contentDeleted: 410
        case .shortcutTooMany, .shortcutTooLarge: 413
        case .daemonReload: 422
        case .controlBusy, .answerTooMany: 429
        case .daemonStopping: 503
        // The other codes of the store say that it cannot be used now.
        default: code.featureStatus ?? (code.code.hasPrefix("U4") && !code.code.hasPrefix("U45") ? 503 : 400)
        }
    }

    /// The answer: `application/problem+json` (RFC 9457) with our `error`.
    func response(status: Int? = nil, fields: [HTTPFields.Field] = []) -> HTTPResponse {
        let status = status ?? httpStatus
        var response = HTTPProblem.response(
            status: status, detail: message, help: help, code: code.code
        ) { write(to: &$0) }
        response.body.append(0x0A)
        if status == 429 || status == 503 { response.fields.append("Retry-After", "1") }
        for field in fields { response.fields.append(field.name, field.value) }
        return response
    }
}
