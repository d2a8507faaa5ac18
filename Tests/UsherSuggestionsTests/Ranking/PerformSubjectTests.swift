import Testing
import UsherJSON
import UsherPayload

@testable import UsherSuggestions

/// What an action is about.
struct PerformSubjectTests {
    private func subject(_ attributes: String) throws -> PerformSubject {
        PerformSubject(try ContentAttributes(JSONValue(parsing: Array(attributes.utf8))), item: "x:1")
    }

    @Test(
        "a place without coordinates has to be searched for",
        arguments: [
            (#"{"namedLocation":"A","thoroughfare":"Ring","subThoroughfare":"1","city":"Wien"}"#, "1 Ring, Wien", ""),
            (#"{"namedLocation":"A","city":"Wien","country":"Austria"}"#, "A, Wien, Austria", ""),
            (#"{"namedLocation":"A"}"#, "A", ""),
            (#"{"namedLocation":"A","city":"Wien","latitude":48.2,"longitude":-16}"#, "-", "48.2 -16.0"),
        ])
    func search(_ attributes: String, _ query: String, _ point: String) throws {
        let subject = try subject(attributes)
        #expect(subject.name == "A")
        #expect((subject.query ?? "-") == query)
        let degrees = [subject.latitude, subject.longitude].compactMap { $0?.description }
        #expect(degrees.joined(separator: " ") == point)
    }

    @Test func whatItSupports() throws {
        #expect(try !subject(#"{"namedLocation":"A"}"#).supportsNavigation)
        #expect(try subject(#"{"namedLocation":"A","city":"B"}"#).supportsNavigation)
        #expect(try !subject(#"{"namedLocation":"A","city":"B","supportsNavigation":false}"#).supportsNavigation)
        #expect(try subject(#"{"namedLocation":"A","phoneNumbers":["555"]}"#).supportsPhoneCalls)
        #expect(try !subject(#"{"namedLocation":"A","supportsPhoneCalls":false}"#).supportsPhoneCalls)
    }

    @Test(
        "a handle is a number or an address",
        arguments: [
            ("+43 1 234", "+43 1 234", nil), ("tel:+43%201%20234", "+43 1 234", nil),
            ("a@b.example", nil, "a@b.example"), ("mailto:a@b.example?subject=x", nil, "a@b.example"),
        ] as [(String, String?, String?)])
    func handle(_ text: String, _ number: String?, _ email: String?) throws {
        let subject = try #require(PerformSubject(handle: text))
        #expect(subject.number == number)
        #expect(subject.email == email)
    }

    @Test func contactsAreNamed() {
        var crusty = Contact(name: "Crusty the Clown")
        crusty.phoneNumbers = [.init(value: "+1-555-0100", types: [])]
        let contacts = [crusty, Contact(name: "Crust")]
        #expect(contacts.named("crust")?.name == "Crust")
        #expect(contacts.named("clown crus")?.name == "Crusty the Clown")
        #expect(contacts.named("tel:1(555)0100")?.name == "Crusty the Clown")
        for text in ["", " ", "555 0199", "Bozo"] { #expect(contacts.named(text) == nil) }
        #expect(contacts.isSame("+15550100", "Crusty  the clown"))
        #expect(!contacts.isSame("Crust", "Crusty the Clown"))
        #expect(PerformSubject(handle: "Crusty") == nil)
    }
}
