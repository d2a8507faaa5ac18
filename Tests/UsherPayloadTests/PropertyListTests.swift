import Foundation
import TestSupport
import Testing
import UsherJSON
import UsherPayload

/// Property lists, XML and binary, judged by Foundation's; and lists made to exhaust a reader.
struct PropertyListTests {
    // MARK: - Right lists

    @Test(arguments: [("xml", PropertyListSerialization.PropertyListFormat.xml), ("binary", .binary)])
    func `every type is read as Foundation wrote it`(
        _ name: String, _ format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let list: [String: Any] = [
            "text": "a <b> & \"c\" é 🤡", "empty": "", "long": String(repeating: "x", count: 70_000), "yes": true,
            "no": false, "small": 1, "byte": 255, "negative": -1, "large": Int64.max, "least": Int64.min, "half": 1.5,
            "list": [1, "two", [], [:] as [String: Any], [[["deep"]]]] as [Any],
            "left out": Data([1, 2]), "date": Date(timeIntervalSince1970: 0),
            "nested": ["list": Array(repeating: "shared", count: 300), "when": Date()] as [String: Any],
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        let value = try PropertyList.value(of: Array(data))
        let read = try #require(try JSONSerialization.jsonObject(with: Data(value.text().utf8)) as? NSDictionary)
        var expected = list
        expected["left out"] = nil
        expected["date"] = nil
        expected["nested"] = ["list": Array(repeating: "shared", count: 300)]
        #expect(read == expected as NSDictionary)
    }

    @Test(arguments: [
        ("<true/>", "true"), ("<true></true>", "true"), ("<string/>", #""""#), ("<array/>", "[]"), ("<dict/>", "{}"),
        ("<string>a<![CDATA[<b>&amp;]]>c<!-- d -->e</string>", #""a<b>&amp;ce""#),
        ("<string>&lt;&#x1F921;&#38;&apos;</string>", #""<🤡&'""#), ("<string> a\n</string>", #"" a\n""#),
        ("<integer> 0x1F </integer>", "31"), ("<integer>-0x1</integer>", "-1"), ("<integer>+5</integer>", "5"),
        ("<real>-1.5e3</real>", "-1500.0"), ("<array><real>nan</real><real>+infinity</real></array>", "[]"),
        ("<array><date>2026-01-01T00:00:00Z</date><data>AA==</data></array>", "[]"),
        ("<!-- a --><dict><!-- b --><key>a</key><!-- c --><true/></dict>", #"{"a":true}"#),
    ])
    func `XML of every form is read`(_ xml: String, _ expected: String) throws {
        for text in [
            xml, "<plist version=\"1.0\">\(xml)</plist>\n", "\u{FEFF}<?xml version='1.0'?>\r\n<!DOCTYPE plist>\n\(xml)",
        ] {
            let value = try PropertyList.value(of: Array(text.utf8))
            #expect(value.text(escaping: .minimal) == expected, "\(text)")
        }
    }

    // MARK: - Wrong lists

    @Test(arguments: [
        ("", "line 1: there is no value"), ("{}", "line 1: it begins neither with an XML tag nor with bplist00"),
        ("<plist", "line 1: > is missing"), ("<plist>", "line 1: <plist> is not closed"),
        ("<plist/>", "line 1: there is no element <plist>"),
        ("<plist></plist>", "line 1: there is no value"), ("<plist>\n<array></dict>", "line 2: </dict> closes <array>"),
        ("</dict>", "line 1: </dict> closes nothing"), ("<true/><true/>", "line 1: there is more than one value"),
        ("<dict>\n<true/></dict>", "line 2: <true> stands where a key has to be"),
        ("<dict><key>a</key></dict>", "line 1: a key has no value"),
        ("<dict><key>a</key><key>b</key></dict>", "line 1: a key stands where a value has to be"),
        ("<key>a</key>", "line 1: a key stands where a value has to be"),
        ("<dict><key>a</key><true/><key>a</key><true/></dict>", "a dictionary has the key a twice"),
        ("<array>text</array>", "line 1: text stands between elements"),
        ("<string><b>a</b></string>", "line 1: <string> has an element <b> in it"),
        ("<string>a", "line 1: <string> is not closed"),
        ("<string>&nbsp;</string>", "line 1: there is a reference that XML does not define"),
        ("<string>&#0;</string>", "line 1: there is a reference that XML does not define"),
        ("<string>a\0b</string>", "a text contains a NUL"),
        ("<integer>9223372036854775808</integer>", "line 1: 9223372036854775808 is no integer of 64 bits"),
        ("<integer>0x-1</integer>", "line 1: 0x-1 is no integer of 64 bits"),
        ("<integer/>", "line 1:  is no integer of 64 bits"),
        ("<real>1 2</real>", "line 1: 1 2 is no number"),
        ("<number>1</number>", "line 1: there is no element <number>"),
        (
            "<!DOCTYPE plist [<!ENTITY a \"b\">]><string>&a;</string>",
            "line 1: a document type with declarations is not read"
        ),
        ("<!-- <true/>", "line 1: --> is missing"), ("< true/>", "line 1: there is a tag without a known name"),
        ("bplist00", "it is no complete binary property list of version 00"),
        ("bplist01" + String(repeating: "0", count: 40), "it is no complete binary property list of version 00"),
        ("bplist00" + String(repeating: "0", count: 32), "byte 8: the trailer of the binary property list is wrong"),
    ])
    func `wrong XML is refused with its place`(_ text: String, _ message: String) {
        #expect(throws: PropertyListError(message)) { try PropertyList.value(of: Array(text.utf8)) }
    }

    @Test func `text that is no UTF-8 is refused`() {
        #expect(throws: PropertyListError("line 1: a text is no UTF-8")) {
            try PropertyList.value(of: Array("<string>".utf8) + [0xFF] + Array("</string>".utf8))
        }
    }

    @Test(arguments: [
        ("a key that is a number", [[0xD1, 1, 2], [0x10, 1], [0x08]], "byte 11: a key of a dictionary is no string"),
        ("no such object", [[0xA1, 9]], "object 9 of the binary property list is outside of it"),
        ("a kind that does not exist", [[0x0F]], "byte 8: there is no kind of object 15"),
        (
            "an integer of 128 bits", [[0x14, 1] + Array(repeating: 0, count: 15)],
            "byte 8: an integer has more than 64 bits"
        ),
        (
            "an integer of 256 bytes", [[0x18] + Array(repeating: 0, count: 256)],
            "byte 8: an integer has more than 64 bits"
        ),
        ("a string behind the end", [[0x5F, 0x11, 0x10, 0x00]], "byte 8: an object is longer than the list"),
        ("a length that is no integer", [[0x5F, 0x51, 0x61]], "byte 8: an object has no length"),
        (
            "a negative length", [[0x5F, 0x13] + Array(repeating: 0xFF, count: 8)],
            "byte 8: an object is longer than the list"
        ),
        ("an array of 2^62", [[0xAF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0]], "byte 8: an object is longer than the list"),
        ("half a surrogate pair", [[0x61, 0xD8, 0x00]], "byte 8: a string is no valid Unicode"),
        ("a NUL", [[0x53, 0x61, 0x00, 0x62]], "a text contains a NUL"),
    ])
    func `wrong objects of the binary form are refused`(_ name: String, _ objects: [[UInt8]], _ message: String) {
        #expect(throws: PropertyListError(message)) { try PropertyList.value(of: Self.binary(objects)) }
    }

    // MARK: - Lists made to exhaust a reader

    /// 281 bytes that ended a process within libplist 2.2: it asserts that a string has no NUL.
    @Test func `a NUL in a string of 281 bytes`() {
        let head = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>a</key><string>
            """
        let tail = "</string></dict></plist>"
        let list = head + String(repeating: "x", count: 280 - head.utf8.count - tail.utf8.count) + "\0" + tail
        #expect(list.utf8.count == 281)
        #expect(throws: PropertyListError("a text contains a NUL")) { try PropertyList.value(of: Array(list.utf8)) }
    }

    /// 244 bytes that stand for 9¹³ values: each array holds the next one nine times.
    @Test func `nested references that would take all memory`() {
        let levels = 13
        let objects =
            (0..<levels).map { [0xA9] + Array(repeating: UInt8($0 + 1), count: 9) } + [
                [0x5C] + Array("shared texts".utf8)
            ]
        let list = Self.binary(objects)
        #expect(list.count < 244)
        #expect(throws: PropertyListError("it has more than 100000 values, shared ones counted each time")) {
            try PropertyList.value(of: list)
        }
    }

    @Test func `one long text that is shared is counted each time`() {
        let text = [0x5F, 0x12, 0x00, 0x08, 0x00, 0x00] + Array(repeating: UInt8(0x61), count: 1 << 19)
        #expect(throws: PropertyListError("it has more than 4194304 bytes of text, shared ones counted each time")) {
            try PropertyList.value(of: Self.binary([[0xA9] + Array(repeating: 1, count: 9), text]))
        }
    }

    @Test(arguments: ["an array", "a dictionary"]) func `an object that contains itself`(_ name: String) {
        let objects: [[UInt8]] = name == "an array" ? [[0xA1, 0]] : [[0xD1, 1, 0], [0x51, 0x61]]
        #expect(throws: PropertyListError("it nests deeper than 128 levels, or contains itself")) {
            try PropertyList.value(of: Self.binary(objects))
        }
    }

    @Test(arguments: ["<array>", "<dict><key>a</key>"]) func `nesting is limited`(_ opening: String) throws {
        let closing = opening == "<array>" ? "</array>" : "</dict>"
        func list(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: opening, count: depth - 1) + "<array/>"
                    + String(repeating: closing, count: depth - 1)).utf8)
        }
        #expect(throws: Never.self) { try PropertyList.value(of: list(128)) }
        #expect(throws: PropertyListError("it nests deeper than 128 levels, or contains itself")) {
            try PropertyList.value(of: list(129))
        }
        #expect(throws: PropertyListError.self) {
            try PropertyList.value(of: Array(String(repeating: opening, count: 50_000).utf8))
        }
    }

    @Test func `the number of values and the size are limited`() {
        let many = "<array>" + String(repeating: "<true/>", count: 100_000) + "</array>"
        #expect(throws: PropertyListError("it has more than 100000 values, shared ones counted each time")) {
            try PropertyList.value(of: Array(many.utf8))
        }
        #expect(throws: PropertyListError("it has more than 1048576 bytes")) {
            try PropertyList.value(of: Array(repeating: 0x20, count: (1 << 20) + 1))
        }
    }

    /// Mutated lists are read or refused, and nothing worse.
    @Test(arguments: ["Info.plist", "Info-binary.plist"]) func `no mutation traps`(_ name: String) throws {
        let folder = Fixture.payloads.deletingLastPathComponent().appending(path: "Tests/Fixtures/manifests/plists")
        let seed = try Fixture.bytes(folder.appending(path: name))
        var random = SeededGenerator(seed: 7)
        var read = 0
        for _ in 0..<2000 {
            var bytes = seed
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: bytes.remove(at: place)
                default:
                    let end = min(bytes.count, place + Int.random(in: 1..<24, using: &random))
                    bytes.insert(
                        contentsOf: Array(bytes[place..<end]), at: Int.random(in: 0...bytes.count, using: &random))
                }
            }
            if (try? PropertyList.value(of: bytes)) != nil { read += 1 }
        }
        #expect(read > 0 && read < 2000)
    }

    // MARK: -

    /// A binary list of objects, the first outermost, with references of one byte.
    private static func binary(_ objects: [[UInt8]]) -> [UInt8] {
        var list = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += (0..<4).reversed().map { UInt8(truncatingIfNeeded: list.count >> (8 * $0)) }
            list += object
        }
        let table = list.count
        list += offsets + [0, 0, 0, 0, 0, 0, 4, 1]
        for number in [objects.count, 0, table] {
            list += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return list
    }
}
