import Glibc
import TestSupport
import Testing
import UsherJSON
import UsherOperation
import UsherScene

@testable import UsherSuggestions

/// Files of vCards, and what is read from them.
struct VCardTests {
    private func read(_ text: String) -> ContactFile { ContactFile(vCards: Array(text.utf8)) }

    /// The one contact of a card with these lines.
    private func contact(_ version: String, _ lines: String...) throws -> Contact {
        let file = read((["BEGIN:VCARD", "VERSION:\(version)"] + lines + ["END:VCARD", ""]).joined(separator: "\r\n"))
        #expect(file.errors.isEmpty)
        return try #require(file.contacts.first)
    }

    private func names(_ file: ContactFile) -> [String] { file.errors.map { "\($0.line) \($0.code.name)" } }

    @Test("of mutated cards, each is a contact, a group or an error at its line", arguments: 0..<2)
    func mutations(_ seed: Int) {
        let cards = [
            "3.0\nFN:Crusty\nTEL;TYPE=HOME,VOICE:+1 555 0100\nADR:Box;2;1 St.\\nRear;Town;CA;9;USA\nNOTE:a\n  b",
            "2.1\nN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:=C4;=\n =41\nTEL;HOME:1",
            "4.0\nKIND:group\nFN:Clowns", "4.0\nitem1.EMAIL;PREF=1:a@b.example\nORG:A\\, B;C\nURL:https://a.example/",
        ].map { Array("BEGIN:VCARD\nVERSION:\($0)\nEND:VCARD\n".utf8) }
        let mutator = SampleMutator(
            cards + [cards.flatMap(\.self)],
            fragments: [
                "\r\n ", "=\n", "=4", ";", ":", "\\", "\"", ",", "BEGIN:VCARD\n", "END:VCARD\n", "VERSION:2.1\n",
                "ENCODING=b",
                "CHARSET=x", "FN:", "N:;;;;\n", "PHOTO:data:,",
            ])
        var generator = SeededGenerator(seed: UInt64(seed))
        var (read, refused) = (0, 0)
        for round in 0..<2000 {
            let bytes = mutator.mutation(&generator)
            let file = ContactFile(vCards: bytes)
            #expect(
                file.contacts.count + file.skipped + file.errors.count == max(1, file.cards),
                "seed \(seed), round \(round)")
            let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
            for error in file.errors {
                #expect((1...lines).contains(error.line) && !error.message.isEmpty, "seed \(seed), round \(round)")
            }
            for contact in file.contacts { #expect(!contact.name.isEmpty, "seed \(seed), round \(round)") }
            read += file.contacts.count
            refused += file.errors.count
        }
        #expect(read > 200 && refused > 200)
    }

    @Test("a card of version 3.0 with everything")
    func everything() throws {
        let found = try contact(
            "3.0", "UID:crusty-1", "FN:Crusty the Clown", "N:Clown;Crusty;;;", "NICKNAME:Crus,Krusty",
            "ORG:Clowntown\\, Inc.;Balloons", "TEL;TYPE=HOME,VOICE:+1 555 0100",
            "item1.TEL;type=CELL;type=pref:+1 555 0101", "EMAIL;TYPE=INTERNET,WORK:crusty@clowntown.example",
            "IMPP;X-SERVICE-TYPE=Jabber:xmpp:crusty@chat.example", "X-SIP:crusty@sip.example",
            "ADR;TYPE=HOME:Box 1;Suite 2;1 Clown St.\\nRear;Clowntown;CA;95014;USA", "URL:https://clowntown.example/",
            "NOTE:a secret", "PHOTO;ENCODING=b;TYPE=JPEG:AAAA", " AAAA")
        var expected = Contact(name: "Crusty the Clown")
        expected.uid = "crusty-1"
        (expected.givenName, expected.familyName) = ("Crusty", "Clown")
        expected.nickname = "Crus"
        expected.organizationName = "Clowntown, Inc."
        expected.phoneNumbers = [
            .init(value: "+1 555 0101", types: ["cell"]), .init(value: "+1 555 0100", types: ["home"]),
        ]
        expected.emailAddresses = [.init(value: "crusty@clowntown.example", types: ["work"])]
        expected.handles = ["xmpp:crusty@chat.example", "sip:crusty@sip.example"]
        var address = Contact.Address()
        address.fullThoroughfare = "Box 1, Suite 2, 1 Clown St., Rear"
        (address.city, address.stateOrProvince) = ("Clowntown", "CA")
        (address.postalCode, address.country) = ("95014", "USA")
        expected.addresses = [address]
        expected.urls = ["https://clowntown.example/"]
        #expect(found.jsonValue.text() == expected.jsonValue.text())
        #expect(Contact(json: found.jsonValue)?.jsonValue.text() == found.jsonValue.text())
    }

