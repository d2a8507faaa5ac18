import Testing
import UsherPlace

/// Links of map services.
struct MapLinkTests {
    static let karlskirche = #""latitude":48.198,"longitude":16.371"#

    static let googleLinks: [PlaceCase] = [
        PlaceCase("/maps/search/?api=1&query=Caf%C3%A9+Central%2C+Wien", #"{"query":"Café Central, Wien"}"#),
        PlaceCase("/maps/search/?api=1&query=48.198%2C16.371", "{\(karlskirche)}"),
        PlaceCase("/maps/search/?api=1&query=48.198%2C%2016.371&query_place_id=ChIJ", "{\(karlskirche)}"),
        PlaceCase("/maps/search/pizza", #"{"query":"pizza"}"#),
        PlaceCase("/maps/search/pizza/@48.198,16.371,15z", "{\"query\":\"pizza\",\(karlskirche),\"zoom\":15.0}"),
        PlaceCase(
            "/maps/dir/?api=1&origin=Graz&destination=Karlskirche&travelmode=bicycling",
            #"{"query":"Karlskirche","directions":true,"mode":"bike"}"#),
        PlaceCase(
            "/maps/dir/?api=1&destination=48.198,16.371&travelmode=Walking",
            "{\(karlskirche),\"directions\":true,\"mode\":\"pedestrian\"}"),
        PlaceCase(
            "/maps/dir/?api=1&destination=X&travelmode=driving", #"{"query":"X","directions":true,"mode":"car"}"#),
        PlaceCase(
            "/maps/dir/?api=1&destination=X&travelmode=transit", #"{"query":"X","directions":true,"mode":"transit"}"#),
        PlaceCase("/maps/dir/?api=1&destination=X&travelmode=two-wheeler", #"{"query":"X","directions":true}"#),
        PlaceCase("/maps/dir/?api=1&origin=X", "place.nothing"),
        PlaceCase("/maps/dir/?api=1&origin=X&query=Y&ll=1,2", "place.nothing"),
        PlaceCase(
            "/maps/dir/Graz/Karlskirche,+Wien/@47.6,15.8,9z/data=!3d1!4d2",
            #"{"query":"Karlskirche, Wien","zoom":9.0,"directions":true}"#),
        PlaceCase("/maps/dir//48.198,16.371", "{\(karlskirche),\"directions\":true}"),
        PlaceCase("/maps/dir/Graz/", "place.nothing"),
        PlaceCase("/maps/@48.198,16.371,15z", "{\(karlskirche),\"zoom\":15.0}"),
        PlaceCase("/maps/@48.198,16.371,17.25z/data=!5m1!1e1?hl=de", "{\(karlskirche),\"zoom\":17.25}"),
        PlaceCase("/maps/@48.198,16.371,500m/data=!3m1!1e3", "{\(karlskirche)}"),
        PlaceCase("/maps/@48.198,16.371,3a,75y,90t/data=!3m6", "{\(karlskirche)}"),
        PlaceCase("/maps/@91,16.371,15z", "place.latitude"),
        PlaceCase("/maps/@48.198,181,15z", "place.longitude"),
        PlaceCase("/maps/@x,y,15z", "place.nothing"),
        PlaceCase(
            "/maps/place/Karlskirche/@1,2,15z/data=!3m1!4b1!8m2!3d48.198!4d16.371!16s",
            "{\"name\":\"Karlskirche\",\(karlskirche),\"zoom\":15.0}"),
        PlaceCase(
            "/maps/place/Eiffel+Tower/@1,2,15z/data=!2sParis!3b1!8m2!3d3!4d4!3m4!8m2!3d48.198!4d16.371",
            "{\"name\":\"Eiffel Tower\",\(karlskirche),\"zoom\":15.0}"),
        PlaceCase("/maps/place/A%2FB+C%2BD/@48.198,16.371,15z", "{\"name\":\"A/B C+D\",\(karlskirche),\"zoom\":15.0}"),
        PlaceCase("/maps/place/Karlskirche", #"{"name":"Karlskirche","query":"Karlskirche"}"#),
        PlaceCase("/maps/place/48.198,16.371", "{\(karlskirche)}"),
        PlaceCase("/maps/place//@48.198,16.371,15z", "{\(karlskirche),\"zoom\":15.0}"),
        PlaceCase("/maps/place/X/data=!3d91!4d0", "place.latitude"),
        PlaceCase("/maps?q=Karlskirche&z=12", #"{"query":"Karlskirche","zoom":12.0}"#),
        PlaceCase("/maps?q=48.198,16.371&zoom=x", "{\(karlskirche)}"),
        PlaceCase("/maps?q=loc:48.198,16.371(Karlskirche)", "{\"name\":\"Karlskirche\",\(karlskirche)}"),
        PlaceCase("/maps?q=pizza&ll=48.198,16.371", "{\"query\":\"pizza\",\(karlskirche)}"),
        PlaceCase("/maps?ll=48.198,16.371", "{\(karlskirche)}"),
        PlaceCase("/maps?ll=48.198", "place.nothing"),
        PlaceCase("/maps/@?api=1&map_action=map&center=48.198%2C16.371&zoom=12", "{\(karlskirche),\"zoom\":12.0}"),
        PlaceCase("/maps?saddr=Graz&daddr=Wien&dirflg=r", #"{"query":"Wien","directions":true,"mode":"transit"}"#),
        PlaceCase("/maps?saddr=Graz", "place.nothing"), PlaceCase("/maps?q=", "place.nothing"),
        PlaceCase("/maps?q=+%20", "place.nothing"), PlaceCase("/maps", "place.nothing"),
        PlaceCase("/maps/", "place.nothing"),
        PlaceCase("/search?q=pizza", "place.unknown"), PlaceCase("/", "place.unknown"),
        PlaceCase("/mapsy?q=x", "place.unknown"),
        PlaceCase("?q=x", "place.unknown"),
    ]

    @Test(arguments: googleLinks)
    func google(_ link: PlaceCase) { PlaceCase("https://www.google.com" + link.uri, link.place).check() }

    static let appleLinks: [PlaceCase] = [
        PlaceCase("/?q=Karlskirche", #"{"query":"Karlskirche"}"#),
        PlaceCase("?q=Karlskirche&ll=48.198,16.371&z=12.5", "{\"name\":\"Karlskirche\",\(karlskirche),\"zoom\":12.5}"),
        PlaceCase(
            "/?q=Karlskirche&address=Karlsplatz+10,Wien", #"{"name":"Karlskirche","query":"Karlsplatz 10,Wien"}"#),
        PlaceCase("/?address=Karlsplatz+10", #"{"query":"Karlsplatz 10"}"#),
        PlaceCase("/?ll=48.198,16.371", "{\(karlskirche)}"),
        PlaceCase("/?q=48.198,16.371", "{\(karlskirche)}"), PlaceCase("/?ll=x&q=Wien", #"{"query":"Wien"}"#),
        PlaceCase("/?q=coffee&sll=1,2&near=3,4", #"{"query":"coffee"}"#),
        PlaceCase("/?sll=1,2&near=3,4", "place.nothing"),
        PlaceCase("/?daddr=Wien&dirflg=w", #"{"query":"Wien","directions":true,"mode":"pedestrian"}"#),
        PlaceCase("/?saddr=Graz&daddr=48.198,16.371&dirflg=d", "{\(karlskirche),\"directions\":true,\"mode\":\"car\"}"),
        PlaceCase("/?daddr=Wien&dirflg=r", #"{"query":"Wien","directions":true,"mode":"transit"}"#),
        PlaceCase("/?daddr=Wien&dirflg=x", #"{"query":"Wien","directions":true}"#),
        PlaceCase("/?saddr=Graz", "place.nothing"),
        PlaceCase(
            "/place?coordinate=48.198,16.371&name=Karlskirche&address=Karlsplatz",
            "{\"name\":\"Karlskirche\",\(karlskirche)}"),
        PlaceCase("/place?name=Karlskirche&address=Karlsplatz", #"{"name":"Karlskirche","query":"Karlsplatz"}"#),
        PlaceCase("/place?name=Karlskirche&place-id=I1", #"{"name":"Karlskirche","query":"Karlskirche"}"#),
        PlaceCase("/place?place-id=I1", "place.nothing"), PlaceCase("/search?query=pizza", #"{"query":"pizza"}"#),
        PlaceCase(
            "/directions?source=Graz&destination=Wien&mode=cycling",
            #"{"query":"Wien","directions":true,"mode":"bike"}"#),
        PlaceCase("/directions?destination=Wien&mode=driving", #"{"query":"Wien","directions":true,"mode":"car"}"#),
        PlaceCase("/directions?source=Graz", "place.nothing"), PlaceCase("/?ll=91,0", "place.latitude"),
        PlaceCase("/place?coordinate=0,-181", "place.longitude"), PlaceCase("/", "place.nothing"),
        PlaceCase("/frame?center=48.198,16.371", "{\(karlskirche)}"),
    ]

    @Test(arguments: appleLinks)
    func apple(_ link: PlaceCase) { PlaceCase("http://maps.apple.com" + link.uri, link.place).check() }

    static let openStreetMapLinks: [PlaceCase] = [
        PlaceCase("/?mlat=48.198&mlon=16.371#map=17/1/2", "{\(karlskirche),\"zoom\":17.0}"),
        PlaceCase("/?mlat=48.198&mlon=16.371", "{\(karlskirche)}"),
        PlaceCase("/#map=17/48.198/16.371", "{\(karlskirche),\"zoom\":17.0}"),
        PlaceCase("/#map=17/48.198/16.371&layers=N", "{\(karlskirche),\"zoom\":17.0}"),
        PlaceCase("/#map=x/48.198/16.371", "{\(karlskirche)}"),
        PlaceCase("/node/1#map=5.5/48.198/16.371", "{\(karlskirche),\"zoom\":5.5}"),
        PlaceCase("/?mlat=48.198", "place.nothing"),
        PlaceCase("/search?query=Karlskirche+Wien", #"{"query":"Karlskirche Wien"}"#),
        PlaceCase("/search?query=48.198%2C16.371#map=5/1/2", "{\(karlskirche),\"zoom\":5.0}"),
        PlaceCase(
            "/directions?engine=fossgis_osrm_foot&route=47.07%2C15.43%3B48.198%2C16.371#map=8/1/2",
            "{\(karlskirche),\"zoom\":8.0,\"directions\":true,\"mode\":\"pedestrian\"}"),
        PlaceCase(
            "/directions?engine=graphhopper_bicycle&route=Graz;Wien",
            #"{"query":"Wien","directions":true,"mode":"bike"}"#),
        PlaceCase(
            "/directions?engine=fossgis_valhalla_car&route=;Wien", #"{"query":"Wien","directions":true,"mode":"car"}"#),
        PlaceCase(
            "/directions?engine=fossgis_osrm_bike&route=a;b;Wien", #"{"query":"Wien","directions":true,"mode":"bike"}"#),
        PlaceCase("/directions?from=Graz&to=Wien", #"{"query":"Wien","directions":true}"#),
        PlaceCase("/directions?route=Graz;", "place.nothing"),
        PlaceCase("/directions?route=Graz#map=1/2/3", "place.nothing"), PlaceCase("/?mlat=91&mlon=0", "place.latitude"),
        PlaceCase("/#map=5/0/180.5", "place.longitude"), PlaceCase("/#map=5/0", "place.nothing"),
        PlaceCase("/", "place.nothing"),
        PlaceCase("/go/0EEQjE--?m=", "place.short-link"),
        PlaceCase("/gone?mlat=48.198&mlon=16.371", "{\(karlskirche)}"),
    ]

    @Test(arguments: openStreetMapLinks)
    func openStreetMap(_ link: PlaceCase) { PlaceCase("https://www.openstreetmap.org" + link.uri, link.place).check() }

    static let bingLinks: [PlaceCase] = [
        PlaceCase("?cp=48.198~16.371&lvl=12", "{\(karlskirche),\"zoom\":12.0}"),
        PlaceCase("?cp=48.198%7E16.371&lvl=x", "{\(karlskirche)}"),
        PlaceCase("?where1=Karlskirche", #"{"query":"Karlskirche"}"#),
        PlaceCase("?q=Karlskirche", #"{"query":"Karlskirche"}"#),
        PlaceCase("/default.aspx?where1=48.198,16.371&cp=1~2", "{\(karlskirche)}"),
        PlaceCase("?q=pizza&cp=48.198~16.371", "{\"query\":\"pizza\",\(karlskirche)}"),
        PlaceCase("?sp=point.48.198_16.371_Karlskirche&cp=1~2", "{\"name\":\"Karlskirche\",\(karlskirche)}"),
        PlaceCase(
            "?sp=point.48.198_16.371_Karls%20Kirche_Notes_http%3A%2F%2Fx~point.1_2_B",
            "{\"name\":\"Karls Kirche\",\(karlskirche)}"),
        PlaceCase("?sp=point.48.198_16.371", "{\(karlskirche)}"), PlaceCase("?sp=point.x_y_Z", "place.nothing"),
        PlaceCase(
            "?rtp=adr.Graz~pos.48.198_16.371_Karlskirche&mode=W",
            "{\"name\":\"Karlskirche\",\(karlskirche),\"directions\":true,\"mode\":\"pedestrian\"}"),
        PlaceCase(
            "?rtp=~adr.Karlsplatz_10,+Wien&mode=T",
            #"{"query":"Karlsplatz_10, Wien","directions":true,"mode":"transit"}"#),
        PlaceCase(
            "?rtp=pos.1_2~pos.3_4~pos.48.198_16.371&mode=d", "{\(karlskirche),\"directions\":true,\"mode\":\"car\"}"),
        PlaceCase("/directions?rtp=~adr.Wien&cp=1~2", #"{"query":"Wien","directions":true}"#),
        PlaceCase("?rtp=adr.Graz", "place.nothing"),
        PlaceCase("?rtp=adr.Graz~", "place.nothing"), PlaceCase("?cp=91~0", "place.latitude"),
        PlaceCase("?sp=point.0_181_X", "place.longitude"),
        PlaceCase("", "place.nothing"),
    ]

    @Test(arguments: bingLinks)
    func bing(_ link: PlaceCase) { PlaceCase("https://www.bing.com/maps" + link.uri, link.place).check() }
}

/// Which links are of map services at all.
struct MapHostTests {
    @Test(arguments: [
        "https://google.com/maps?q=x", "https://www.google.pl/maps?q=x", "https://www.google.co.uk/maps?q=x",
        "https://www.google.com.br/maps?q=x", "https://google.cat/maps?q=x", "http://maps.google.com/?q=x",
        "HTTPS://MAPS.GOOGLE.DE/maps?q=x", "https://maps.google.at?q=x", "https://www.google.com:443/maps?q=x",
        "https://www.google.com:/maps?q=x", "https://www.google.com./maps?q=x",
        "https://kim:secret@www.google.com/maps?q=x",
        "https://www.google.com/Maps?Q=x#top", "https://maps.apple.com/?q=x", "https://Maps.Apple.com:8443/?q=x",
        "https://bing.com/maps?q=x", "https://www.bing.com/maps/?q=x", "https://maps.bing.com/?q=x",
        "https://osm.org/search?query=x", "http://openstreetmap.org/search?query=x",
    ])
    func known(_ link: String) { #expect(PlaceCase.reading(of: link) == #"{"query":"x"}"#) }

    @Test(arguments: [
        "https://google.evil.com/maps?q=x", "https://notgoogle.com/maps?q=x",
        "https://google.com.evil.example/maps?q=x",
        "https://maps.google.com.evil.com/?q=x", "https://www.google.co.evil/maps?q=x", "https://google/maps?q=x",
        "https://google./maps?q=x", "https://.google.com/maps?q=x", "https://www.google.com@evil.com/maps?q=x",
        "https://evil.com\\@www.google.com/maps?q=x", "https://evil.com/@www.google.com/maps?q=x",
        "https://a@b@www.google.com/maps?q=x", "https://www.google.com:port/maps?q=x",
        "https://www.google.com:99999/maps?q=x",
        "https://www.google.com%2Fevil/maps?q=x", "https://www.google.com\u{0}/maps?q=x",
        "https://goo\ngle.com/maps?q=x",
        "https://www.g\u{43E}ogle.com/maps?q=x", "https://docs.google.com/maps?q=x", "https://google.c0m/maps?q=x",
        "https://www.google.com../maps?q=x", "https://evilmaps.apple.com/?q=x", "https://maps.apple.com.evil.com/?q=x",
        "https://apple.com/?q=x", "https://www.bing.com/search?q=x", "https://bing.evil.com/maps?q=x",
        "https://notopenstreetmap.org/?mlat=1&mlon=2", "https://goo.gl/abc", "https:www.google.com/maps?q=x",
        "https:/www.google.com/maps?q=x", "ftp://www.google.com/maps?q=x", "httpss://www.google.com/maps?q=x",
        "https://", "https:",
        "http", "", ":", "geo", "//www.google.com/maps?q=x", "mailto:kim@mail.example", "maps:?q=x", "48.2,16.3",
        "\u{0}",
    ])
    func unknown(_ link: String) { #expect(PlaceCase.reading(of: link) == "place.unknown") }

    @Test(arguments: [
        "https://maps.app.goo.gl/abc?g_st=ic", "https://goo.gl/maps/abc", "http://goo.gl/maps",
        "https://osm.org/go/0EEQjE--",
        "https://www.openstreetmap.org/go/0EEQjE", "https://maps.apple/p/abc", "https://MAPS.APPLE/p/abc?ll=1,2",
    ])
    func shortened(_ link: String) { #expect(PlaceCase.reading(of: link) == "place.short-link") }

    @Test func largeInputs() {
        let text = String(repeating: "x", count: 1_000_000)
        #expect(PlaceCase.reading(of: "https://maps.google.com/?q=" + text) == "{\"query\":\"\(text)\"}")
        #expect(PlaceCase.reading(of: "https://\(text).google.com/maps?q=x") == "place.unknown")
        let parameters = String(repeating: "&a=b", count: 250_000)
        #expect(PlaceCase.reading(of: "https://maps.google.com/?q=x" + parameters) == #"{"query":"x"}"#)
        let slashes = String(repeating: "/", count: 1_000_000)
        #expect(PlaceCase.reading(of: "https://maps.google.com" + slashes) == "place.nothing")
        let fields = String(repeating: "!3d!4d", count: 150_000)
        #expect(
            PlaceCase.reading(of: "https://maps.google.com/maps/place/X/data=\(fields)") == #"{"name":"X","query":"X"}"#
        )
        #expect(PlaceCase.reading(of: "https://" + String(repeating: "@", count: 1_000_000)) == "place.unknown")
    }
}
