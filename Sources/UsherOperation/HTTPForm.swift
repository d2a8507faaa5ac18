public import UsherJSON

/// How an operation is asked for over HTTP.
public struct HTTPForm: Sendable {
    public enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"

        /// Whether its arguments are the members of a body; else they are the query's parameters.
        public var takesBody: Bool { self == .post || self == .put || self == .patch }
    }

    /// What a body is.
    public enum Body: Sendable, Hashable {
        /// An object: its members are arguments.
        case members
        /// An object, an array, or a line each: the elements of this argument.
        case list(String)
        /// The bytes of the body are the first argument. A request whose query has the second argument needs no body, and a
        /// body that it has is ignored: clients send `{}` with every POST.
        case document(String, unless: String)
    }

    /// Where the object that a request makes is found.
    public struct Made: Sendable {
        /// The members of the answer that lead to its name.
        public let members: [String]
        /// The address before its name.
        public let path: String
        /// The same request again changes nothing: `is_new` in the answer is false, and the status 200 instead of 201.
        public let mayExist: Bool

        public init(_ members: [String], _ path: String, mayExist: Bool = false) {
            (self.members, self.path, self.mayExist) = (members, path, mayExist)
        }
    }

    public let method: Method
    /// The segments; one in braces is the argument of that name: `/v1/notes/{note}`.
    public let path: String
    /// Parameters of the query with other names than their arguments.
    public let renamed: [String: String]
    /// Between several values of an argument in one parameter.
    public let separators: [String: Character]
    /// Arguments that only the socket and the command line have.
    public let hidden: Set<String>
    /// Arguments that the address says.
    public let fixed: [JSONValue.Member]
    /// Of several operations at one address, the one that is meant where this parameter is there.
    public let selector: String?
    /// The same, by a member of the body that is true.
    public let flag: String?
    /// The member of the body, an object, whose exact bytes are the argument: members that Usher does not know stay.
    public let verbatim: String?
    /// Arguments of the query where a body is taken, too.
    public let query: Set<String>
    public let body: Body
    /// The member of the result that is the answer; the result's warnings become a member of it.
    public let unwraps: String?
    /// Answered with 201.
    public let made: Made?
    /// Answered with Server-Sent Events.
    public let isStream: Bool
    /// Statuses of refusals beside those that the arguments, the address and the body lead to.
    public let refusals: Set<Int>
    /// Bodies, as JSON.
    public let examples: [(name: String, json: String)]

    public init(
        _ method: Method, _ path: String, isStream: Bool = false, refusals: Set<Int> = [],
        renamed: [String: String] = [:], separators: [String: Character] = [:], hidden: Set<String> = [],
        fixed: [JSONValue.Member] = [],
        selector: String? = nil, flag: String? = nil, verbatim: String? = nil,
        query: Set<String> = [], body: Body = .members, unwraps: String? = nil, made: Made? = nil,
        examples: [(name: String, json: String)] = []
    ) {
        self.method = method
        self.path = path
        self.isStream = isStream
        self.refusals = refusals
        self.renamed = renamed
        self.separators = separators
        self.hidden = hidden.union(fixed.map(\.name))
        self.fixed = fixed
        self.selector = selector
        self.flag = flag
        self.verbatim = verbatim
        self.query = query
        self.body = body
        self.unwraps = unwraps
        self.made = made
        self.examples = examples
    }
}
