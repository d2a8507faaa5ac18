public import UsherJSON

/// Operations, by their names.
public struct OperationTable: Sendable {
    /// In the order of the reference.
    public let all: [AnyOperation]
    private let byName: [String: AnyOperation]

    public init(_ types: [any Call.Type]) {
        all = types.map(AnyOperation.init)
        byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    public func operation(named name: String) -> AnyOperation? { byName[name] }

    /// Reads a request's arguments.
    ///
    /// - Parameter place: the JSON pointer of the arguments, for errors.
    public func call(
        _ name: String, _ arguments: JSONValue?, at place: String
    ) throws(ControlError) -> any Call {
        guard let operation = byName[name] else {
            let known = all.map(\.name)
            throw .unknown(
                .controlCommand, "command", name, among: known, at: "/command",
                otherwise: "there is: \(known.joined(separator: ", "))")
        }
        let isStream = operation.type == DispatchPayload.self && arguments?["stream"] != nil
        let type: any Call.Type = isStream ? DispatchStream.self : operation.type
        return try type.init(reading: arguments, at: place)
    }
}
