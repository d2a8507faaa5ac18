/// Writing of JSON pointers (RFC 6901).
public enum JSONPointer {
    /// Appends one reference token, `~` and `/` escaped (RFC 6901, section 3).
    public static func append(_ token: String, to pointer: inout String) {
        pointer.append("/")
        for scalar in token.unicodeScalars {
            switch scalar {
            case "~": pointer.append("~0")
            case "/": pointer.append("~1")
            default: pointer.unicodeScalars.append(scalar)
            }
        }
    }

    /// The pointer with one more token.
    public static func child(_ token: String, of pointer: String) -> String {
        var result = pointer
        append(token, to: &result)
        return result
    }
}
