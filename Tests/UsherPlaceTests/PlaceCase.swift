import Testing
import UsherJSON
import UsherPlace
import UsherScene

/// A URI, and those members of its place that are neither null, false nor {}, as JSON text; or the name of the error.
struct PlaceCase: CustomTestStringConvertible, Sendable {
    var uri: String
    var place: String

    init(_ uri: String, _ place: String) {
        self.uri = uri
        self.place = place
    }

    var testDescription: String { String(uri.prefix(100)) }

    func check(_ location: Testing.SourceLocation = #_sourceLocation) {
        #expect(Self.reading(of: uri) == place, sourceLocation: location)
    }

    static func reading(of uri: String) -> String {
        let place: Place
        do {
            place = try Place(uri)
        } catch {
            return error.code.name
        }
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        for name in Place.memberNames where name != "service" && name != "crs" {
            var value = JSONWriter(escaping: .minimal)
            Place.write(name, of: place, to: &value)
            if !["null", "false", "{}"].contains(value.text) { json.member(name, raw: value.bytes) }
        }
        json.endObject()
        return json.text
    }
}
