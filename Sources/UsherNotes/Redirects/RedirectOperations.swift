internal import UsherEngine
internal import UsherOperation
internal import UsherScene
internal import UsherStore

extension OperationContext {
    func reason(_ given: String?) throws(ControlError) -> String? {
        guard let reason = given, !reason.isEmpty else { return nil }
        try RedirectReason.check(reason, at: "/reason")
        return reason
    }

    func changed(
        _ body: () throws(StoreError) -> Result<Store.RedirectChange, Diagnostic>
    ) throws(ControlError) -> Store.RedirectChange {
        switch try storing(body) {
        case .success(let change): return change
        case .failure(let refusal): throw ControlError(refusal)
        }
    }

}

/// Why content moved or was deleted, as it is given.
enum RedirectReason {
    /// In bytes. There is a limit because every delivery reports it.
    private static let longest = 1000

    /// Throws for a reason that no redirect can have.
    static func check(_ reason: String, at place: String) throws(ControlError) {
        guard reason.utf8.count <= longest, !reason.utf8.contains(0) else {
            throw .argument(
                reason.utf8.contains(0)
                    ? "reason has a NUL" : "reason has \(reason.utf8.count) bytes, and a thousand are the most",
                at: place, help: "say it in a sentence")
        }
    }
}
