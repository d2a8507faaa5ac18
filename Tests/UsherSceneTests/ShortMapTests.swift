import Testing
import UsherScene

/// A dictionary in a list.
struct ShortMapTests {
    @Test("keeps the order in which keys were first set; nil removes an entry")
    func entries() {
        var map: ShortMap<String, Int> = ["b": 1, "a": 2]
        map["b"] = 3
        map["c"] = nil
        #expect(map.keys == ["b", "a"] && map["b"] == 3 && map["a"] == 2 && map["c"] == nil)
        map["b"] = nil
        #expect(map.keys == ["a"] && map["b"] == nil)
        map["a"] = nil
        #expect(map.isEmpty)
    }

    @Test("the order does not count for equality")
    func equality() {
        let one: ShortMap<String, Int> = ["a": 1, "b": 2]
        #expect(one == ["b": 2, "a": 1] && one.hashValue == (["b": 2, "a": 1] as ShortMap).hashValue)
        #expect(one != ["a": 1] && one != ["a": 1, "b": 3] && one != ["a": 1, "c": 2])
    }
}
