/// A pattern of an association file: `*` is any text, `?` one character, `$(name)` one of a variable's values.
///
/// It covers a whole path, query, fragment or value. The patterns of a form are compared with texts in that form.
public struct LinkPattern: Sendable {
    /// As it stands in the file.
    public let text: String
    /// How many bytes it spells out.
    public let literalLength: Int
    /// What every text must begin with.
    let prefix: [UInt8]
    /// Behind `prefix`.
    let elements: [Element]

    enum Element: Sendable {
        case step(Step)
        case variable(LinkVariable)
    }

    /// What needs no choice among values.
    enum Step: Sendable, Hashable {
        case literal([UInt8])
        case anyCharacter
        case anyText
        /// A byte of ASCII.
        case member(ASCIISet)
    }

    /// - Throws: what is wrong with its variables.
    public init(_ text: String, form: LinkForm = LinkForm(), variables: LinkVariables = .predefined)
        throws(LinkPatternError)
    {
        self.text = text
        var elements: [Element] = []
        var literal: [UInt8] = []
        let bytes = Array(text.utf8)
        var index = 0

        func flush() {
            elements += LinkPattern.steps(literal, form: form).map(Element.step)
            literal = []
        }

        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "$"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "(")
            else {
                literal.append(bytes[index])
                index += 1
                continue
            }
            guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ")")) else {
                throw LinkPatternError(.unclosedVariable, offset: index, length: bytes.count - index)
            }
            let name = String(decoding: bytes[(index + 2)..<end], as: UTF8.self)
            flush()
            switch variables.value(of: name, in: form) {
            case .set(let set): elements.append(.step(.member(set)))
            case .variable(let variable): elements.append(.variable(variable))
            case nil: throw LinkPatternError(.unknownVariable(name), offset: index, length: end + 1 - index)
            }
            index = end + 1
        }
        flush()
        // Two stars side by side are one.
        var simple: [Element] = []
        for element in elements {
            if case .step(.anyText) = element, case .step(.anyText)? = simple.last { continue }
            simple.append(element)
        }
        literalLength = simple.reduce(0) { sum, element in
            if case .step(.literal(let bytes)) = element { sum + bytes.count } else { sum }
        }
        if case .step(.literal(let bytes))? = simple.first {
            prefix = bytes
            simple.removeFirst()
        } else {
            prefix = []
        }
        self.elements = simple
    }

    /// The steps of a text without variables.
    static func steps(_ bytes: [UInt8], form: LinkForm) -> [Step] {
        var steps: [Step] = []
        var literal: [UInt8] = []
        func flush() {
            guard !literal.isEmpty else { return }
            steps.append(.literal(form.apply(to: literal, isPattern: true)))
            literal = []
        }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "*"):
                flush()
                if steps.last != .anyText { steps.append(.anyText) }
            case UInt8(ascii: "?"):
                flush()
                steps.append(.anyCharacter)
            default: literal.append(byte)
            }
        }
        flush()
        return steps
    }

    /// How many steps it takes at the most, for each byte of a text.
    public var size: Int {
        elements.reduce(1) { sum, element in
            if case .variable(let variable) = element { sum + variable.size } else { sum + 1 }
        }
    }

    var matchesEverything: Bool {
        guard prefix.isEmpty, elements.count == 1, case .step(.anyText) = elements[0] else { return false }
        return true
    }
}

/// Why a text is no pattern, and where.
public struct LinkPatternError: Error, Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case unknownVariable(String)
        /// `$(` without `)`.
        case unclosedVariable
    }

    public var kind: Kind
    /// In UTF-8 bytes of the pattern.
    public var offset: Int
    public var length: Int

    init(_ kind: Kind, offset: Int, length: Int) {
        self.kind = kind
        self.offset = offset
        self.length = length
    }
}

// MARK: - Matching

