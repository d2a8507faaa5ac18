/// How an operation is asked for over HTTP.
public struct HTTPForm: Sendable {
    public enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"

        /// Whether its arguments are the members of a body; else they are the query's parameters.
        public var takesBody: Bool { self == .post || self == .patch }
    }

    public let method: Method
    /// The segments; one in braces is the argument of that name: `/v1/notes/{note}`.
    public let path: String
    /// Parameters of the query with other names than their arguments.
    public let renamed: [String: String]
    /// Arguments that are left to other doors.
    public let hidden: Set<String>
    /// Of several operations at one address, the one that is meant where this parameter is there.
    public let selector: String?
    /// The same, by a member of the body that is true.
    public let flag: String?
    /// The member of the body, an object, whose exact bytes are the argument: members that Usher does not know stay.
    public let verbatim: String?
    /// Where what was made is found: the answer's members that name it, and the address before that. It is answered 201.
    public let made: (members: [String], path: String)?

    public init(
        _ method: Method, _ path: String, renamed: [String: String] = [:], hidden: Set<String> = [],
        selector: String? = nil, flag: String? = nil, verbatim: String? = nil,
        made: (members: [String], path: String)? = nil
    ) {
        self.method = method
        self.path = path
        self.renamed = renamed
        self.hidden = hidden
        self.selector = selector
        self.flag = flag
        self.verbatim = verbatim
        self.made = made
    }
}
