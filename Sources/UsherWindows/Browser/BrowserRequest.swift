internal import UsherJSON
internal import UsherScene

/// A request that a browser's extension carries out.
struct BrowserRequest: Sendable {
    var window: Int64
    var tab: Int64?
    /// The address that a tab is to show.
    var address: String?
    /// Whether a new tab is opened where no tab shows the address.
    var opens = false
    var prominence: FocusPolicy.Prominence
    /// Whether the extension waits until the window has the keyboard; any program may give it the keyboard.
    var needsFocus = false
    /// How many milliseconds may pass until it is seen.
    var wait: Int

    func line(id: Int64) -> [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        json.member("id", id)
        json.member("window", window)
        if let tab { json.member("tab", tab) }
        if let address { json.member("url", address) }
        if opens { json.member("open", true) }
        json.member("prominence", prominence.rawValue)
        if needsFocus { json.member("focused", true) }
        json.member("wait", wait)
        json.endObject()
        json.newline()
        return json.bytes
    }
}