extension LinkPattern {
    /// Whether the pattern covers all of a text, valid UTF-8 in the pattern's form.
    ///
    /// Walks the pattern once with the set of places it may have come to: |text| × ``size`` steps at the most, whatever
    /// the pattern.
    func matches(_ text: [UInt8]) -> Bool {
        guard text.count >= prefix.count, text.starts(with: prefix) else { return false }
        guard !elements.isEmpty else { return text.count == prefix.count }
        var places = Positions(prefix.count)
        for element in elements {
            switch element {
            case .step(let step): places.advance(over: step, in: text)
            case .variable(let variable): places.advance(over: variable, in: text)
            }
            if places.isEmpty { return false }
        }
        return places.contains(text.count)
    }

    /// Positions in a text where a pattern may have come to, each at the beginning of a character.
    private struct Positions {
        /// In order.
        private var some: [Int]
        /// And from here on every one.
        private var start: Int?

        init(_ place: Int) {
            some = [place]
            start = nil
        }

        private init() {
            some = []
            start = nil
        }

        var isEmpty: Bool { some.isEmpty && start == nil }

        func contains(_ end: Int) -> Bool { start != nil || some.last == end }

        /// Where a character begins, from the first of the places on.
        private func forEach(in text: [UInt8], _ body: (Int) -> Void) {
            for place in some { body(place) }
            guard let start else { return }
            for place in start...text.count where place == text.count || text[place] & 0xC0 != 0x80 { body(place) }
        }

        mutating func advance(over step: Step, in text: [UInt8]) {
            if case .anyText = step {
                start = some.first ?? start
                some = []
                return
            }
            var next = Positions()
            forEach(in: text) { place in
                if let end = Positions.end(of: step, at: place, in: text) { next.some.append(end) }
            }
            self = next
        }

        private static func end(of step: Step, at place: Int, in text: [UInt8]) -> Int? {
            switch step {
            case .literal(let bytes):
                guard text.count - place >= bytes.count, text[place] == bytes[0] else { return nil }
                for index in 1..<max(1, bytes.count) where text[place + index] != bytes[index] { return nil }
                return place + bytes.count
            case .anyCharacter:
                guard place < text.count else { return nil }
                var end = place + 1
                while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
                return end
            case .member(let set): return place < text.count && set.contains(text[place]) ? place + 1 : nil
            case .anyText: return nil
            }
        }

        mutating func advance(over variable: LinkVariable, in text: [UInt8]) {
            var isReached = [Bool](repeating: false, count: text.count + 1)
            var start: Int?
            forEach(in: text) { place in
                variable.words.forEachEnd(from: place, in: text) { isReached[$0] = true }
            }
            for steps in variable.patterns {
                var places = self
                for step in steps where !places.isEmpty { places.advance(over: step, in: text) }
                for place in places.some { isReached[place] = true }
                if let other = places.start { start = min(start ?? other, other) }
            }
            some = isReached.indices.filter { isReached[$0] && $0 < start ?? .max }
            self.start = start
        }
    }
}

/// The values of a substitution variable, in one form.
struct LinkVariable: Sendable {
    /// The values without wildcards.
    var words: WordSet
    /// The others.
    var patterns: [[LinkPattern.Step]]

    init(_ values: [String], form: LinkForm) {
        var words: [[UInt8]] = []
        var patterns: [[LinkPattern.Step]] = []
        for value in values {
            let bytes = Array(value.utf8)
            if bytes.contains(where: { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }) {
                patterns.append(LinkPattern.steps(bytes, form: form))
            } else {
                words.append(form.apply(to: bytes, isPattern: true))
            }
        }
        self.words = WordSet(words)
        self.patterns = patterns
    }

    /// How many steps it takes at the most, for each byte of a text.
    var size: Int { patterns.reduce(1 + words.size) { $0 + $1.count } }
}

/// Texts that are looked up by their length.
struct WordSet: Sendable {
    private var byLength: [(length: Int, words: Set<[UInt8]>)]

