import UsherScene

extension SettingsReader {
    /// Whoever reaches such a port owns the browser, so other machines are none of its places.
    mutating func readBrowser(of root: CheckedTable) {
        guard let member = root.members["browser"], let members = reader.members("browser", of: root) else { return }
        let table = reader.check(members, SettingsSchema.browser, region: member.keyRegion)
        for text in reader.strings("devtools", of: table) ?? [] {
            guard let address = ListenAddress(text.value), address.isLoopback, address.port > 0 else {
                reader.report(
                    .invalidValue, at: text.region,
                    "\(TOMLText.quoted(text.value)) is no DevTools endpoint on this machine",
                    help: "a loopback address and the port of --remote-debugging-port: devtools = [\"127.0.0.1:9222\"]")
                continue
            }
            if settings.devTools.contains(address) {
                reader.report(.duplicateValue, at: text.region, "\(address) is in `devtools` twice")
                continue
            }
            settings.devTools.append(address)
        }
    }
}
