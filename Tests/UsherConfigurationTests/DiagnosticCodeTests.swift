import Foundation
import TestSupport
import Testing
import UsherConfiguration
import UsherScene

/// No predicate error is without a number.
@Suite struct DiagnosticCodeTests {
    @Test func everyPredicateErrorHasItsNumber() throws {
        let folder = URL(filePath: Repository.path + "/Sources/UsherPredicate")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var names: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /"(predicate\.[a-z-]+)"/) { names.insert(String(match.1)) }
        }
        #expect(names.count > 10)
        #expect(names.filter { DiagnosticCode.predicate($0).code == "U5500" } == [])
    }

    @Test func unknownNamesAreStillNames() {
        #expect(DiagnosticCode.predicate("predicate.new").code == "U5500")
        #expect(DiagnosticCode.predicate("predicate.key-path") == DiagnosticCode("U5512", "predicate.key-path"))
    }
}
