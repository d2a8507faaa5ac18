import Testing
import UsherConfiguration

@Suite struct ConfigurationPathsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var id: String
        var environment: [String: String]
        var configuration: [String]
        var state: String?
        var testDescription: String { id }
    }

    static let cases = [
        Case(
            id: "home", environment: ["HOME": "/home/ann"], configuration: ["/home/ann/.config/usher", "/etc/usher"],
            state: "/home/ann/.local/state/usher"),
        Case(
            id: "XDG", environment: ["HOME": "/home/ann", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s/"],
            configuration: ["/c/usher", "/etc/usher"], state: "/s/usher"),
        Case(
            id: "XDG, relative, is ignored",
            environment: ["HOME": "/home/ann", "XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": ""],
            configuration: ["/home/ann/.config/usher", "/etc/usher"], state: "/home/ann/.local/state/usher"),
        Case(
            id: "own variables",
            environment: [
                "HOME": "/home/ann", "XDG_CONFIG_HOME": "/c", "USHER_CONFIG": "here", "USHER_STATE": "there",
            ],
            configuration: ["here"], state: "there"),
        Case(
            id: "own variables, empty", environment: ["HOME": "/h", "USHER_CONFIG": "", "USHER_STATE": ""],
            configuration: ["/h/.config/usher", "/etc/usher"], state: "/h/.local/state/usher"),
        Case(id: "nothing", environment: [:], configuration: ["/etc/usher"], state: nil),
    ]

    @Test(arguments: cases) func places(_ test: Case) {
        #expect(ConfigurationPaths.configuration(environment: test.environment) == test.configuration)
        #expect(ConfigurationPaths.state(environment: test.environment) == test.state)
    }
}
