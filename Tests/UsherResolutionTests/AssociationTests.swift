import Testing
import UsherResolution
import UsherScene

/// The owner of a target according to association files.
@Suite struct AssociationTests {
    /// A pattern of a path, `-` before one that excludes.
    static func app(_ id: String, domains: [String], _ patterns: [String]? = nil, website: Bool = false) throws -> App {
        let location = SourceLocation(path: "apps/\(id).toml", line: 1, column: 1)
        var app = App(id: id, name: id, location: location)
        app.domains = domains.map { Located($0, at: location) }
        app.scenes = [try Sample.scene("main")]
        if website { app.website = Located(true, at: location) }
        if let patterns {
            let rules = try patterns.enumerated().map { number, pattern in
                LinkRule(
                    path: try LinkPattern(pattern.hasPrefix("-") ? String(pattern.dropFirst()) : pattern),
                    excludes: pattern.hasPrefix("-"),
                    location: SourceLocation(path: "sites/\(id)", line: number + 1, column: 7))
            }
            app.association = SiteAssociation(path: "sites/\(id)", rules: rules)
        }
        return app
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var apps: [App]
        var target: String
        /// An app's id, or the reason why there is none.
        var expected: String
        init(_ id: String, _ apps: [App], _ target: String, _ expected: String) {
            (testDescription, self.apps, self.target, self.expected) = (id, apps, target, expected)
        }
    }

    static let cases: [Case] = {
        do {
            let bare = try app("bare", domains: ["shop.example"])
            let all = try app("all", domains: ["shop.example"], ["*"])
            let clowns = try app("clowns", domains: ["shop.example"], ["-/clowns/sad/*", "/clowns/*"])
            let also = try app("also", domains: ["shop.example"], ["/?lowns/*", "/cl*"])
            let stars = try app("stars", domains: ["*.example"], ["/clowns/*"])
            let path = try app("path", domains: ["shop.example/clowns/crusty"])
            let both = try app("both", domains: ["shop.example/clowns", "*.example"], ["/clowns/*"])
            let other = try app("other", domains: ["other.example"])
            let web = try app("web", domains: ["shop.example"], ["-/account/*", "*"], website: true)
            let crusty = "https://shop.example/clowns/crusty"
            return [
                Case("included", [clowns, other], crusty, "clowns"),
                Case("excluded", [clowns, other], "https://shop.example/clowns/sad/1", "no-app"),
                Case("not-spoken-of", [clowns, other], "https://shop.example/", "no-app"),
                Case("excluded-by-the-only-app", [clowns], "https://shop.example/clowns/sad/1", "no-app"),
                Case("foreign-host-and-the-only-app", [clowns], "https://shop2.example/", "clowns"),
                Case("no-url-and-the-only-app", [clowns], "clowns/sad/1", "clowns"),
                Case("bare-host-and-file-are-equal", [bare, all], crusty, "all"),
                Case("bare-host-and-file-are-equal-whatever-the-order", [all, bare], crusty, "all"),
                Case(
                    "component-and-entry-are-equal", [try app("a", domains: ["shop.example/clowns/"]), clowns], crusty,
                    "a"),
                Case(
                    "what-the-file-excludes-is-the-bare-one's", [bare, clowns], "https://shop.example/clowns/sad/1",
                    "bare"),
                Case("longest-pattern", [all, clowns, bare], crusty, "clowns"),
                Case("longest-pattern-by-what-it-spells-out", [also, clowns], crusty, "clowns"),
                Case("tie", [clowns, try app("twin", domains: ["shop.example"], ["/clowns/*"])], crusty, "clowns"),
                Case("name-before-wildcard", [stars, all], "https://shop.example/", "all"),
                Case("long-pattern-of-a-wildcard", [stars, bare], crusty, "stars"),
                Case("wildcard-host", [stars, all], "https://a.b.example/clowns/1", "stars"),
                Case("longer-path-in-domains", [path, clowns], crusty, "path"),
                Case("path-in-domains-and-file", [both, bare], crusty, "both"),
                Case("two-domains-one-app", [both, other], crusty, "both"),
                Case("to-the-browser", [web, other], "https://shop.example/account/1", "web-fallback"),
                Case("query-and-fragment-are-not-path", [clowns, other], "https://shop.example/?/clowns/", "no-app"),
                Case("host-in-capitals", [clowns, other], "https://SHOP.example/clowns/1", "clowns"),
            ]
        } catch { return [] }
    }()

