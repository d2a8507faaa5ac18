import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherSystem

@testable import UsherEngine

@Suite("RemoteWindows") struct RemoteWindowsTests {
    private let files = TemporaryFolder()
    private var folder: URL { URL(filePath: files.path) }

    /// A program that answers `pick` once `sign` is there, and anything else at once.
    private func windows(sign: URL) throws -> RemoteWindows {
        let program = folder.appendingPathComponent("usherd")
        let script = """
            #!/bin/sh
            while read -r line; do
                case $line in
                *'"call":"pick"'*)
                    touch '\(sign.path).awaited'
                    until [ -e '\(sign.path)' ]; do sleep 0.05; done
                    echo '{"result":{"handle":"x11:0x9"}}' ;;
                *) echo '{"result":"at once"}' ;;
                esac
            done
            """
        try Program.write(script, at: program.path)
        return RemoteWindows(program: program.path, environment: ["DISPLAY": ":1", "PATH": "/usr/bin:/bin"])
    }

    @Test("a call that waits for the user delays no other call")
    func waiting() throws {
        let sign = folder.appendingPathComponent("sign")
        let windows = try windows(sign: sign)
        // A thread of its own: the tests beside this one may have those of all tasks.
        let picked = Mutex<Result<String?, ActivationFailure>?>(nil)
        Thread.detachNewThread {
            let result = Result { () throws(ActivationFailure) in
                try windows.pick(until: Deadline(inMilliseconds: 60_000))?.handle
            }
            picked.withLock { $0 = result }
        }
        #expect(eventually { FileManager.default.fileExists(atPath: sign.path + ".awaited") })
        // The other answer comes after this one only.
        #expect(try windows.server(of: "x11:0x1") == "at once")
        #expect(FileManager.default.createFile(atPath: sign.path, contents: nil))
        try waitUntil("the user has picked") { picked.withLock { $0 != nil } }
        #expect(try picked.withLock { $0 }?.get() == "x11:0x9")
        #expect(try windows.server(of: "x11:0x1") == "at once")
    }
}