    init(_ words: [[UInt8]]) {
        byLength = Dictionary(grouping: words, by: \.count).map { ($0, Set($1)) }.sorted { $0.length < $1.length }
    }

    /// How many bytes are looked at in one place.
    var size: Int { byLength.reduce(0) { $0 + $1.length } }

    /// Where the words that stand at a place end.
    func forEachEnd(from place: Int, in text: [UInt8], _ body: (Int) -> Void) {
        for (length, words) in byLength {
            guard length <= text.count - place else { return }
            if words.contains(Array(text[place..<(place + length)])) { body(place + length) }
        }
    }
}

/// A set of ASCII characters.
struct ASCIISet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ ranges: ClosedRange<UInt8>...) {
        for range in ranges {
            for byte in range { insert(byte) }
        }
    }

    private mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 64 ? low >> UInt64(byte) & 1 == 1 : byte < 128 && high >> UInt64(byte - 64) & 1 == 1
    }

    /// With the small letters for the capitals: compared with texts that have no capitals.
    var folded: ASCIISet {
        var folded = self
        for byte in UInt8(0x41)...0x5A where contains(byte) { folded.insert(byte + 0x20) }
        return folded
    }
}

/// The substitution variables that the patterns of an association file may use (Apple, "applinks.SubstitutionVariables").
public struct LinkVariables: Sendable {
    private var custom: [String: (exact: LinkVariable, folded: LinkVariable)]

    /// The variables that every file has.
    public static let predefined = LinkVariables([:])

    /// One of a list of values each; a value may have wildcards, and no variables.
    ///
    /// Names are compared as they are written. A predefined name stays what it is.
    public init(_ values: [String: [String]]) {
        custom = values.mapValues {
            (LinkVariable($0, form: LinkForm()), LinkVariable($0, form: LinkForm(caseSensitive: false)))
        }
    }

    public static let predefinedNames = sets.map(\.name) + ["region", "lang"]

    public var names: [String] { LinkVariables.predefinedNames + custom.keys.sorted() }

    enum Value {
        case set(ASCIISet)
        case variable(LinkVariable)
    }

    func value(of name: String, in form: LinkForm) -> Value? {
        if let set = LinkVariables.sets.first(where: { $0.name == name })?.set {
            return .set(form.isCaseSensitive ? set : set.folded)
        }
        switch name {
        case "region":
            return .variable(form.isCaseSensitive ? LinkVariables.regions : LinkVariables.foldedRegions)
        case "lang": return .variable(LinkVariables.languages)
        default: return custom[name].map { .variable(form.isCaseSensitive ? $0.exact : $0.folded) }
        }
    }

    private static let digits: ClosedRange<UInt8> = 0x30...0x39
    private static let capitals: ClosedRange<UInt8> = 0x41...0x5A
    private static let smallLetters: ClosedRange<UInt8> = 0x61...0x7A

    private static let sets: [(name: String, set: ASCIISet)] = [
        ("alpha", ASCIISet(capitals, smallLetters)), ("upper", ASCIISet(capitals)), ("lower", ASCIISet(smallLetters)),
        ("alnum", ASCIISet(capitals, smallLetters, digits)), ("digit", ASCIISet(digits)),
        ("xdigit", ASCIISet(digits, 0x41...0x46, 0x61...0x66)),
    ]

    private static let regions = LinkVariable(LocaleCodes.regions, form: LinkForm())
    private static let foldedRegions = LinkVariable(LocaleCodes.regions, form: LinkForm(caseSensitive: false))
    private static let languages = LinkVariable(LocaleCodes.languages, form: LinkForm())
}