    @Test(arguments: cases) func owner(_ example: Case) {
        let request = ActivationRequest(target: TargetContentIdentifier(example.target))
        let resolver = Sample.resolver(example.apps)
        let resolution = resolver.resolve(request)
        let found: String
        switch resolution.reason {
        case .noApp: found = resolution.failure?.code == .ambiguousApp ? "ambiguous" : "no-app"
        case .webFallback: found = "web-fallback"
        default: found = resolution.app ?? "none"
        }
        #expect(found == example.expected)
        // Both forms of the answer agree.
        #expect(resolver.explain(request).resolution.app == resolution.app)
    }

    @Test func allAreThere() { #expect(Self.cases.count == 22) }

    @Test func aNamedAppIsNotAsked() throws {
        let app = try Self.app("clowns", domains: ["shop.example"], ["-*"])
        let other = try Self.app("other", domains: ["other.example"])
        let target = TargetContentIdentifier("https://shop.example/1")
        let resolution = Sample.resolver([app, other]).resolve(ActivationRequest(target: target, app: .id("clowns")))
        #expect(resolution.app == "clowns")
        #expect(
            Sample.resolver([app, other]).explain(ActivationRequest(target: target, app: .id("clowns"))).refusals == [])
    }

    @Test func explanationNamesTheComponents() throws {
        let clowns = try Self.app("clowns", domains: ["shop.example"], ["-/clowns/sad/*", "/clowns/*"])
        let all = try Self.app("all", domains: ["*.example"], ["*"])
        let resolver = Sample.resolver([clowns, all])
        let sad = resolver.explain(
            ActivationRequest(target: TargetContentIdentifier("https://shop.example/clowns/sad/1")))
        #expect(sad.refusals.map(\.app) == ["clowns"])
        #expect(sad.refusals.first?.phrase == "excluded by /clowns/sad/*")
        #expect(sad.refusals.first?.rule?.location.description == "sites/clowns:1:7")
        guard case .association(let domain, let rule)? = sad.ownerRule else {
            Issue.record("the owner is not told by its file")
            return
        }
        #expect(domain.value == "*.example")
        #expect(rule.value == "*")
        #expect(rule.location.description == "sites/all:1:7")
    }

    @Test func failureNamesTheComponent() throws {
        let clowns = try Self.app("clowns", domains: ["shop.example"], ["-/clowns/sad/*", "/clowns/*"])
        let resolver = Sample.resolver([clowns])
        let sad = resolver.resolve(
            ActivationRequest(target: TargetContentIdentifier("https://shop.example/clowns/sad/1")))
        #expect(
            sad.failure?.message
                == "https://shop.example/clowns/sad/1 is excluded by /clowns/sad/*, sites/clowns:1:7: it is not clowns's"
        )
        let unmatched = resolver.resolve(ActivationRequest(target: TargetContentIdentifier("https://shop.example/")))
        #expect(
            unmatched.failure?.message
                == "https://shop.example/ matches no component of sites/clowns: it is not clowns's")
    }

    @Test func anOlderIdMayHaveAnOwner() throws {
        let clowns = try Self.app("clowns", domains: ["shop.example"], ["-/new/*", "/clowns/*"])
        let other = try Self.app("other", domains: ["other.example"])
        let new = TargetContentIdentifier("https://shop.example/new/1")
        let old = TargetContentIdentifier("https://shop.example/clowns/1")
        let redirection = Redirection(hops: [.init(from: old, to: new, note: "moved")], end: .content)
        let resolution = Sample.resolver([clowns, other]).resolve(
            ActivationRequest(target: old), following: redirection)
        #expect(resolution.app == "clowns")
    }

    /// Ten thousand components and an address that matches the last of them.
    @Test func tenThousandComponents() throws {
        let patterns = (0..<10_000).map { "/section-\($0)/*" } + ["/*a*b*c*"]
        let app = try Self.app("large", domains: ["shop.example"], patterns)
        let resolver = Sample.resolver([app, try Self.app("other", domains: ["shop.example"], ["/x/*"])])
        for number in stride(from: 0, to: 10_000, by: 100) {
            let target = TargetContentIdentifier("https://shop.example/section-\(number)/1")
            #expect(resolver.resolve(ActivationRequest(target: target)).app == "large")
        }
        let long = "https://shop.example/" + String(repeating: "ab", count: 8000)
        #expect(resolver.resolve(ActivationRequest(target: TargetContentIdentifier(long))).reason == .noApp)
    }
}
