/// A form in which a hook reads what is sent to it.
public enum HookInput: Sendable, Hashable {
    /// The body is one JSON text.
    case json
    /// The body is a form: an object of strings, and of arrays where a field is repeated.
    case form
    /// The body is a form, and this field of it is one JSON text.
    case formJSON(field: String)
    /// The query, as an object like that of a form.
    case query
}
