/// The description of the daemon's HTTP interface, served as `/openapi.json`.
///
/// OpenAPI 3.1.1 (https://spec.openapis.org/oas/v3.1.1.html), whose schemas are JSON Schema 2020-12. The control
/// interface is described by the operation table, and what is answered by the types of answers; the other paths are
/// written by hand.
public enum OpenAPIDocument {
    /// The document, for `application/json`.
    public static let json: [UInt8] = {
        let components = [
            securitySchemes, parameters, headers, responses,
            "\"schemas\": {\n\(text(schemas(with: control.answers) + control.bodies))\n}",
        ].joined(separator: ",\n")
        let paths = "\(otherPaths),\n\(text(control.paths))"
        return Array("{\(information),\n\"paths\": {\n\(paths)\n},\n\"components\": {\n\(components)\n}}\n".utf8)
    }()

    private static let control = OperationPaths()

    /// One thing that can be asked of the daemon.
    public struct Operation: Sendable, Hashable, CustomStringConvertible {
        public var method: String
        /// With its parameters in braces: `/v1/deliveries/{id}`.
        public var path: String

        public init(_ method: String, _ path: String) {
            self.method = method
            self.path = path
        }

        public var description: String { "\(method) \(path)" }
    }

    /// Every operation of the document, to compare it with what is served.
    public static let paths: [Operation] =
        [
            Operation("POST", "/v1/notifications"), Operation("POST", "/hooks/{name}"),
            Operation("POST", "/v1/targets/build"), Operation("POST", "/v1/targets/match"),
            Operation("POST", "/v1/targets/lint"), Operation("GET", "/healthz"), Operation("GET", "/metrics"),
            Operation("GET", "/openapi.json"),
        ] + control.addresses

    static let information = #"""
        "openapi": "3.1.1",
        "info": {
          "title": "Usher",
          "version": "1",
          "summary": "Shows a notification's content in the window that wants it.",
          "description": "Payloads and hooks come in through POST /v1/notifications and POST /hooks/{name}; scenes, deliveries, records, activities, notes and links are the control interface. Everything is answered over the daemon's Unix socket without a token (mode 0600, and the peer's user is checked), and over TCP with one. A request with a Host that is not the daemon's is refused with 421, and one with an Origin that is not allowed with 403. A request that breaks a limit is answered 429 with Retry-After.",
          "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"}
        },
        "servers": [{"url": "/", "description": "This daemon"}],
        "security": [{"bearer": []}, {}],
        "tags": [
          {"name": "notifications", "description": "Payloads from any sender"},
          {"name": "deliveries", "description": "What became of payloads"},
          {"name": "scene", "description": "The windows that applications register"},
          {"name": "activity", "description": "What windows show, as user activities"},
          {"name": "note", "description": "Notes, which lead back to content"},
          {"name": "link", "description": "From notes to content, and where content went"},
          {"name": "target", "description": "Target content identifiers"},
          {"name": "daemon", "description": "Health, metrics, configuration"}
        ]
        """#
}
