public import UsherLog

extension LogEvent {
    public static let inputEmpty = LogEvent(
        "input-empty", .notice, "the input is empty: nothing to dispatch",
        id: "74e0df1232e24b8e8993e8db03aa6686")
    static let windowGone = LogEvent(
        "window-gone", .notice, "the chosen window is gone; the request is decided again",
        id: "e57ef39f34de441bbfcf0cf0e5b0a105")
    static let recordNotJournalled = LogEvent(
        "record-not-journalled", .error, "a record could not be journalled",
        id: "16e5875faaa44455879201016dc99620")
    static let deliveryRecovered = LogEvent(
        "delivery-recovered", .notice, "a delivery that had begun is taken up again",
        id: "3ea5bf4ec3d146af93b468a85134af4b")
    static let deliveryRequeued = LogEvent(
        "delivery-requeued", .info, "a delivery that had not begun is queued again",
        id: "3428fa7797dd477784a004de3cbe0ea8")
    static let conditionUnreadable = LogEvent(
        "condition-unreadable", .warning, "a stored condition cannot be read and counts as false",
        id: "dbabf9a7059d47cf96337296118457d1")
    static let deliveryRetried = LogEvent(
        "delivery-retried", .notice, "a request failed and is tried again",
        id: "7dbefab7e1654962bd1ef084a85b2376")
    static let requestsNotJournalled = LogEvent(
        "requests-not-journalled", .error, "requests could not be journalled",
        id: "022271ec86b344cc8b03449a796771cf")
    static let stepNotJournalled = LogEvent(
        "step-not-journalled", .error, "a step of a request could not be journalled yet",
        id: "6dd4668f60a04d5988b2f52554df7b44")
    static let sceneProgramGone = LogEvent(
        "scene-program-gone", .notice, "the program of a scene is gone; the request is decided again",
        id: "5462507ec4b6490796cdc7b9368c9906")
    static let notificationPressed = LogEvent(
        "notification-pressed", .info, "a notification was pressed",
        id: "d409d55450714b88a0f465edd8669b8c")
    static let notificationPressedAgain = LogEvent(
        "notification-pressed-again", .info, "a notification was pressed again; only the first press counts",
        id: "a9c16a1102ad4529ad74575da585521e")
    static let notificationAnswered = LogEvent(
        "notification-answered", .info, "a notification was answered",
        id: "e8a6b5c0c1f74aeba6f841919aa939df")
    static let notificationForeign = LogEvent(
        "notification-foreign", .debug, "a notification that Usher did not show was pressed",
        id: "8c5e74dcf01743479932e9d8853d1b4c")
    static let notificationEnded = LogEvent(
        "notification-ended", .info, "a notification was closed",
        id: "649f13715db845ce964f18af4bdfe40a")
    static let notificationServerGone = LogEvent(
        "notification-server-gone", .notice, "a notification server ended, and its notifications with it",
        id: "4ef1b9d985c24bcab1cf42253ae5adc2")
    package static let notificationsNotShown = LogEvent(
        "notifications-not-shown", .notice, "notifications cannot be shown",
        id: "2470d2ef16634d1187d7b9a86702a712")
    package static let notificationNotStored = LogEvent(
        "notification-not-stored", .error, "the state of a notification could not be stored",
        id: "5d28cb23c3484dbe8c4ee3e0316a2b61")
    package static let windowsNotFollowed = LogEvent(
        "windows-not-followed", .warning, "the windows could not be followed",
        id: "9f922815b8374ea781b1ddf4799da00a")
    static let windowServerGone = LogEvent(
        "window-server-gone", .notice, "the server of a window is gone, and its session is disconnected",
        id: "355f13a914b24a65a1a03a6e2ace0abe")
    static let windowClosed = LogEvent(
        "window-closed", .info, "a window was closed, and its session has ended",
        id: "fff272e120554c12a9acaf888f846c92")
    static let windowFound = LogEvent(
        "window-found", .info, "the window of a session was found",
        id: "afe5542587674b8d82fd5b64201f5236")
    static let windowMatched = LogEvent(
        "window-matched", .info, "a window was matched to a scene",
        id: "b75a5c09bb824c41982e6ad8162b82c5")
    static let windowAmbiguous = LogEvent(
        "window-ambiguous", .notice, "several scenes match a window; it was given to none of them",
        id: "58c40026dcb54c71be4be74e6ca10388")
    static let pushHeldBack = LogEvent(
        "push-held-back", .info, "a push was held back: the limit of its app is reached",
        id: "dd7237cba6604ec3b6859e47be7d2984")
    static let frontLost = LogEvent(
        "front-lost", .notice, "another window took the place of the one that had come to the front",
        id: "92ae681b31a346058c9064227c3b81d2")
    static let launchLeft = LogEvent(
        "launch-left", .notice, "a launch is left to the next run of the daemon",
        id: "d6681be109e64f9b89ab653f9acb5c55")
    static let deliveryStateUnexpected = LogEvent(
        "delivery-state-unexpected", .error, "a delivery was in another state than expected",
        id: "2da4a0e5679f4e41993fed9ff9fcff3e")
}
