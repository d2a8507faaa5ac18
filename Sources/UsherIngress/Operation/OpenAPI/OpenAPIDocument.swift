/// The description of the daemon's HTTP interface, served as `/openapi.json`.
///
/// OpenAPI 3.1.1 (https://spec.openapis.org/oas/v3.1.1.html), whose schemas are JSON Schema 2020-12. The text is written by
/// hand and in parts: paths by subject, and what they share.
public enum OpenAPIDocument {
    /// The document, for `application/json`.
    public static let json: [UInt8] = {
        let paths = [
            notificationPaths, deliveryPaths, scenePaths, activityPaths, notePaths, linkPaths, targetPaths, daemonPaths,
        ].joined(separator: ",\n")
        let components = [securitySchemes, parameters, headers, responses, schemas].joined(separator: ",\n")
        return Array("{\(information),\n\"paths\": {\n\(paths)\n},\n\"components\": {\n\(components)\n}}\n".utf8)
    }()

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

    /// Every operation of the document, for those who compare it with what is served.
    public static let paths: [Operation] = [
        Operation("POST", "/v1/notifications"),
        Operation("POST", "/hooks/{name}"),
        Operation("GET", "/v1/deliveries"),
        Operation("GET", "/v1/deliveries/{id}"),
        Operation("DELETE", "/v1/deliveries/{id}"),
        Operation("POST", "/v1/deliveries/{id}/retry"),
        Operation("GET", "/v1/records"),
        Operation("GET", "/v1/scenes"),
        Operation("POST", "/v1/scenes"),
        Operation("GET", "/v1/scenes/{id}"),
        Operation("PATCH", "/v1/scenes/{id}"),
        Operation("DELETE", "/v1/scenes/{id}"),
        Operation("POST", "/v1/scenes/{id}/activate"),
        Operation("POST", "/v1/scenes/{id}/disconnect"),
        Operation("POST", "/v1/scenes/{id}/close"),
        Operation("GET", "/v1/activities"),
        Operation("POST", "/v1/activities"),
        Operation("GET", "/v1/activities/current"),
        Operation("GET", "/v1/activities/{id}"),
        Operation("GET", "/v1/scenes/{id}/activity"),
        Operation("PATCH", "/v1/scenes/{id}/activity"),
        Operation("DELETE", "/v1/scenes/{id}/activity"),
        Operation("GET", "/v1/notes"),
        Operation("POST", "/v1/notes"),
        Operation("GET", "/v1/notes/{id}"),
        Operation("PATCH", "/v1/notes/{id}"),
        Operation("DELETE", "/v1/notes/{id}"),
        Operation("POST", "/v1/notes/{id}/aside"),
        Operation("POST", "/v1/notes/{id}/resume"),
        Operation("POST", "/v1/notes/{id}/done"),
        Operation("POST", "/v1/notes/{id}/attachments"),
        Operation("GET", "/v1/links"),
        Operation("POST", "/v1/links"),
        Operation("GET", "/v1/links/{id}"),
        Operation("DELETE", "/v1/links/{id}"),
        Operation("GET", "/v1/suggestions"),
        Operation("GET", "/v1/redirects"),
        Operation("POST", "/v1/redirects"),
        Operation("DELETE", "/v1/redirects"),
        Operation("POST", "/v1/explain"),
        Operation("POST", "/v1/targets/build"),
        Operation("POST", "/v1/targets/match"),
        Operation("POST", "/v1/targets/lint"),
        Operation("POST", "/v1/reload"),
        Operation("GET", "/v1/status"),
        Operation("GET", "/healthz"),
        Operation("GET", "/metrics"),
        Operation("GET", "/openapi.json"),
    ]

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
          {"name": "notifications", "description": "Payloads from anybody"},
          {"name": "deliveries", "description": "What became of them"},
          {"name": "scenes", "description": "The windows that applications register"},
          {"name": "activities", "description": "What windows show, as user activities"},
          {"name": "notes", "description": "Notes, which lead back to content"},
          {"name": "links", "description": "From notes to content, and where content went"},
          {"name": "targets", "description": "Target content identifiers"},
          {"name": "daemon", "description": "Health, metrics, configuration"}
        ]
        """#
}
