import Testing
import UsherJSON

/// `usher place parse` through its pipes.
struct PlacesTests {
    private static let unknown =
        #""service":null,"name":null,"query":null,"latitude":null,"longitude":null,"altitude":null,"uncertainty":null,"#
        + #""crs":null,"zoom":null,"directions":null,"mode":null,"parameters":null,"#

    @Test func onePlaceIsAnObjectWithAllMembersInOrder() throws {
        try UsherProgram.run { usher throws in
            let geo = try usher("place", "parse", "geo:48.2,16.3,5;u=3;a=b;c?z=7")
            #expect(
                geo.output == #"{"uri":"geo:48.2,16.3,5;u=3;a=b;c?z=7","service":"geo","name":null,"query":null,"#
                    + #""latitude":48.2,"longitude":16.3,"altitude":5.0,"uncertainty":3.0,"crs":"wgs84","zoom":7.0,"#
                    + #""directions":false,"mode":null,"parameters":{"a":"b","c":null},"error":null}"# + "\n")
            #expect(geo.status == 0)
            let apple = try usher("place", "parse", "https://maps.apple.com/?daddr=Wien&dirflg=w")
            #expect(
                apple.output == #"{"uri":"https://maps.apple.com/?daddr=Wien&dirflg=w","service":"apple","name":null,"#
                    + #""query":"Wien","latitude":null,"longitude":null,"altitude":null,"uncertainty":null,"crs":null,"#
                    + #""zoom":null,"directions":true,"mode":"pedestrian","parameters":null,"error":null}"# + "\n")
        }
    }

    @Test func severalAreAnArray() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("place", "parse", "geo:1,2", "geo:91,0", "mailto:kim@mail.example")
            #expect(ending.status == 2)
            let names = ending.json().elements?.map { $0["error"]?["name"]?.string }
            #expect(names == [nil, "place.latitude", "place.unknown"])
            #expect(ending.errors.contains("[U8002 place.latitude]"))
            #expect(ending.errors.contains("[U8007 place.unknown]"))
            #expect(try usher("place", "parse", "geo:1,2", "geo:3,4").status == 0)
        }
    }

    @Test func errorLeavesTheUriAlone() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("place", "parse", "geo:1")
            #expect(ending.status == 2)
            #expect(
                ending.output.hasPrefix(
                    #"{"uri":"geo:1","# + Self.unknown + #""error":{"code":"U8001","name":"place.syntax","#))
            #expect(ending.errors.hasPrefix("usher: "))
            #expect(ending.errors.contains("[U8001 place.syntax]"))
        }
    }

    @Test func casesPassOtherMembersThrough() throws {
        try UsherProgram.run { usher throws in
            let lines = [
                #"{"id":7,"uri":"https://maps.google.com/?q=Wien","name":"old","x":[1.50]}"#, #""geo:0,181""#,
                #"{"id":8}"#,
                #"{"uri":5}"#, "{", #"{"uri":"geo:1,2\u0000"}"#,
            ]
            let ending = try usher("place", "parse", "--cases", "-", input: lines.joined(separator: "\n"))
            #expect(ending.status == 1)
            #expect(ending.errors.isEmpty)
            #expect(
                ending.lines.first == #"{"id":7,"uri":"https://maps.google.com/?q=Wien","name":null,"x":[1.50],"#
                    + #""service":"google","query":"Wien","latitude":null,"longitude":null,"altitude":null,"#
                    + #""uncertainty":null,"crs":null,"zoom":null,"directions":false,"mode":null,"parameters":null,"error":null}"#
            )
            let answers = try ending.lines.map { try JSONValue(parsing: Array($0.utf8)) }
            #expect(
                answers.map { $0["error"]?["name"]?.string } == [
                    nil, "place.longitude", "place.unknown", "place.unknown", "json.syntax", "place.syntax",
                ])
            #expect(answers.allSatisfy { $0["uri"] != nil && $0["directions"] != nil })
            #expect(try usher("place", "parse", "--cases", "-", input: "{\"uri\":\"geo:1,2\"}\n").status == 0)
        }
    }

    @Test func megabyteOfURI() throws {
        try UsherProgram.run { usher throws in
            let text = String(repeating: "%41", count: 333_333)
            let ending = try usher(
                "place", "parse", "--cases", "-", input: "{\"uri\":\"https://maps.google.com/?q=\(text)\"}\n")
            #expect(ending.status == 0)
            #expect(ending.json()["query"]?.string?.utf8.count == 333_333)
        }
    }

    @Test(arguments: [["place", "parse"], ["place", "parse", "geo:1,2", "--cases", "-"], ["place"]])
    func usage(_ words: [String]) throws {
        try UsherProgram.run { usher throws in
            #expect(try usher.run(words).status == 2)
        }
    }
}
