internal import UsherDispatch
internal import UsherHTTP
internal import UsherOperation
internal import UsherScene

extension ControlError {
    /// The status of an answer that says this error.
    var httpStatus: Int {
        switch code {
        case .noSuchSession, .controlNoDelivery, .controlRoute, .interactionNoSuch, .reminderNoSuch: 404
        case .storeSessionTaken, .storeConditions, .controlDeliveryState: 409
        case .contentDeleted: 410
        case .daemonReload: 422
        case .controlBusy: 429
        case .daemonStopping: 503
        case let code where code.code.hasPrefix("U4"): ControlError.contentStatus(code)
        default: 400
        }
    }

    /// What is about activities, notes, links and redirects has numbers of its own among the store's.
    private static func contentStatus(_ code: DiagnosticCode) -> Int {
        switch code.name {
        case "activity.no-such-activity", "activity.none", "note.no-such-note", "note.none-in-progress",
            "link.no-such-link", "redirect.none", "undo.nothing":
            404
        case "redirect.taken", "redirect.loop", "redirect.too-long", "note.changed-meanwhile", "activity.session-lost",
            "activity.busy", "undo.conflict":
            409
        case "redirect.deleted": 410
        case "activity.too-large": 413
        default: code.code.hasPrefix("U45") ? 400 : 503
        }
    }

    /// The answer: `application/problem+json` (RFC 9457) with our `error`.
    func response(status: Int? = nil, fields: [HTTPFields.Field] = []) -> HTTPResponse {
        let status = status ?? httpStatus
        var response = HTTPProblem.response(status: status, detail: message, help: help) { write(to: &$0) }
        response.body.append(0x0A)
        if status == 429 || status == 503 { response.fields.append("Retry-After", "1") }
        for field in fields { response.fields.append(field.name, field.value) }
        return response
    }
}
