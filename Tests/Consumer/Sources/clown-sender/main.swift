import Glibc
import UsherTarget

// usage: clown-sender CLOWN PATH SECRET | curl --config -
let words = CommandLine.arguments
let catalog = try TargetCatalog(["clown": "https://clowntown.example/clowns/{clown}"])
var payload = APNsPayload()
payload.alert = .init(title: "Your clown is on the way")
payload.targetContentIdentifier = try catalog.build("clown", ["clown": .string(words[1])])
let request = try SignedWebhookRequest.standard(
    id: "order-\(getpid())", timestamp: Int64(time(nil)), path: words[2], body: payload.body(),
    secrets: [WebhookSecret(words[3])])
print(request.curlConfiguration(server: "http://127.0.0.1:8484"))
