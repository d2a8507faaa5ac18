import Testing
import UsherTarget

@Suite struct CanonicalAddressTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        /// Nil where the identifier has no canonical form.
        let canonical: String?
        let rules: [String]
        var settings: AddressSettings
        var testDescription: String { id }

        init(
            _ id: String, _ canonical: String?, _ rules: [String] = [], settings: AddressSettings = AddressSettings()
        ) {
            (self.id, self.canonical, self.rules, self.settings) = (id, canonical, rules, settings)
        }
    }

    static let usual: [Case] = [
        Case("https://site.example/a", "https://site.example/a"),
        Case("http://site.example/a", "https://site.example/a", ["scheme"]),
        Case("HTTP://site.example/a", "https://site.example/a", ["scheme"]),
        Case("HTTPS://site.example/a", "https://site.example/a", ["host"]),
        Case("https://Site.EXAMPLE/a", "https://site.example/a", ["host"]),
        Case("http://site.example:80/", "https://site.example/", ["scheme", "port"]),
        Case("https://site.example:443/", "https://site.example/", ["port"]),
        Case("https://site.example:/", "https://site.example/", ["port"]),
        Case("https://site.example:0443/", "https://site.example/", ["port"]),
        Case("http://site.example:443/", "https://site.example:443/", ["scheme"]),
        Case("https://site.example:80/", "https://site.example:80/"),
        Case("http://site.example:8080/", "https://site.example:8080/", ["scheme"]),
        Case("https://[2001:DB8::1]:443/", "https://[2001:db8::1]/", ["host", "port"]),
        Case("https://site.example", "https://site.example/", ["path"]),
        Case("https://site.example?q=1", "https://site.example/?q=1", ["path"]),
        Case("https://site.example/a/./b/../c", "https://site.example/a/c", ["path"]),
        Case("https://site.example/a/..", "https://site.example/", ["path"]),
        Case("https://site.example/../../a/.", "https://site.example/a/", ["path"]),
        Case("https://site.example/a/%2E%2e/b", "https://site.example/b", ["path"]),
        Case("https://site.example/a//b/...", "https://site.example/a//b/..."),
        Case("https://site.example/%7Eada/%c3%a9", "https://site.example/~ada/%C3%A9", ["percent"]),
        Case("https://site.example/a%2fb", "https://site.example/a%2Fb", ["percent"]),
        Case("https://site.example/100%/%zz", "https://site.example/100%/%zz"),
        Case("https://site.example/?q=%61+b%20c", "https://site.example/?q=a+b%20c", ["percent"]),
        Case(
            "https://site.example/?b=2&utm_source=mail&a=1&utm_campaign=x", "https://site.example/?b=2&a=1",
            ["tracking:utm_source", "tracking:utm_campaign"]),
        Case("https://site.example/?fbclid=1", "https://site.example/", ["tracking:fbclid"]),
        Case("https://site.example/?utm%5Fid=1&gclid", "https://site.example/", ["tracking:utm_id", "tracking:gclid"]),
        Case("https://site.example/?utm_a=1&utm_a=2", "https://site.example/", ["tracking:utm_a"]),
        Case("https://site.example/?utm=1&xfbclid=2&FBCLID=3", "https://site.example/?utm=1&xfbclid=2&FBCLID=3"),
        Case("https://site.example/?a=1&&b&=c&a=1", "https://site.example/?a=1&&b&=c&a=1"),
        Case("https://site.example/a?", "https://site.example/a"),
        Case("https://site.example/a#section", "https://site.example/a", ["fragment"]),
        Case("https://site.example/a#", "https://site.example/a", ["fragment"]),
        Case("https://site.example/#/route", "https://site.example/#/route"),
        Case("https://site.example/#!inbox", "https://site.example/#!inbox"),
        Case("https://site.example/#/route:~:text=red", "https://site.example/#/route", ["fragment"]),
        Case("https://site.example/#:~:text=red", "https://site.example/", ["fragment"]),
        Case("https://site.example/#%7e?utm_id=1", "https://site.example/", ["fragment"]),
        Case("https://www.site.example/A/b/", "https://www.site.example/A/b/"),
        Case("https://ada:secret@site.example/", "https://ada:secret@site.example/"),
        Case("https://A@B@Site.example/", "https://A@B@site.example/", ["host"]),
        Case("https://caf\u{e9}.example/caf\u{e9}", "https://caf\u{e9}.example/caf\u{e9}"),
        Case(
            "HTTP://WWW.Site.example:80/a/../%7e?utm_id=1&q=%2a#x", "https://www.site.example/~?q=%2A",
            ["scheme", "host", "port", "path", "percent", "tracking:utm_id", "fragment"]),
        Case("mailto:ada@site.example", nil), Case("file:///a", nil), Case("42", nil), Case("", nil),
        Case("https:", nil), Case("https:/a", nil), Case("https://", nil), Case("https:///a", nil),
        Case("https://:80/", nil), Case("httpx://a/", nil), Case("http", nil), Case(" https://a/", nil),
        Case("https://site.example/" + String(repeating: "a", count: 16 << 10), nil),
    ]

    private static let settings = AddressSettings(rules: [
        "site.example": AddressRule(keep: ["utm_id"], drop: ["ref", "s_*"]),
        "*.site.example": AddressRule(fragment: .keep),
        "*.deep.site.example": AddressRule(fragment: .drop, keepsScheme: true),
    ])

    static let overruled: [Case] = [
        Case(
            "https://site.example/?utm_id=1&utm_source=2&ref=3&s_x=4&sx=5", "https://site.example/?utm_id=1&sx=5",
            ["tracking:utm_source", "drop:ref", "drop:s_x"], settings: settings),
        Case(
            "https://Site.example/?ref=3&utm_source=2", "https://site.example/",
            ["host", "tracking:utm_source", "drop:ref"], settings: settings),
        Case("https://a.site.example/?ref=3#part", "https://a.site.example/?ref=3#part", settings: settings),
        Case(
            "https://a.site.example/#part:~:text=x", "https://a.site.example/#part", ["fragment"], settings: settings),
        Case("https://a.site.example/#", "https://a.site.example/", ["fragment"], settings: settings),
        Case(
            "HTTP://b.deep.site.example/#/r", "http://b.deep.site.example/", ["host", "fragment"], settings: settings),
        Case("http://b.deep.site.example:80/", "http://b.deep.site.example/", ["port"], settings: settings),
        Case("https://deep.site.example/#x", "https://deep.site.example/#x", settings: settings),
        Case(
            "https://othersite.example/?ref=1#x", "https://othersite.example/?ref=1", ["fragment"], settings: settings),
    ]

    @Test(arguments: usual + overruled) func canonical(_ test: Case) {
        let address = CanonicalAddress(test.id, settings: test.settings)
        #expect(address.map { Array($0.text.utf8) } == test.canonical.map { Array($0.utf8) })
        #expect(address?.rules ?? [] == test.rules)
    }

    @Test func mergedRulesKeepTheirOrder() {
        #expect(
            CanonicalAddress.merged(["fragment"], ["scheme", "tracking:b"]) == ["scheme", "tracking:b", "fragment"])
        #expect(CanonicalAddress.merged(["scheme"], ["scheme"]) == ["scheme"])
        #expect(CanonicalAddress.merged([], ["port"]) == ["port"])
    }

    @Test func fingerprintDiffersWithTheSettings() {
        let all: [AddressSettings] = [
            AddressSettings(), Self.settings, AddressSettings(rules: ["a.example": AddressRule(keep: ["x"])]),
            AddressSettings(rules: ["a.example": AddressRule(drop: ["x"])]),
            AddressSettings(rules: ["a.example": AddressRule(fragment: .keep)]),
            AddressSettings(rules: ["a.example": AddressRule(keepsScheme: true)]),
        ]
        #expect(Set(all.map(\.fingerprint)).count == all.count)
        #expect(AddressSettings().fingerprint == "")
    }

    @Test func manyParametersTakeLinearTime() {
        // Far below a second even where it is built without optimization; quadratic work would take minutes.
        let address = "https://site.example/?" + String(repeating: "&", count: 16_000)
        #expect(CanonicalAddress(address)?.text == address)
        let fragment = "https://site.example/#/" + String(repeating: ":!", count: 8_000)
        #expect(CanonicalAddress(fragment)?.text == fragment)
    }
}
