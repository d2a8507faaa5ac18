internal import UsherJSON

/// The files by which a browser finds the host: its manifest, and the script that starts it.
struct NativeHost: Sendable {
    static let name = "org.usher.browser"
    /// Of Extension/manifest.json: given there for Firefox, and following from the key there for Chromium.
    private static let firefoxExtension = "browser@usher"
    private static let chromiumExtension = "fenodchejedodddongjbahgbhnpojmeb"

    /// The script, absolute.
    var script: String
    /// Other extensions that may start it.
    var extensions: [String] = []

    static func fileName(in folder: String) -> String { "\(folder)/\(name).json" }

    /// The JSON that a browser of this family reads.
    func manifest(for family: BrowserKind.Family) -> String {
        var json = JSONWriter(escaping: .minimal, pretty: true)
        json.beginObject()
        json.member("name", NativeHost.name)
        json.member("description", "Usher")
        json.member("path", script)
        json.member("type", "stdio")
        switch family {
        case .firefox: json.member("allowed_extensions", [NativeHost.firefoxExtension] + extensions)
        case .chromium:
            let origins = ([NativeHost.chromiumExtension] + extensions).map { "chrome-extension://\($0)/" }
            json.member("allowed_origins", origins)
        }
        json.endObject()
        json.newline()
        return json.text
    }

    /// A browser gives a host no arguments of ours, so a script does.
    static func script(program: String, state: String) -> String {
        """
        #!/bin/sh
        # Written by `usher browser install`: browsers start it to reach usherd.
        exec \(quoted(program)) browser host --state \(quoted(state))

        """
    }

    /// One word of a shell, whatever is in it.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
