import StoreTestSupport
import UsherActivities
import UsherStore

extension TemporaryDirectory {
    convenience init() { self.init(features: [.activities]) }
}
