@main
struct Usherd {
    static func main() {}
}
