import Foundation

/// The repository that the tests are part of, and what is built of it.
package enum Repository {
    /// Its folder, without a slash at the end.
    package static let path = #filePath.components(separatedBy: "/Tests/TestSupport/")[0]

    /// The folder of the build products: that of the running test program.
    package static let products: String = {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let candidates = [program, CommandLine.arguments[0]].map { ($0 as NSString).deletingLastPathComponent }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0 + "/usher") } ?? path
            + "/.build/debug"
    }()
}
