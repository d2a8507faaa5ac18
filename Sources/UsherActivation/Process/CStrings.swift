import Glibc

/// A null-terminated array of C strings: `argv` or `envp`. Owns its memory, and lends it as long as it lives.
@safe struct CStrings: ~Copyable {
    /// The longest string that Linux passes to a program, in bytes, less its NUL (MAX_ARG_STRLEN).
    static let maximumLength = 128 * 1024 - 1

    private let bytes: UnsafeMutableBufferPointer<CChar>
    let pointers: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>

    /// The caller has refused NULs and lengths; a NUL that comes here ends its string early and harms nothing.
    init(_ strings: [String]) {
        let size = strings.reduce(1) { $0 + $1.utf8.count + 1 }
        unsafe bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: size)
        unsafe bytes.initialize(repeating: 0)
        unsafe pointers = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
        unsafe pointers.initialize(repeating: nil)
        var position = 0
        for (index, string) in strings.enumerated() {
            unsafe pointers[index] = unsafe bytes.baseAddress.map { unsafe $0 + position }
            for byte in string.utf8 {
                unsafe bytes[position] = CChar(bitPattern: byte)
                position += 1
            }
            position += 1
        }
    }

    deinit {
        unsafe bytes.deallocate()
        unsafe pointers.deallocate()
    }
}