    @Test(
        "parameters in all spellings",
        arguments: [
            "TEL;HOME;VOICE;PREF:1", "TEL;TYPE=HOME,VOICE,pref:1", "TEL;TYPE=HOME;TYPE=VOICE:1", "tel;type=home:1",
            "TEL;TYPE=\"voice,home\":1", "TEL;PREF=1;TYPE=home;TYPE=HOME:1", "a.b.TEL ; TYPE = home : 1",
            "TEL;X-NOTE=\"a:b;c\";TYPE=home:1", "TEL;VALUE=uri;TYPE=home:tel:1", "TEL;VALUE=URI;HOME:TEL:1",
            "TEL;TYPE=home;\r\n PREF=2:1", "TEL;TYPE=ho\r\n\tme:1", "TEL;X=\"odd;TYPE=home:1",
        ])
    func types(_ line: String) throws {
        let number = try #require(try contact("4.0", "FN:A", line).phoneNumbers.first)
        #expect(number.value == "1")
        #expect(number.types == (line.contains("odd") ? [] : ["home"]) || number.types == ["home"])
    }

    @Test("preferred values go first, and equals keep their order")
    func preferences() throws {
        let found = try contact(
            "4.0", "FN;PREF=2:B", "FN;PREF=1:A", "EMAIL:a@x", "EMAIL;PREF=50:b@x", "EMAIL;PREF=2:mailto:c@x",
            "EMAIL;TYPE=pref:d@x", "EMAIL;PREF=none:e@x", "EMAIL;PREF=101:f@x")
        #expect(found.name == "A")
        #expect(found.emailAddresses.map(\.value) == ["d@x", "c@x", "b@x", "a@x", "e@x", "f@x"])
    }

    @Test("quoted-printable text with soft line breaks, and its character set")
    func quotedPrintable() throws {
        let found = try contact(
            "2.1", "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C5=81uk=", "asz;Ma=C5=", "=82gorzata",
            "ADR;HOME;QUOTED-PRINTABLE;CHARSET=ISO-8859-1:;;Stra=DFe 1=0D=0A=", "Hof;K=F6ln;;50667;",
            "ORG;ENCODING=quoted-printable:A=ZZ=3", "TEL;ENCODING=QUOTED-PRINTABLE:1= ", "2")
        #expect(found.name == "Małgorzata Łukasz")
        #expect(found.addresses.first?.fullThoroughfare == "Straße 1, Hof")
        #expect(found.addresses.first?.city == "Köln")
        #expect(found.organizationName == "A=ZZ=3")
        #expect(found.phoneNumbers.first?.value == "12")
        #expect(try contact("2.1", "FN;CHARSET=ISO-8859-2;QUOTED-PRINTABLE:=A3=F3d=BC").name == "Łódź")
        #expect(try contact("2.1", "FN;CHARSET=windows-1250;QUOTED-PRINTABLE:=A3=F3d=9F").name == "Łódź")
        #expect(try contact("2.1", "FN;QUOTED-PRINTABLE:A=", "=20=", "B = ", "C").name == "A B C")
        #expect(try contact("3.0", "FN;QUOTED-PRINTABLE:A", "  =", "B", "  ", "  C").name == "A B  C")
    }

