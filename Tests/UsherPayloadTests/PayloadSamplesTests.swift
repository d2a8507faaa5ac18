import Testing
import UsherPayload

/// The example payloads: good ones are read without a warning, mistakes are reported.
struct PayloadSamplesTests {
    static let samples = Fixture.allPayloads().filter { !$0.hasPrefix("vectors/") }

    /// Samples outside `mistakes/` that are not spotless, and why.
    static let blemished = [
        "apns/wallet-pass.json", "apns/mdm.json", "simctl/without-bundle.apns", "simctl/without-aps.apns",
        "activities/without-subject.json", "streams/bad-lines.ndjson", "clown-town.ndjson",
    ]

    /// Mistakes that are legal payloads: what is wrong with them shows later.
    static let harmless = ["mistakes/target-like-an-option.json", "mistakes/title-like-a-command.json"]

    @Test func `there are samples of every kind`() {
        #expect(Self.samples.count >= 100)
    }

    @Test(arguments: samples)
    func `a sample is read without a warning or its mistake is reported`(_ path: String) throws {
        let bytes = try Fixture.bytes(path)
        let inspection = PayloadInspection.inspect(bytes, fileName: path)
        let text = String(decoding: inspection.json, as: UTF8.self)
        let isSpotless = inspection.isValid && !text.contains(#""code":"#)
        let isMistake =
            path.hasPrefix("mistakes/") && !Self.harmless.contains(path) || Self.blemished.contains(path)
        #expect(isSpotless == !isMistake, "\(text)")
    }
}
