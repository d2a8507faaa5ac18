/// What a page has that is read only on request.
public struct PageContent: Sendable, Hashable {
    /// What is asked for.
    public enum Part: String, Sendable { case selection, data }

    /// Data that the page has for programs.
    public struct Data: Sendable, Hashable {
        public enum Kind: String, Sendable {
            case jsonLD = "json-ld"
            /// Microdata, with the page's title and base.
            case markup
        }

        public var kind: Kind
        /// As the page has it; of markup what the extension wrote anew.
        public var text: String

        public init(_ kind: Kind, _ text: String) {
            self.kind = kind
            self.text = text
        }
    }

    /// The address of the page that was read; empty where the extension does not say it.
    public var address: String
    /// The selected text; empty where nothing is selected.
    public var selection: String
    public var data: [Data]

    public init(address: String = "", selection: String = "", data: [Data] = []) {
        self.address = address
        self.selection = selection
        self.data = data
    }
}
