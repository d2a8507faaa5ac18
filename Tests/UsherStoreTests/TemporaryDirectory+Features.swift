import StoreTestSupport
import UsherActivities
import UsherNotes
import UsherStore
import UsherSuggestions

extension [StoreFeature] {
    static var all: [StoreFeature] { [.notes, .activities, .suggestions] }
}

extension TemporaryDirectory {
    convenience init() { self.init(features: .all) }
}
