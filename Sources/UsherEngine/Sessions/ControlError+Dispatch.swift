public import UsherOperation
internal import UsherPredicate
internal import UsherScene
public import UsherStore
internal import UsherText

extension ControlError {
    /// A condition that does not parse.
    ///
    /// - Parameter name: the member that it was given as: `can` or `prefers`.
    static func condition(_ error: PredicateError, in text: String, name: String) -> ControlError {
        ControlError(
            .controlCondition, error.message, at: "/\(name)", offset: error.offset,
            help: error.hint
                ?? (error.expected.isEmpty ? nil : "expected \(error.expected.joined(separator: " or "))"),
            excerpt: CaretText.lines(text, offset: error.offset, length: error.length))
    }

    public init(_ error: StoreError) {
        self.init(error.code, "\(error.path): \(error.message) [\(error.code)]", help: error.help)
    }

    /// The value of a transaction, or a look, of the store.
    package static func storing<Result>(
        _ value: @autoclosure () throws(StoreError) -> Result
    ) throws(ControlError) -> Result {
        do throws(StoreError) {
            return try value()
        } catch {
            throw ControlError(error)
        }
    }

    /// Why a payload has no answer when the daemon stops.
    package static let leftForLater = ControlError(
        .daemonStopping, "usherd stops: the request is in its journal, and goes on when it runs again",
        help: "usher deliveries list shows what becomes of it", status: .finding)

    static func session(_ message: String, at: String? = nil, help: String? = nil) -> ControlError {
        ControlError(.controlSession, message, at: at, help: help)
    }

    public static func noDelivery(_ id: String) -> ControlError {
        ControlError(
            .controlNoDelivery, "there is no delivery \(QuotedText.text(id))",
            help: "usher deliveries list shows the last ones")
    }
}
