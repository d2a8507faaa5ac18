import StoreTestSupport
import UsherActivities
import UsherStore

@testable import UsherNotes

extension TemporaryDirectory {
    /// With activities, of which older files have tables, too.
    convenience init() { self.init(features: [.notes, .activities, .ties]) }
}
