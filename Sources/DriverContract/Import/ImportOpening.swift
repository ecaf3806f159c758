/// What a driver is told when it is to read the export of a health store (`mh_import_open`).
///
/// ```swift
/// let opening = ImportOpening(
///   source: "apple-health", size: 64_000_000, since: monthAgo, wanted: [.steps, .sleep])
/// ```
package struct ImportOpening: Sendable, Hashable {
  /// What the source is, in the words of the registry: the name of a format.
  package var source: String
  /// Bytes of the source; nil: it does not say.
  package var size: UInt64?
  /// The host's clock, microseconds since 1970-01-01T00:00Z.
  package var unixMicroseconds: Int64
  /// How far local time is ahead of UTC now, seconds.
  package var utcOffsetSeconds: Int32
  /// Only samples that end behind this are wanted, microseconds since 1970-01-01T00:00Z; nil: all.
  package var since: Int64?
  /// Only samples that begin before this are wanted, microseconds since 1970-01-01T00:00Z; nil: all.
  package var until: Int64?
  /// What is wanted. A driver that puts out more wastes time only: the host leaves it out.
  package var wanted: ImportQuantities
  /// The bundle's files, by the name in the registry.
  package var assets: [String: [UInt8]]

  /// Makes an opening; what is not named is unknown or empty, and everything is wanted.
  package init(
    source: String, size: UInt64? = nil, unixMicroseconds: Int64 = 0, utcOffsetSeconds: Int32 = 0, since: Int64? = nil,
    until: Int64? = nil, wanted: ImportQuantities = .all, assets: [String: [UInt8]] = [:]
  ) {
    self.source = source
    self.size = size
    self.unixMicroseconds = unixMicroseconds
    self.utcOffsetSeconds = utcOffsetSeconds
    self.since = since
    self.until = until
    self.wanted = wanted
    self.assets = assets
  }

  /// Whether a sample of a quantity is wanted: it overlaps the time, an instant lies in it.
  package func wants(_ sample: ImportSample, _ quantity: ImportQuantity) -> Bool {
    guard wanted.contains(quantity), until.map({ sample.startMicroseconds < $0 }) ?? true else { return false }
    guard let since else { return true }
    return sample.endMicroseconds > since || sample.startMicroseconds >= since
  }
}

extension ImportQuantities: ExpressibleByArrayLiteral {
  /// These.
  package init(arrayLiteral elements: ImportQuantity...) { self.init(elements) }
}
