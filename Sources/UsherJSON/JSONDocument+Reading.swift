// Reading: every call takes a handle of this document's current text.

extension JSONDocument {
    @inlinable
    public func kind(_ element: JSONElement) -> JSONKind {
        switch tape[element.index].kind {
        case .null: .null
        case .false, .true: .boolean
        case .integer, .number: .number
        case .string, .escapedString: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The value's bytes within the text, as offsets from its start, quotes and brackets included.
    public func textRange(_ element: JSONElement) -> Range<Int> {
        let node = tape[element.index]
        return kind(element) == .string
            ? Int(node.start) - 1..<Int(node.end) + 1 : Int(node.start)..<Int(node.end)
    }

    /// Bytes from the start of the text to the value.
    public func offset(_ element: JSONElement) -> Int { textRange(element).lowerBound }

    /// The value exactly as it was written; shares storage with the source.
    public func raw(_ element: JSONElement) -> ArraySlice<UInt8> {
        let textRange = textRange(element)
        return source[range.lowerBound + textRange.lowerBound..<range.lowerBound + textRange.upperBound]
    }

    /// A boolean's value, or nil of any other kind.
    @inlinable
    public func boolean(_ element: JSONElement) -> Bool? {
        switch tape[element.index].kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// A string's text, unescaped, or nil of any other kind.
    public func string(_ element: JSONElement) -> String? {
        guard kind(element) == .string else { return nil }
        return String(decoding: stringBytes(element), as: UTF8.self)
    }

    /// A string's UTF-8 bytes, unescaped; empty of any other kind.
    public func stringBytes(_ element: JSONElement) -> ArraySlice<UInt8> {
        let node = tape[element.index]
        switch node.kind {
        case .string: return source[range.lowerBound + Int(node.start)..<range.lowerBound + Int(node.end)]
        case .escapedString:
            let place = decodedRanges[Int(node.link)]
            return decoded[Int(place.start)..<Int(place.end)]
        default: return []
        }
    }

    /// A number's digits as written, or nil of any other kind.
    public func numberText(_ element: JSONElement) -> String? {
        guard kind(element) == .number else { return nil }
        return String(decoding: raw(element), as: UTF8.self)
    }

    /// A number's value where it is whole and fits (`9.0` is 9), else nil.
    public func int64(_ element: JSONElement) -> Int64? {
        guard kind(element) == .number else { return nil }
        let text = source.span.extracting(raw(element).indices)
        guard text.count <= 18, tape[element.index].kind == .integer, text[0] != 0x2D else {
            return JSONNumberParts(text).integer(text)
        }
        // Nearly every number: digits only, and too few to overflow.
        var value: Int64 = 0
        for i in text.indices { value = value &* 10 &+ Int64(text[i] &- 0x30) }
        return value
    }

    /// The double nearest to a number; always finite. Nil of any other kind.
    public func double(_ element: JSONElement) -> Double? {
        numberText(element).flatMap { Double($0) }
    }

    // MARK: Containers

    /// An object's first member in the order of the text; nil where there is none, or of any other kind.
    @inlinable
    public func firstMember(_ element: JSONElement) -> JSONMember? {
        let node = tape[element.index]
        guard node.kind == .object, Int(node.link) > element.index + 1 else { return nil }
        return JSONMember(element.index + 1)
    }

    /// The member after another one of the same object.
    @inlinable
    public func nextMember(_ member: JSONMember, in object: JSONElement) -> JSONMember? {
        let next = following(member.index + 1)
        return next < Int(tape[object.index].link) ? JSONMember(next) : nil
    }

    /// An array's first element; nil where there is none, or of any other kind.
    @inlinable
    public func firstElement(_ element: JSONElement) -> JSONElement? {
        let node = tape[element.index]
        guard node.kind == .array, Int(node.link) > element.index + 1 else { return nil }
        return JSONElement(element.index + 1)
    }

    /// The element after another one of the same array.
    @inlinable
    public func nextElement(_ element: JSONElement, in array: JSONElement) -> JSONElement? {
        let next = following(element.index)
        return next < Int(tape[array.index].link) ? JSONElement(next) : nil
    }

    /// An object's members, in order.
    public func members(_ object: JSONElement) -> [JSONMember] {
        var result: [JSONMember] = []
        var next = firstMember(object)
        while let member = next {
            result.append(member)
            next = nextMember(member, in: object)
        }
        return result
    }

    /// An array's elements, in order.
    public func elements(_ array: JSONElement) -> [JSONElement] {
        var result: [JSONElement] = []
        var next = firstElement(array)
        while let element = next {
            result.append(element)
            next = nextElement(element, in: array)
        }
        return result
    }

    /// The value of an object's member, found by its name's bytes; O(members).
    public func value(_ name: String, in object: JSONElement) -> JSONElement? {
        var next = firstMember(object)
        while let member = next {
            if stringBytes(member.key).elementsEqual(name.utf8) { return member.value }
            next = nextMember(member, in: object)
        }
        return nil
    }

    /// The node after a node and all its descendants.
    @inlinable
    func following(_ index: Int) -> Int {
        let node = tape[index]
        return node.kind == .array || node.kind == .object ? Int(node.link) : index + 1
    }
}

extension JSONDocument {
    /// The JSON pointer (RFC 6901) of a value of this document; O(the values before it). A cold path: for messages.
    public func pointer(_ element: JSONElement) -> String {
        var pointer = ""
        var container = 0
        while container < element.index {
            let isObject = tape[container].kind == .object
            var child = container + 1
            var position = 0
            let end = following(container)
            guard element.index < end else { break }
            while child < end {
                let value = isObject ? child + 1 : child
                let next = following(value)
                if element.index < next {
                    JSONPointer.append(
                        isObject ? string(JSONElement(child)) ?? "" : String(position), to: &pointer)
                    // A name stands for its member.
                    container = element.index == child ? element.index : value
                    break
                }
                child = next
                position += 1
            }
        }
        return pointer
    }
}
