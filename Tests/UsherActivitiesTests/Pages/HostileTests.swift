import Testing

@testable import UsherActivities

/// Pages that are made to take long: an hour and more if values were looked at again for each node that refers to theirs.
@Suite(.timeLimit(.minutes(10))) struct HostileTests {
    private static let count = 100
    private static let references = (0..<count).map { #"{"@id":"_:\#($0)"}"# }.joined(separator: ",")
    private static let blanks = Array(repeating: #"" ""#, count: 200).joined(separator: ",")

    private static func read(_ nodes: [String]) -> Page {
        Page.read([PageCase.block(#""@graph":[\#(nodes.joined(separator: ","))]"#)])
    }

    /// As `itemref` makes them of a few thousand bytes: all nodes refer to all, and each of these to all.
    @Test(arguments: ["address", "geo", "contactPoint", "image", "url"])
    func crossReferences(_ property: String) {
        let names = ["streetAddress", "name", "url", "telephone"]
        let members = names.map { #""\#($0)":[\#(Self.blanks)]"# }.joined(separator: ",")
        let inner = (0..<Self.count).map { #"{"@id":"_:\#($0)","\#(property)":[\#(Self.references)],\#(members)}"# }
        let outer = #"{"telephone":"5551","\#(property)":[\#(Self.references)]}"#
        let page = Self.read(inner + Array(repeating: outer, count: Self.count))
        #expect(page.attributes == [#"{"phoneNumbers":["5551"],"supportsPhoneCalls":true}"#])
    }

    @Test func longTextsOfOneNode() {
        let spaces = String(repeating: " ", count: 64 << 10)
        let one = #"{"@id":"_:a","telephone":"5551\#(spaces)2","name":"\#(spaces)","url":"\#(spaces)"}"#
        let more = #"{"telephone":"5551 2","contactPoint":{"@id":"_:a"},"address":{"@id":"_:a"},"image":{"@id":"_:a"}}"#
        let page = Self.read([one] + Array(repeating: more, count: 10_000))
        #expect(page.attributes == [#"{"phoneNumbers":["5551 2"],"supportsPhoneCalls":true}"#])
    }

    /// Each of very many items has what is in one node: only so much is put together as the page is large.
    @Test func sharedNumbers() {
        let numbers = (0..<10_000).map { "\"\(10_000 + $0)\"" }.joined(separator: ",")
        let nodes = (0..<10_000).map { #"{"telephone":"\#(10_000 + $0)","contactPoint":{"@id":"_:a"}}"# }
        let page = Self.read([#"{"@id":"_:a","telephone":[\#(numbers)]}"#] + nodes)
        #expect((1...40).contains(page.items.count))
        #expect(page.findingNames == ["page.too-many"])
    }

    @Test func oneNodeInManyObjects() {
        let properties = (0..<10_000).map { #""p\#($0)":1"# }.joined(separator: ",")
        let objects = (0..<10_000).map { #"{"@id":"_:a","q\#($0)":1}"# }
        let page = Self.read([#"{"@id":"_:a",\#(properties)}"#] + objects + [#"{"@id":"_:a","telephone":"5551"}"#])
        #expect(page.items.count == 1)
    }

    @Test func eachInTheNext() {
        let nodes = (0..<10_000).map { #"{"@id":"_:\#($0)","telephone":"5551","contactPoint":{"@id":"_:\#($0 + 1)"}}"# }
        #expect(Self.read(nodes).items.count == 1)
    }
}
