import Testing
import UsherPayload
import UsherScene
import UsherText

struct PayloadCutterTests {
    /// What it gives for one input in chunks of a size: each text, and its error.
    private static func cut(_ text: String, as form: InputForm, by size: Int, with cutter: inout PayloadCutter)
        -> [String]
    {
        let bytes = Array(text.utf8)
        var found: [String] = []
        func take(_ cutter: inout PayloadCutter) {
            while let text = cutter.next() {
                var line = String(decoding: text.bytes[text.range], as: UTF8.self)
                if case .failure(let error) = text.reading { line += " \(error.code.name)" }
                found.append(line)
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
            ("", .stream, []), ("", .document, [" json.empty"]), ("", .simulator, [" json.empty"]),
            ("{\"aps\":{}}\n\nb", .stream, ["{\"aps\":{}}", "b json.syntax"]),
            ("{\"aps\":\n{}}", .document, ["{\"aps\":\n{}}"]), ("[{}]", .stream, ["[{}] json.top-level-not-object"]),
            (" \n", .stream, []), (" \n", .document, [" json.empty"]),
            ("{}{}", .simulator, ["{}{} json.trailing-data"]),
        ] as [(String, InputForm, [String])])
    func `an input gives its payloads`(_ text: String, _ form: InputForm, _ expected: [String]) {
        var cutter = PayloadCutter(PayloadReader())
        for size in 1...4 { #expect(Self.cut(text, as: form, by: size, with: &cutter) == expected, "by \(size)") }
    }

    /// Of a payload that was cut off, nothing is taken with it but what follows on its own line.
    @Test(arguments: ["apns/alert-crusty.json", "apns/alert-localized.json", "hooks/alertmanager.json"])
    func `lines after a payload that was cut off are read, wherever it was cut`(_ path: String) throws {
        let bytes = try Fixture.bytes(path)
        #expect(bytes.split(separator: 0x0A).count > 3)
        let good = (1...3).map { "{\"aps\":{\"badge\":\($0)}}" }
        var cutter = PayloadCutter(PayloadReader())
        for end in bytes.indices {
            // Within a character, what is repaired is as long as it was cut.
            let cut = String(decoding: bytes[..<end], as: UTF8.self)
            for (lineEnd, lost) in [("", 1), ("\n", 0), ("\r\n", 0)] {
                for size in [1, 7, 1 << 16] where size > 1 || end % 16 == 0 {
                    let text = cut + lineEnd + good.joined(separator: "\n") + "\n"
                    let found = Self.cut(text, as: .stream, by: size, with: &cutter)
                    #expect(
                        found.suffix(3 - lost) == good.suffix(3 - lost) && found.count <= 4,
                        "\(path), \(end), \(lineEnd.utf8.count), by \(size): \(found)")
                }
            }
        }
    }

    @Test(arguments: InputForm.allCases)
    func `a payload is too long from its first byte over the limit`(_ form: InputForm) {
        var cutter = PayloadCutter(PayloadReader())
        let frame = "{\"aps\":{\"alert\":\"\"}}"
        let longest = frame.replacing(
            "\"\"", with: "\"\(String(repeating: "x", count: PayloadError.longestLine - frame.utf8.count))\"")
        #expect(Self.cut(longest, as: form, by: 1 << 16, with: &cutter) == [longest])
        let longer = longest.replacing("xx\"", with: "xxx\"")
        #expect(
            Self.cut(longer, as: form, by: 1 << 16, with: &cutter).map { $0.suffix(19) } == [" size.line-too-long"])
        #expect(Self.cut("{\"aps\":{}}", as: form, by: 1, with: &cutter) == ["{\"aps\":{}}"])
    }

    @Test(arguments: InputForm.allCases)
    func `what is dropped gives nothing`(_ form: InputForm) {
        var cutter = PayloadCutter(PayloadReader())
        cutter.begin(form)
        cutter.push(Array("{".utf8))
        let text = cutter.next()
        #expect(text == nil)
        cutter.dropRest()
        cutter.begin(.stream)
        cutter.finish()
        let rest = cutter.next()
        #expect(rest == nil)
    }

