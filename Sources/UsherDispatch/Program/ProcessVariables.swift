internal import CLinux

/// The environment that the process was started with.
public enum ProcessVariables {
    /// Of a variable that stands there twice the first one counts, as for getenv(3).
    public static func all() -> [String: String] {
        var variables: [String: String] = [:]
        guard var entry = unsafe usher_environ() else { return variables }
        while let pointer = unsafe entry.pointee {
            let text = unsafe String(cString: pointer)
            if let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
                let name = String(text[..<equals])
                if variables[name] == nil { variables[name] = String(text[text.utf8.index(after: equals)...]) }
            }
            unsafe entry += 1
        }
        return variables
    }
}
