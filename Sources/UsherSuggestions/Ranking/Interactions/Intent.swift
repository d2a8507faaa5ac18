/// What a person did with an app, in the words of Apple's intents.
public enum Intent: String, Sendable, CaseIterable {
    case sendMessage, startAudioCall, startVideoCall, sendEmail, playMedia, requestRide, getDirections

    /// Whether it needs a participant.
    public var needsParticipant: Bool {
        switch self {
        case .sendMessage, .startAudioCall, .startVideoCall, .sendEmail: true
        case .playMedia, .requestRide, .getDirections: false
        }
    }
}