    @Test func `a file for the simulator has its format, if none is named`() throws {
        for (named, expected) in [(PayloadFormat.auto, PayloadFormat.simctl), (.apns, .apns)] {
            var cutter = PayloadCutter(PayloadReader(format: named))
            cutter.begin(.simulator)
            // A member of simulator payloads would say the same.
            cutter.push(Array(#"{"aps":{}}"#.utf8))
            cutter.finish()
            let text = cutter.next()
            let payload = try #require(text).reading.get()
            #expect(payload.format == expected)
        }
    }

    @Test(arguments: Fixture.allPayloads())
    func `a file says the same on standard input`(_ path: String) throws {
        let bytes = try Fixture.bytes(path)
        var reader = PayloadReader()
        let isOne = (try? reader.read(bytes)) != nil
        for size in [1, 100, bytes.count] {
            var cutter = PayloadCutter(PayloadReader())
            var texts: [PayloadCutter.Text] = []
            for start in stride(from: 0, to: bytes.count, by: max(1, size)) {
                cutter.push(Array(bytes[start..<min(start + size, bytes.count)]))
                while let text = cutter.next() { texts.append(text) }
            }
            cutter.finish()
            while let text = cutter.next() { texts.append(text) }
            var names: [String?] = []
            for text in texts {
                if case .failure(let error) = text.reading { names.append(error.code.name) } else { names.append(nil) }
            }
            if isOne { #expect(names == [nil]) }
            // A text that is cut out reads as it did in the stream.
            for (text, name) in zip(texts, names) where name == nil || name?.hasPrefix("json.") == false {
                let again = Result { () throws(PayloadError) in try reader.read(text.bytes, in: text.range) }
                guard case .failure(let error) = again else {
                    #expect(name == nil)
                    continue
                }
                #expect(name == error.code.name || name == "size.line-too-long")
            }
        }
    }

    @Test(
        arguments: [
            ("{\n \"aps\": {},,\n}", 13, 2, 12, ["2 |  \"aps\": {},,", "               ^"]),
            ("{\"aps\":{}} nö", 0, 1, 12, ["1 | {\"aps\":{}} nö", "               ^"]),
            (
                "{\"aps\":{\"alert\":\"ä\", \"badge\":\"x\"}}", 30, 1, 30,
                [
                    "1 | {\"aps\":{\"alert\":\"ä\", \"badge\":\"x\"}}", "                                 ^",
                ]
            ),
        ] as [(String, Int, Int, Int, [String])])
    func `an error has its position in the input`(
        _ text: String, _ offset: Int, _ line: Int, _ column: Int, _ excerpt: [String]
    ) throws {
        var cutter = PayloadCutter(PayloadReader())
        cutter.push(Array(text.utf8))
        cutter.finish()
        var errors: [PayloadError] = []
        while let text = cutter.next() {
            if case .failure(let error) = text.reading { errors.append(error) }
        }
        let error = try #require(errors.last)
        #expect(error.offset == offset)
        #expect(error.excerpt?.position == LinePosition(line: line, column: column))
        #expect(error.excerpt?.lines == excerpt)
    }
    @Test(arguments: [0, 59, 60, 61, 500, 100_000])
    func `at most 120 characters of a line are shown`(_ before: Int) throws {
        let text =
            "{\"a\":\"" + String(repeating: "x", count: before) + "\",,\"b\":\"" + String(repeating: "y", count: 300)
        var cutter = PayloadCutter(PayloadReader())
        cutter.push(Array((text + "\"}").utf8))
        cutter.finish()
        let found = cutter.next()
        guard case .failure(let error)? = found?.reading, let excerpt = error.excerpt else {
            Issue.record("no error")
            return
        }
        #expect(excerpt.position == LinePosition(line: 1, column: before + 9))
        #expect(excerpt.lines[0].hasPrefix("1 | ") && excerpt.lines[0].count <= 4 + 120, "\(excerpt.lines)")
        let caret = excerpt.lines[1].count - 1
        #expect(Array(excerpt.lines[0])[caret] == ",", "\(excerpt.lines)")
    }
}
