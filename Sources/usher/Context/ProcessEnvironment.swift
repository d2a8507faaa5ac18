internal import CLinux
internal import Glibc

/// What the process was started with.
enum ProcessEnvironment {
    /// The arguments after the program's name.
    ///
    /// An argument that is not UTF-8 is refused rather than repaired: a repaired identifier would be another one.
    static func arguments() throws(CommandFailure) -> [String] {
        var words: [String] = []
        var place = 1
        while let pointer = unsafe usher_argument(Int32(place)) {
            guard let word = unsafe String(validatingCString: pointer) else {
                throw .usage(
                    "argument \(place) is not UTF-8", help: "text of another encoding can come in on standard input")
            }
            words.append(word)
            place += 1
        }
        return words
    }

    /// The environment; of a variable that stands there twice the first one counts, as for getenv(3).
    static func variables() -> [String: String] {
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

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}