/// The codes that `$(region)` and `$(lang)` stand for: those of Foundation (`Locale.isoRegionCodes` without the
/// numbers, `Locale.isoLanguageCodes`). A test compares them.
private enum LocaleCodes {
    /// ISO 3166-1, and what ICU adds; in capitals.
    static let regions = words(
        """
        AC AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV
        BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CP CQ CR CU CV CW CX CY CZ DE DG DJ DK DM DO DZ EA EC EE EG
        EH ER ES ET EU EZ FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR
        HT HU IC ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS
        LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO
        NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA QO RE RO RS RU RW SA SB SC SD SE SG SH SI SJ
        SK SL SM SN SO SR SS ST SV SX SY SZ TA TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM UN US UY
        UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW
        """)

    /// ISO 639, two letters or three; in small letters.
    static let languages = words(
        """
        aa ab ace ach ada ady ae aeb af afh agq ain ak akk akz ale aln alt am an ang anp apw ar arc arn aro arp
        arq ars arw ary arz as asa ase ast av avk awa ay az ba bal ban bar bas bax bbc bbj be bej bem ber bew
        bez bfd bfq bg bgc bgn bho bi bik bin bjn bkm bla blo bm bn bo bpy bqi br bra brh brx bs bss bua bug bum
        byn byv ca cad car cay cch ccp ce ceb cgg ch chb chg chk chm chn cho chp chr chy cic ckb co cop cps cr
        crh cs csb csw cu cv cy da dak dar dav de del den dgr din dje doi dsb dtp dua dum dv dyo dyu dz dzg ebu
        ee efi egl egy eka el elx en enm eo es esu et eu ewo ext fa fan fat ff fi fil fit fj fo fon fr frc frm
        fro frp frr frs fur fy ga gaa gag gan gay gba gbz gd gez gil gl glk gmh gn goh gom gon gor got grb grc
        gsw gu guc gur guz gv gwi ha hai hak haw he hi hif hil hit hmn ho hr hsb hsn ht hu hup hy hz ia iba ibb
        id ie ig ii ik ilo inh io is it iu izh ja jam jbo jgo jmc jpr jrb jut jv ka kaa kab kac kaj kam kaw kbd
        kbl kcg kde kea ken kfo kg kgp kha kho khq khw ki kiu kj kk kkj kl kln km kmb kn ko koi kok kos kpe kr
        krc kri krj krl kru ks ksb ksf ksh ku kum kut kv kw kxv ky la lad lag lah lam lb lez lfn lg li lij liv
        lkt lmo ln lo lol loz lrc lt ltg lu lua lui lun luo lus lut luy lv lzh lzz mad maf mag mai mak man mas
        mde mdf mdh mdr men mer mfe mg mga mgh mgo mh mi mic mid min mis mk ml mn mnc mni moh mos mr mrj ms mt
        mua mul mus mwl mwr mwv my mye myv mzn na nan nap naq nb nd nds ne new ng nia niu njo nl nmg nn nnh nnp
        no nog non nov nqo nr nso nus nv nwc ny nym nyn nyo nzi oc oj om or os osa ota otk oui pa pag pal pam
        pap pau pcd pcm pdc pdt peo pfl phn pi pl pms pnt pon pqm prg pro ps pt qu quc qug raj rap rar rej rgn
        rhg rif rm rn ro rof rom rtm ru rue rug rup rw rwk sa sad sah sam saq sas sat saz sba sbp sc scn sco sd
        sdc sdh se see seh sei sel ses sg sga sgs shi shn shu si sid sjd sje sju sk sl sli sly sm sma smj smn
        sms sn snk so sog sq sr srn srr ss ssy st stq su suk sus sux sv sw swb syc syr szl ta tcy te tem teo ter
        tet tg th ti tig tiv tk tkl tkr tlh tli tly tmh tn to tog tok tpi tr tru trv ts tsd tsi tt ttt tum tvl
        tw twq ty tyv tzm udm ug uga uk umb und ur uz vai ve vec vep vi vls vmf vmw vo vot vro vun wa wae wal
        war was wbp wo wuu xal xh xmf xnr xog yao yap yav ybb yi yo yrl yue za zap zbl zea zen zgh zh zu zun zxx
        zza
        """)

    private static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\n" }.map(String.init)
    }
}
