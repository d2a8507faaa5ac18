/// An operation on activities, notes, links, redirects, or what suggestions are made of.
public protocol ContentCall: PerformedCall {}
