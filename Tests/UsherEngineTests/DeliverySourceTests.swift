import Testing

@testable import UsherEngine

@Suite struct DeliverySourceTests {
    /// A client of the socket cannot pass for a hook, whose command would then be run with the client's values.
    @Test(
        arguments: [
            (nil, "control"), ("stdin", "stdin"), ("hook:deploy", "control"), ("hook:", "control"),
            ("Hook:deploy", "Hook:deploy"),
        ] as [(String?, String)])
    func ofClient(_ name: String?, _ expected: String) {
        #expect(DeliverySource.ofClient(name) == expected)
    }
}
