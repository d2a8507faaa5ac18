public import UsherHTTP
public import UsherHook

extension HookRequest {
    /// - Parameter origin: scheme and authority by which the sender reaches the hook.
    public init(_ request: HTTPRequest, origin: String) {
        self.init(
            method: request.method, path: String(request.path), query: request.query.map(String.init),
            headers: request.fields.fields.map { Header($0.name, $0.value) }, body: request.body, origin: origin)
    }
}
