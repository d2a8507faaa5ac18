internal import UsherScene
internal import UsherText

/// How much an event counts by its age: half as much after each half-life.
enum Decay {
    /// - Parameters:
    ///   - age: microseconds, not negative.
    ///   - halfLife: seconds.
    static func weight(age: Int64, halfLife: Int) -> Double {
        let halves = Double(age) / 1_000_000 / Double(halfLife)
        guard halves < 1100 else { return 0 }
        let whole = halves.rounded(.down)
        // 2^-x for 0 ≤ x < 1, by the series of the exponential function.
        let exponent = (whole - halves) * 0.693_147_180_559_945_3
        var term = 1.0
        var sum = 1.0
        for step in 1...20 {
            term *= exponent / Double(step)
            sum += term
        }
        return Double(sign: .plus, exponent: -Int(whole), significand: sum)
    }

    /// Rounded to six decimals.
    static func millionths(_ value: Double) -> Int64 { Int64((value * 1_000_000).rounded()) }
}
