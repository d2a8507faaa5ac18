internal import UsherScene
internal import UsherText

// What the links of each service say. Of directions only the destination is read.

extension MapLink {
    // MARK: Google Maps

    // https://developers.google.com/maps/documentation/urls/get-started, and what its pages have in the address bar.

    func google() throws(Diagnostic) -> Place {
        var place = Place(.google)
        let path = path.first?.lowercased() == "maps" ? path.dropFirst() : path[...]
        let section = path.first?.lowercased()
        let view = path.first { $0.hasPrefix("@") }?.dropFirst().split(separator: ",", omittingEmptySubsequences: false)
        place.zoom = parameters.number("z") ?? parameters.number("zoom") ?? view.flatMap(Self.zoom)
        place.mode = mode(of: "travelmode") ?? mode(of: "dirflg")
        // The words of the path end where the view begins.
        let words = path.dropFirst().prefix { !$0.hasPrefix("@") && !$0.hasPrefix("data=") }
        let destination = parameters["destination"] ?? parameters["daddr"]
        if section == "dir" || destination != nil {
            place.isDirections = true
            let stops = words.count > 1 ? words.dropFirst() : words
            try place.locate(destination ?? stops.last { $0.trimmed != nil }?.trimmed)
            return place
        }
        let word = words.first?.trimmed
        switch section {
        case "search": try place.locate(word)
        case "place":
            if let word, let coordinate = try Coordinate(word) {
                place.coordinate = coordinate
            } else {
                place.name = word
            }
        default: break
        }
        let search = parameters["query"] ?? parameters["q"]
        try place.locate(search?.lowercased().hasPrefix("loc:") == true ? search?.dropFirst(4).trimmed : search)
        let data = path.first { $0.hasPrefix("data=") } ?? parameters["data"]
        if let pin = try data.flatMap({ text throws(Diagnostic) in try Self.pin(in: text) }) {
            place.coordinate = pin
        }
        for name in ["ll", "center", "viewpoint"] { try place.fillCoordinate(try Coordinate(parameters[name])) }
        try place.fillCoordinate(try Coordinate(view?.first, view?.dropFirst().first))
        if place.coordinate == nil, place.query == nil { place.query = place.name }
        return place
    }

    /// The third part of `@LAT,LON,ZOOMz`.
    private static func zoom(_ view: [Substring]) -> Double? {
        guard view.count == 3, view[2].hasSuffix("z") else { return nil }
        return decimal(view[2].utf8.dropLast()).flatMap { $0.isFinite ? $0 : nil }
    }

    /// `!3dLAT!4dLON`: the last ones, since those of what is around the place stand before it.
    private static func pin(in data: String) throws(Diagnostic) -> Coordinate? {
        let fields = data.split(separator: "!")
        for (latitude, longitude) in zip(fields, fields.dropFirst()).reversed()
        where latitude.hasPrefix("3d") && longitude.hasPrefix("4d") {
            if let pin = try Coordinate(latitude.dropFirst(2), longitude.dropFirst(2)) { return pin }
        }
        return nil
    }

    // MARK: Apple Maps

    // https://developer.apple.com/library/archive/featuredarticles/iPhoneURLScheme_Reference/MapLinks, and the unified
    // links: https://developer.apple.com/documentation/mapkit/unified-map-urls.

    func apple() throws(Diagnostic) -> Place {
        var place = Place(.apple)
        let section = path.first?.lowercased()
        place.zoom = parameters.number("z")
        place.mode = mode(of: "mode") ?? mode(of: "dirflg")
        let destination = parameters["daddr"] ?? parameters["destination"]
        if section == "directions" || destination != nil {
            place.isDirections = true
            try place.locate(destination)
            return place
        }
        place.name = parameters["name"]
        place.coordinate = try Coordinate(parameters["ll"])
        try place.fillCoordinate(try Coordinate(parameters["coordinate"]))
        // With coordinates there is nothing to geocode.
        if place.coordinate == nil { try place.locate(parameters["address"]) }
        let search = parameters["q"] ?? parameters["query"]
        if place.coordinate == nil, place.query == nil {
            try place.locate(search)
        } else if let search, try Coordinate(search) == nil {
            place.name = place.name ?? search
        }
        if place.namesNothing { place.coordinate = try Coordinate(parameters["center"]) }
        if place.coordinate == nil, place.query == nil { place.query = place.name }
        return place
    }