    @Test("folded lines")
    func folding() throws {
        #expect(try contact("3.0", "FN:Crus", " ty the", "  Clown", "\t!").name == "Crusty the Clown!")
        #expect(try contact("2.1", "FN:Crusty the", "  Clown").name == "Crusty the Clown")
        #expect(try contact("2.1", "FN:Crusty  ", "  the ", " ", "  Clown").name == "Crusty the Clown")
        #expect(try contact("3.0", "FN", " ;X=\"a:b", " c\"", " :Crusty").name == "Crusty")
        let number = try contact("4.0", "FN:A", "TEL;TYPE=home", " ,work,home:12345").phoneNumbers.first
        #expect(number?.types == ["home", "work"])
        #expect(
            try contact("2.1", "PHOTO;BASE64:", "  AAAA", "  BBBB", "", "FN:A", "LOGO;ENCODING=BASE64:AAAA", "QUJD", "")
                .name == "A")
    }

    @Test("escaped characters")
    func escapes() throws {
        let found = try contact("4.0", #"FN:A\, B\; C \\ D\nE\x"#, #"ORG:One\;Two;Three"#, "NICKNAME:,Bo\\,bo,Other")
        #expect(found.name == #"A, B; C \ D E\x"#)
        #expect(found.organizationName == "One;Two")
        #expect(found.nickname == "Bo,bo")
    }

    @Test("handles have their scheme")
    func handles() throws {
        let found = try contact(
            "3.0", "FN:A", "X-JABBER:a@chat", "X-JABBER:XMPP:b@chat", "X-SIP:sip:c@d", "IMPP:xmpp:a@chat", "IMPP:aim:e")
        #expect(found.handles == ["xmpp:a@chat", "XMPP:b@chat", "sip:c@d", "aim:e"])
    }

    @Test(
        "without FN the name is another one",
        arguments: [
            (["N:Clown;Crusty", "NICKNAME:K", "ORG:O"], "Crusty Clown"), (["N:;Crusty"], "Crusty"),
            (["N:Clown"], "Clown"), (["N:;;", "NICKNAME:K", "ORG:O"], "K"), (["FN: ", "ORG:O;P"], "O"),
        ])
    func fallbackNames(_ lines: [String], _ name: String) {
        let file = read((["BEGIN:VCARD", "VERSION:3.0"] + lines + ["END:VCARD"]).joined(separator: "\n"))
        #expect(file.contacts.first?.name == name)
    }

    @Test("errors name the line of the card, and the other cards count")
    func errors() {
        let file = read(
            """
            BEGIN:VCARD
            VERSION:3.0
            FN:One
            AGENT:
            begin:vcard
            VERSION:2.1
            N:Inner
            end : vcard
            FN:lost
            END:VCARD

            BEGIN:VCARD
            VERSION:5.0
            FN:Two
            END:VCARD
            BEGIN:VCARD
            FN:Three
            END:VCARD
            BEGIN:VCARD
            VERSION:4.0
            TEL:1
            END:VCARD
            BEGIN:VCARD
            VERSION:4.0
            KIND:group
            END:VCARD
            BEGIN:VCARD
            VERSION:4.0
            FN:cut
            """)
        #expect(
            names(file) == [
                "1 vcard.unterminated", "12 vcard.version", "16 vcard.version", "19 vcard.no-name",
                "27 vcard.unterminated",
            ])
        #expect(file.contacts.map(\.name) == ["Inner"])
        #expect((file.cards, file.skipped) == (7, 1))
    }

    @Test("a file without cards", arguments: ["", "\n", "VERSION:3.0\nEND:VCARD\n", " BEGIN:VCARD\n"])
    func none(_ text: String) {
        let file = read(text)
        #expect(names(file) == ["1 vcard.none"])
        #expect(file.cards == 0)
    }

    @Test("line ends, byte order marks and bytes that are no UTF-8")
    func bytes() {
        let text = "BEGIN:VCARD\rVERSION:3.0\rFN:A\rno colon\rTEL:\rEND:VCARD\rBEGIN:VCARD\r"
        let file = ContactFile(vCards: [0xEF, 0xBB, 0xBF] + Array(text.utf8))
        #expect(file.contacts.map(\.name) == ["A"])
        #expect(file.contacts.first?.phoneNumbers.isEmpty == true)
        #expect(names(file) == ["7 vcard.unterminated"])
        let card = "BEGIN:VCARD\nVERSION:3.0\nFN:J"
        let latin = ContactFile(vCards: Array(card.utf8) + [0xF6] + Array("rg\nEND:VCARD".utf8))
        #expect(latin.contacts.map(\.name) == ["Jörg"])
        let units = Array((card + "ö\nEND:VCARD").utf16)
        let wide = ContactFile(vCards: [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        #expect(wide.contacts.map(\.name) == ["Jö"])
    }

    @Test("what is empty, and the rest, is not kept")
    func empty() throws {
        let found = try contact("3.0", "FN:A", "ADR:;;;;;;", "EMAIL:mailto:", "URL:  ", "ORG:;Unit", "N:;;;;", "XYZ")
        #expect(found.addresses.isEmpty && found.emailAddresses.isEmpty && found.urls.isEmpty)
        #expect(found.organizationName == nil && found.givenName == nil && found.familyName == nil)
    }

    @Test("a large photo costs no more than its bytes")
    func largePhoto() {
        let started = threadSeconds()
        let lines = String(repeating: " " + String(repeating: "A", count: 74) + "\r\n", count: 100_000)
        let file = read("BEGIN:VCARD\r\nVERSION:3.0\r\nPHOTO;ENCODING=b:\r\n\(lines)FN:A\r\nEND:VCARD\r\n")
        #expect(file.contacts.map(\.name) == ["A"])
        // Of this thread alone: other tests may have the processors meanwhile.
        #expect(threadSeconds() - started < 60)
    }

    private func threadSeconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec
    }
}
