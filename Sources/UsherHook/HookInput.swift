/// A form in which a hook reads a request, as an object of JSON.
public enum HookInput: Sendable, Hashable {
    /// The body is a JSON text.
    case json
    /// The body is a form: an object of strings; a repeated field is an array.
    case form
    /// The body is a form, and one of its fields is a JSON text.
    case formJSON(field: String)
    /// The query of the URL: an object of strings; GET and POST are accepted.
    case query
}
