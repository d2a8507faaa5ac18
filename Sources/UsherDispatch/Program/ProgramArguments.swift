internal import CLinux

/// The words of the command line behind the program's name.
public enum ProgramArguments {
    /// An argument that is not UTF-8 is refused rather than repaired: a repaired identifier would be another one.
    public struct NotText: Error {
        /// From 1.
        public var place: Int
    }

    public static func all() throws(NotText) -> [String] {
        var words: [String] = []
        var place = 1
        while let pointer = unsafe usher_argument(Int32(place)) {
            guard let word = unsafe String(validatingCString: pointer) else { throw NotText(place: place) }
            words.append(word)
            place += 1
        }
        return words
    }
}