    // MARK: OpenStreetMap

    // https://wiki.openstreetmap.org/wiki/Browsing#Other_URL_tricks

    func openStreetMap() throws(Diagnostic) -> Place {
        var place = Place(.osm)
        let view = fragment.split(separator: "&").first { $0.hasPrefix("map=") }?.dropFirst(4)
            .split(separator: "/", omittingEmptySubsequences: false)
        let map = view?.count == 3 ? view : nil
        place.zoom = parameters.number("zoom") ?? map.flatMap { decimal($0[0].utf8) }.flatMap { $0.isFinite ? $0 : nil }
        let engine = parameters["engine"]?.split(separator: "_").last
        place.mode = engine.flatMap { Self.modes[$0.lowercased()] }
        let route = parameters["route"]?.split(separator: ";", omittingEmptySubsequences: false)
        if path.first?.lowercased() == "directions" || route != nil {
            place.isDirections = true
            try place.locate(parameters["to"] ?? route?.dropFirst().last?.trimmed)
            return place
        }
        try place.locate(parameters["query"])
        if let marker = try Coordinate(parameters["mlat"], parameters["mlon"]) {
            place.coordinate = marker
        }
        try place.fillCoordinate(try Coordinate(parameters["lat"], parameters["lon"]))
        try place.fillCoordinate(try Coordinate(map?[1], map?[2]))
        return place
    }

    // MARK: Bing Maps

    // https://learn.microsoft.com/bingmaps/articles/create-a-custom-map-url

    func bing() throws(Diagnostic) -> Place {
        var place = Place(.bing)
        place.zoom = parameters.number("lvl")
        let mode = parameters["mode"]?.lowercased()
        place.mode = mode == "t" ? .transit : mode.flatMap { Self.modes[$0] }
        let route = parameters["rtp"]?.split(separator: "~", omittingEmptySubsequences: false)
        if route != nil || path.dropFirst().first?.lowercased() == "directions" {
            place.isDirections = true
            guard let stop = route?.dropFirst().last else { return place }
            if let text = Self.text(stop, after: "adr.") {
                try place.locate(text.trimmed)
            } else if let point = Self.text(stop, after: "pos.") {
                try place.locate(point: point)
            }
            return place
        }
        try place.locate(parameters["where1"] ?? parameters["q"])
        let pins = parameters["sp"]?.split(separator: "~") ?? []
        if let point = pins.lazy.compactMap({ Self.text($0, after: "point.") }).first {
            try place.locate(point: point)
        }
        try place.fillCoordinate(try Coordinate(parameters["cp"], separator: "~"))
        return place
    }

    private static func text(_ text: Substring, after prefix: String) -> Substring? {
        text.prefix(prefix.count).lowercased() == prefix ? text.dropFirst(prefix.count) : nil
    }

    // MARK: Ways to get there

    private static let modes: [String: Place.Mode] = [
        "driving": .car, "car": .car, "d": .car,
        "walking": .pedestrian, "foot": .pedestrian, "w": .pedestrian,
        "bicycling": .bike, "cycling": .bike, "bicycle": .bike, "bike": .bike, "b": .bike, "c": .bike,
        "transit": .transit, "r": .transit,
    ]

    private func mode(of parameter: String) -> Place.Mode? {
        parameters[parameter].flatMap { Self.modes[$0.lowercased()] }
    }
}

extension Place {
    /// `LAT_LON_NAME`, as Bing writes points; more may follow.
    fileprivate mutating func locate(point: Substring) throws(Diagnostic) {
        let parts = point.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count > 1, let found = try Coordinate(parts[0], parts[1]) else { return }
        coordinate = found
        name = parts.count > 2 ? parts[2].trimmed : nil
    }
}
