import Testing
import UsherPayload
import UsherScene

struct PayloadCutterTests {
    /// What it gives for one input in chunks of a size.
    private static func cut(_ text: String, as form: InputForm, by size: Int, with cutter: inout PayloadCutter)
        -> [String]
    {
        let bytes = Array(text.utf8)
        var found: [String] = []
        func take(_ cutter: inout PayloadCutter) {
            while let text = cutter.next() {
                #expect(text.form == form)
                found.append(text.isTooLong ? "too long" : String(decoding: text.bytes[text.range], as: UTF8.self))
            }
        }
        cutter.begin(form)
        for start in stride(from: 0, to: bytes.count, by: size) {
            cutter.push(Array(bytes[start..<min(start + size, bytes.count)]))
            take(&cutter)
        }
        cutter.finish()
        take(&cutter)
        return found
    }

    @Test(
        arguments: [
            ("", .lines, []), ("", .document, [""]), ("", .simulator, [""]), ("a\n\nb", .lines, ["a", "b"]),
            ("a\n\nb", .document, ["a\n\nb"]), (" \n", .lines, []), (" \n", .document, [" \n"]),
        ] as [(String, InputForm, [String])])
    func `an input gives its lines or its document`(_ text: String, _ form: InputForm, _ expected: [String]) {
        var cutter = PayloadCutter()
        for size in 1...4 { #expect(Self.cut(text, as: form, by: size, with: &cutter) == expected, "by \(size)") }
    }

    @Test func `a document is too long from its first byte over the limit`() {
        var cutter = PayloadCutter()
        let longest = String(repeating: "x", count: PayloadError.longestLine)
        #expect(Self.cut(longest, as: .document, by: 1 << 16, with: &cutter) == [longest])
        #expect(Self.cut(longest + "x", as: .document, by: 1 << 16, with: &cutter) == ["too long"])
        #expect(Self.cut("{}", as: .document, by: 1, with: &cutter) == ["{}"])
        let lines = "\(longest)\n\(longest)x\n{}\n"
        #expect(Self.cut(lines, as: .lines, by: 1 << 16, with: &cutter) == [longest, "too long", "{}"])
    }

    @Test(arguments: InputForm.allCases)
    func `what is dropped gives nothing`(_ form: InputForm) {
        var cutter = PayloadCutter()
        cutter.begin(form)
        cutter.push(Array("{}".utf8))
        cutter.dropRest()
        cutter.finish()
        let text = cutter.next()
        #expect(text == nil)
    }

    @Test func `a file for the simulator has its format, if none is named`() throws {
        var cutter = PayloadCutter()
        cutter.begin(.simulator)
        // A member of simulator payloads would say the same.
        cutter.push(Array(#"{"aps":{}}"#.utf8))
        cutter.finish()
        let next = cutter.next()
        let text = try #require(next)
        for (named, expected) in [(PayloadFormat.auto, PayloadFormat.simctl), (.apns, .apns)] {
            var reader = PayloadReader(format: named)
            let payload = try reader.read(text).get()
            #expect(payload.format == expected)
        }
    }
}
