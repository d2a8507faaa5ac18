internal import UsherJSON
public import UsherText

/// A request to a hook: the parts that signatures, conditions and values look at.
public struct HookRequest: Sendable, Hashable {
    public struct Header: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public var method: String
    /// The path of the request target, not decoded.
    public var path: String
    /// What follows the first `?` of the request target, not decoded; nil where there is none.
    public var query: String?
    /// In the order in which they came.
    public var headers: [Header]
    /// The bytes of the body, as they came.
    public var body: [UInt8]
    /// Scheme and authority by which the sender reaches this hook, without a slash at the end: `https://hooks.example`.
    public var origin: String
    /// Whether it came over the Unix socket, where a body without a Content-Type counts as JSON.
    public var isLocal: Bool
    /// Whether the sender is authenticated: by a signature, by a token, or by the Unix socket. Then JSON is read as such although its
    /// Content-Type says that it is a form, which web pages can send without asking.
    public var isAuthenticated = true

    public init(
        method: String = "POST", path: String, query: String? = nil, headers: [Header] = [], body: [UInt8] = [],
        origin: String = "http://localhost", isLocal: Bool = false
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.origin = origin
        self.isLocal = isLocal
    }

    /// The values of all headers of that name, in order. Names are compared without the case of ASCII letters.
    public func values(ofHeader name: String) -> [String] {
        headers.filter { HookRequest.isSame($0.name, name) }.map(\.value)
    }

    /// The value of the first header of that name.
    public func header(_ name: String) -> String? { headers.first { HookRequest.isSame($0.name, name) }?.value }

    /// The media type of the body in lower case, without parameters; nil where the request names none (RFC 9110, 8.3).
    public var mediaType: String? {
        header("Content-Type").map { value in
            let blanks: [Character] = [" ", "\t"]
            var name = value.prefix { $0 != ";" }.drop { blanks.contains($0) }
            while let last = name.last, blanks.contains(last) { name.removeLast() }
            return name.lowercased()
        }
    }

    /// Whether the body is one JSON object or array, whatever its Content-Type says.
    var hasDocument: Bool { HookRequest.isDocument(body) }

    /// Whether a body is one JSON object or array.
    public static func isDocument(_ body: [UInt8]) -> Bool {
        var document = JSONDocument()
        guard (try? document.parse(body)) != nil, let root = document.root else { return false }
        return document.kind(root) == .object || document.kind(root) == .array
    }

    /// More fields than these are in no form.
    public static let formFieldLimit = 1000

    /// The fields of a body that is a form, in order; nil where there are more than `formFieldLimit`. Empty where the body
    /// is none.
    public var formFields: [FormParameters.Parameter]? {
        isForm ? FormParameters.parse(body, limit: HookRequest.formFieldLimit) : []
    }

    /// Whether the body is a form by its media type.
    public var isForm: Bool { mediaType == "application/x-www-form-urlencoded" }

    /// The parameters of the query, decoded, in order.
    public var parameters: [FormParameters.Parameter] { FormParameters.parse((query ?? "").utf8) ?? [] }

    /// The complete URL as the sender calls it.
    public var url: String { origin + path + (query.map { "?" + $0 } ?? "") }

    static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}
