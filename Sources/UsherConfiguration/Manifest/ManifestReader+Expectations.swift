import UsherScene
internal import UsherText

extension ManifestReader {
    /// `[[expect]]`: `scene` where a window is expected; without it `reason` says why there is none.
    mutating func readExpectations(of table: CheckedTable, into app: inout App) {
        for element in reader.tables("expect", of: table) {
            let expectation = reader.check(element.value, ManifestSchema.expectation, region: element.region)
            let target = target("target", of: expectation)
            var open: [RouteExpectation.OpenScene] = []
            for element in reader.tables("open", of: expectation) {
                let window = reader.check(element.value, ManifestSchema.openScene, region: element.region)
                let target = self.target("target", of: window)
                guard let scene = sceneName("scene", of: window, in: app) else { continue }
                open.append(RouteExpectation.OpenScene(scene: scene, target: target))
            }
            let scene = sceneName("scene", of: expectation, in: app)
            let reason = reason(of: expectation)
            checkConsistency(of: expectation, reason: reason)
            app.expectations.append(
                RouteExpectation(
                    target: target, open: open, scene: scene, reason: reason,
                    location: location(element.region.begin)))
        }
    }

    private mutating func sceneName(_ key: String, of table: CheckedTable, in app: App) -> String? {
        guard let name = reader.string(key, of: table) else { return nil }
        if app.scene(named: name.value) != nil { return name.value }
        let names = app.scenes.map(\.name)
        return reader.refuse(
            .unknownReference, at: name.region, "there is no scene named \(TOMLText.quoted(name.value))",
            help: Spelling.help(name.value, among: names) {
                if name.value == "none" {
                    return "where no window is expected, leave `scene` out and say why: reason = \"no-scene\""
                }
                if names.isEmpty { return "the manifest has no scenes" }
                return "there are " + names.map(TOMLText.quoted).joined(separator: ", ")
            })
    }

    /// The reasons that a manifest alone can lead to, with a window and without.
    private static let withScene: [Reason] = [.prefers, .can, .opens, .default, .single, .limit, .recent]
    private static let withoutScene: [Reason] = [.webFallback, .noScene, .noApp]

    private mutating func reason(of table: CheckedTable) -> Reason? {
        guard let text = reader.string("reason", of: table) else { return nil }
        let known = ManifestReader.withScene + ManifestReader.withoutScene
        if let reason = known.first(where: { $0.rawValue == text.value }) { return reason }
        if let reason = Reason(rawValue: text.value) {
            reader.report(
                .unknownReference, at: text.region, "a route test cannot lead to the reason \"\(reason.rawValue)\"",
                help: "it can lead to " + known.map { TOMLText.quoted($0.rawValue) }.joined(separator: ", "))
        } else {
            reader.report(
                .unknownReference, at: text.region, "there is no reason \(TOMLText.quoted(text.value))",
                help: TableReader.choices(known.map(\.rawValue), nearest: text.value))
        }
        return nil
    }

    private mutating func checkConsistency(of table: CheckedTable, reason: Reason?) {
        let hasScene = table.written.contains("scene")
        guard let reason else {
            if !hasScene, !table.written.contains("reason") {
                reader.report(
                    .missingKey, at: table.region, "an [[expect]] table must have `scene` or `reason`",
                    help: "say what is expected: scene = \"main\", or reason = \"no-scene\"")
            }
            return
        }
        let region = table.members["reason"]?.value.region ?? table.region
        if !hasScene, ManifestReader.withScene.contains(reason) {
            reader.report(
                .contradictoryExpectation, at: region, "with the reason \"\(reason.rawValue)\" there is a window",
                help: "say which: scene = \"main\"")
        } else if hasScene, ManifestReader.withoutScene.contains(reason) {
            reader.report(
                .contradictoryExpectation, at: region, "with the reason \"\(reason.rawValue)\" there is no window",
                help: "drop `scene`, or expect another reason")
        }
    }
}
