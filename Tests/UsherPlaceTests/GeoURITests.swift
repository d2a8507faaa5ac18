import Testing
import UsherJSON
import UsherPlace

/// `geo:` URIs.
struct GeoURITests {
    static let places: [PlaceCase] = [
        PlaceCase("geo:48.2010,16.3695", #"{"latitude":48.201,"longitude":16.3695}"#),
        PlaceCase("geo:48.2010,16.3695,183", #"{"latitude":48.201,"longitude":16.3695,"altitude":183.0}"#),
        PlaceCase("geo:1,2,-3.5", #"{"latitude":1.0,"longitude":2.0,"altitude":-3.5}"#),
        PlaceCase("GEO:1,2", #"{"latitude":1.0,"longitude":2.0}"#),
        PlaceCase("geo:-0,-0.0,-0", #"{"latitude":0.0,"longitude":0.0,"altitude":0.0}"#),
        PlaceCase("geo:90,-180", #"{"latitude":90.0,"longitude":-180.0}"#),
        PlaceCase("geo:-90.000,46", #"{"latitude":-90.0,"longitude":46.0}"#),
        PlaceCase("geo:007,00180", #"{"latitude":7.0,"longitude":180.0}"#),
        PlaceCase("geo:1,2;u=35", #"{"latitude":1.0,"longitude":2.0,"uncertainty":35.0}"#),
        PlaceCase("geo:1,2;crs=wgs84;u=0.5", #"{"latitude":1.0,"longitude":2.0,"uncertainty":0.5}"#),
        PlaceCase("geo:1,2;CRS=WGS84;U=5", #"{"latitude":1.0,"longitude":2.0,"uncertainty":5.0}"#),
        PlaceCase(
            "geo:1,2;crs=Wgs84;u=0;Floor=3;door;c-3=a%20b+%2B%C3%A9",
            #"{"latitude":1.0,"longitude":2.0,"uncertainty":0.0,"parameters":{"floor":"3","door":null,"c-3":"a b++é"}}"#
        ),
        PlaceCase("geo:1,2;a=1;A=2;a", #"{"latitude":1.0,"longitude":2.0,"parameters":{"a":"1"}}"#),
        PlaceCase(
            "geo:1,2;a=[x]:&+$-_.!~*'()", #"{"latitude":1.0,"longitude":2.0,"parameters":{"a":"[x]:&+$-_.!~*'()"}}"#),
        PlaceCase(
            "geo:1,2;a=%FF%00", "{\"latitude\":1.0,\"longitude\":2.0,\"parameters\":{\"a\":\"\u{FFFD}\\u0000\"}}"),
    ]

    @Test(arguments: places)
    func place(_ place: PlaceCase) { place.check() }

    static let refused = [
        "geo:", "geo:1", "geo:1,", "geo:,1", "geo:1,2,", "geo:1,2,3,4", "geo:1.,2", "geo:.5,1", "geo:+1,2", "geo:1e1,2",
        "geo:--1,2", "geo:- 1,2", "geo:1, 2", " geo:1,2", "geo:1,2 ", "geo:nan,0", "geo:inf,0", "geo:0x1,2",
        "geo:%31,2",
        "geo://1,2", "geo:1,2#here", "geo:1,2;", "geo:1,2;;a=1", "geo:1,2;=1", "geo:1,2;a=", "geo:1,2;a b=1",
        "geo:1,2;a=%",
        "geo:1,2;a=%2", "geo:1,2;a=%zz", "geo:1,2;a=b=c", "geo:1,2;a=é", "geo:1,2;a_b=1", "geo:1,2;u=-5",
        "geo:1,2;u=-0",
        "geo:1,2;u=", "geo:1,2;u", "geo:1,2;u=1;u=1", "geo:1,2;u=1;U=2", "geo:1,2;u=1;crs=wgs84", "geo:1,2;a=1;u=5",
        "geo:1,2;a=1;crs=wgs84", "geo:1,2;crs=wgs84;crs=wgs84", "geo:1,2;crs", "geo:1,2;crs=", "geo:1,2;crs=a_b",
        "geo:1,2;u=5m", "geo:1,2\u{0}", "geo:1\u{0660},2", "geo:?q=Vienna", "geo:1;2", "geo:1,2;crs=nad83;a=%",
    ]

    @Test(arguments: refused)
    func syntax(_ uri: String) {
        let expected = uri.hasPrefix(" ") ? "place.unknown" : "place.syntax"
        #expect(PlaceCase.reading(of: uri) == expected)
    }

    static let faults: [PlaceCase] = [
        PlaceCase("geo:91,0", "place.latitude"), PlaceCase("geo:-90.0001,0", "place.latitude"),
        PlaceCase("geo:0,181", "place.longitude"), PlaceCase("geo:0,-180.5", "place.longitude"),
        PlaceCase("geo:91,181", "place.latitude"), PlaceCase("geo:1,2;crs=nad83", "place.crs"),
        PlaceCase("geo:5000000,10;CRS=EPSG-3857;u=5", "place.crs"), PlaceCase("geo:91,0?q=Vienna", "place.latitude"),
        PlaceCase("geo:0,0?q=91,0(Nowhere)", "place.latitude"), PlaceCase("geo:0,0?q=0,181", "place.longitude"),
    ]

    @Test(arguments: faults)
    func fault(_ fault: PlaceCase) { fault.check() }

    static let android: [PlaceCase] = [
        PlaceCase("geo:48.2,16.3?z=11", #"{"latitude":48.2,"longitude":16.3,"zoom":11.0}"#),
        PlaceCase("geo:48.2,16.3?z=x", #"{"latitude":48.2,"longitude":16.3}"#),
        PlaceCase("geo:48.2,16.3?z=1e1", #"{"latitude":48.2,"longitude":16.3}"#),
        PlaceCase("geo:48.2,16.3?q=coffee&z=9.5", #"{"query":"coffee","latitude":48.2,"longitude":16.3,"zoom":9.5}"#),
        PlaceCase("geo:0,0?q=1600+Amphitheatre+Pkwy%2C+CA", #"{"query":"1600 Amphitheatre Pkwy, CA"}"#),
        PlaceCase("geo:0.0,-0?Q=Vienna", #"{"query":"Vienna"}"#),
        PlaceCase("geo:0,0,5;u=3?q=Vienna", #"{"query":"Vienna"}"#),
        PlaceCase("geo:0,0?q=", #"{"latitude":0.0,"longitude":0.0}"#),
        PlaceCase("geo:0,0?z=3", #"{"latitude":0.0,"longitude":0.0,"zoom":3.0}"#),
        PlaceCase("geo:0,0?q=48.2,16.3(Karlskirche)", #"{"name":"Karlskirche","latitude":48.2,"longitude":16.3}"#),
        PlaceCase("geo:0,0?q=48.2,16.3(Caf%C3%A9+(old))", #"{"name":"Café (old)","latitude":48.2,"longitude":16.3}"#),
        PlaceCase("geo:0,0?q=48.2%2C+16.3+()", #"{"latitude":48.2,"longitude":16.3}"#),
        PlaceCase("geo:0,0?q=48.2,16.3", #"{"latitude":48.2,"longitude":16.3}"#),
        PlaceCase("geo:1,2,3;u=4?q=48.2,16.3(X)", #"{"name":"X","latitude":48.2,"longitude":16.3}"#),
        PlaceCase(
            "geo:1,2,3;u=4;a=b?q=1,2(X)#top",
            #"{"name":"X","latitude":1.0,"longitude":2.0,"altitude":3.0,"uncertainty":4.0,"parameters":{"a":"b"}}"#),
        PlaceCase("geo:0,0?q=Cafe+(old)", #"{"query":"Cafe (old)"}"#),
        PlaceCase("geo:0,0?q=a%26b=c&q=d&other=1", #"{"query":"a&b=c"}"#),
        PlaceCase("geo:0,0?q=100%&z=5", #"{"query":"100%","zoom":5.0}"#),
        PlaceCase("geo:0,0?q=%FFx", "{\"query\":\"\u{FFFD}x\"}"),
        PlaceCase("geo:0,0?q=+%09x+", #"{"query":"x"}"#),
        PlaceCase("geo:0,0?", #"{"latitude":0.0,"longitude":0.0}"#),
    ]

    @Test(arguments: android)
    func parametersOfAndroid(_ place: PlaceCase) { place.check() }

    @Test func membersOfNoOtherService() throws {
        var json = JSONWriter()
        json.beginArray()
        for uri in ["geo:1,2", "https://www.openstreetmap.org/#map=3/1/2"] {
            let place = try Place(uri)
            for name in ["service", "crs", "directions", "parameters"] { Place.write(name, of: place, to: &json) }
        }
        Place.write("directions", of: nil, to: &json)
        json.endArray()
        #expect(json.text == #"["geo","wgs84",false,{},"osm",null,false,null,null]"#)
    }

    @Test func largeInputs() {
        let digits = String(repeating: "9", count: 1_000_000)
        #expect(PlaceCase.reading(of: "geo:\(digits),0") == "place.latitude")
        #expect(PlaceCase.reading(of: "geo:0,\(digits)") == "place.longitude")
        #expect(PlaceCase.reading(of: "geo:0,0,\(digits)") == "place.syntax")
        #expect(PlaceCase.reading(of: "geo:0,0;u=\(digits)") == "place.syntax")
        #expect(PlaceCase.reading(of: "geo:0.\(digits),0") == #"{"latitude":1.0,"longitude":0.0}"#)
        #expect(PlaceCase.reading(of: "geo:1,1?z=\(digits)") == #"{"latitude":1.0,"longitude":1.0}"#)
        #expect(PlaceCase.reading(of: "geo:" + String(repeating: "1,", count: 500_000)) == "place.syntax")
        let parameters = (0..<100_000).map { ";p\($0)=1" }.joined()
        #expect(PlaceCase.reading(of: "geo:1,1" + parameters).utf8.count > 1_000_000)
        #expect(PlaceCase.reading(of: "geo:1,1" + String(repeating: ";a", count: 500_000)).utf8.count < 100)
    }
}
