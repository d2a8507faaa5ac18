import Testing
import UsherPlace
import UsherScene
import UsherTarget

/// Which app a place goes to, and as what.
struct PlaceErrandTests {
    private static func app(
        _ id: String, _ modes: [DirectionsMode] = [], _ templates: [PerformVerb: String]
    ) throws -> App {
        let place = UsherScene.SourceLocation(path: "apps/\(id).toml", line: 1, column: 1)
        var app = App(id: id, name: id, location: place)
        app.suggestions.directionsModes = modes
        for (verb, text) in templates { app.suggestions.perform[verb] = Located(try URITemplate(text), at: place) }
        return app
    }

    private static func apps() throws -> [App] {
        try [
            app("none", [.bike], [:]),
            app("rides", [.rideShare], [.directions: "rides:{?latitude,longitude,query}"]),
            app("trains", [.transit, .car], [.directions: "trains:{query}{latitude}"]),
            app("any", [], [.directions: "any:{?latitude,longitude,query,name,mode}"]),
            app("map", [.car], [.place: "map:{?latitude,longitude,query,name,address}", .directions: "map:to{?mode}"]),
        ]
    }

    @Test(arguments: [
        ("geo:48.5,16", "map place map:?latitude=48.5&longitude=16"),
        ("geo:0,0?q=Karlskirche,+Wien", "map place map:?query=Karlskirche%2C%20Wien"),
        ("geo:0,0?q=1,2(A%26B)", "map place map:?latitude=1&longitude=2&name=A%26B"),
        ("geo:0.00001,-0.0000025", "map place map:?latitude=0.00001&longitude=-0.0000025"),
        ("geo:0.00000000000001,-0", "map place map:?latitude=0&longitude=0"),
        ("https://maps.apple.com/?daddr=Wien", "rides directions rides:?query=Wien"),
        ("https://maps.apple.com/?daddr=Wien&dirflg=r", "trains directions trains:Wien"),
        ("https://maps.apple.com/?daddr=48,16&dirflg=d", "trains directions trains:48"),
        ("https://maps.apple.com/?daddr=48,16&dirflg=b", "any directions any:?latitude=48&longitude=16&mode=bike"),
    ])
    func errand(_ uri: String, _ expected: String) throws {
        let errand = try #require(try PlaceErrand(Place(uri), among: Self.apps()))
        #expect("\(errand.app) \(errand.verb.rawValue) \(errand.target.text)" == expected)
    }

    @Test func nobody() throws {
        let (place, way) = (try Place("geo:1,2"), try Place("https://maps.apple.com/?daddr=Wien&dirflg=w"))
        #expect(try PlaceErrand(place, among: []) == nil)
        #expect(try PlaceErrand(place, among: Self.apps().dropLast()) == nil)
        #expect(try PlaceErrand(way, among: Self.apps().prefix(3)) == nil)
        // A place that nobody leads to can still be shown.
        let map = try Self.app("map", [], [.place: "map:{query}"])
        #expect(try PlaceErrand(way, among: [map])?.verb == .place)
    }
}
