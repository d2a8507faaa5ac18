internal import CLinux
internal import Glibc

/// The words of the command line behind the program's name.
package enum ProgramArguments {
    /// An argument that is not UTF-8 is refused rather than repaired: a repaired identifier would be another one.
    package struct NotText: Error {
        /// From 1.
        package var place: Int
    }

    package static func all() throws(NotText) -> [String] {
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

/// The environment that the process was started with.
package enum ProcessVariables {
    /// One of them, without reading the others.
    package static subscript(name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Of a variable that stands there twice the first one counts, as for getenv(3).
    package static func all() -> [String: String] {
        var variables: [String: String] = [:]
        guard var entry = unsafe usher_environ() else { return variables }
        variables.reserveCapacity(64)
        while let pointer = unsafe entry.pointee {
            // The text is cut before it becomes a string: to cut a string costs ten times as much.
            if let equals = unsafe strchr(pointer, Int32(UInt8(ascii: "="))) {
                let count = unsafe equals - pointer
                let bytes = unsafe UnsafeRawBufferPointer(start: pointer, count: count)
                let name = unsafe String(decoding: bytes, as: UTF8.self)
                if variables[name] == nil { variables[name] = unsafe String(cString: equals + 1) }
            }
            unsafe entry += 1
        }
        return variables
    }
}

/// Where the running program lies.
package enum OwnProgram {
    /// Its file; nil where the system does not say, or it was replaced meanwhile.
    package static var path: String? {
        FilePath.resolved("/proc/self/exe").flatMap { FileSystem.isExecutable($0) ? $0 : nil }
    }

    /// The program of this name that lies beside it, else the bare name: that is looked for in the PATH.
    package static func sibling(_ name: String) -> String {
        guard let path else { return name }
        let beside = FilePath.resolve(name, from: FilePath.parent(of: path))
        return FileSystem.isExecutable(beside) ? beside : name
    }
}
