import DriverContract

/// What was read for certain so far, and how often it was not: what tells a display that changed from a reader in doubt.
///
/// A display that changes shows one text set, then another. A reader in doubt goes back and forth. So a text set is
/// judged by everything that was seen since it was first seen, however often the count began anew.
struct TextHistory: Sendable {
  private struct Sighting {
    var texts: [String]
    var first: Int
    var last: Int
  }

  private static let mostSightings = 256
  private let blinks: [Bool]
  private let window: Int
  private var frames: [(number: Int, texts: [String]?)] = []
  private var sightings: [Sighting] = []
  private var number = 0

  init(rows: [DisplayRow], window: Int) {
    blinks = rows.map(\.blinks)
    self.window = max(1, window)
  }

  /// A frame that could be seen; nil when it was not read for certain.
  mutating func add(_ texts: [String]?) {
    number += 1
    frames.append((number, texts))
    if frames.count > window { frames.removeFirst() }
    guard let texts else { return }
    if let index = sightings.firstIndex(where: { $0.texts == texts }) {
      sightings[index].last = number
    } else {
      if sightings.count == Self.mostSightings { sightings.removeFirst() }
      sightings.append(Sighting(texts: texts, first: number, last: number))
    }
  }

  /// How many other text sets were seen for certain since this one was first seen.
  func rivals(of texts: [String]) -> Int {
    guard let first = sightings.first(where: { $0.texts == texts })?.first else { return 0 }
    return sightings.count { $0.last > first && $0.texts != texts && !isDarker($0.texts, than: texts) }
  }

  /// Of the frames that could be seen since this text set was first seen: how many there were, and how many showed it.
  func share(of texts: [String]) -> (agreeing: Int, all: Int) {
    let first = sightings.first { $0.texts == texts }?.first ?? number
    let counted = frames.filter { frame in
      frame.number >= first && !(frame.texts.map { isDarker($0, than: texts) } ?? false)
    }
    return (counted.count { $0.texts == texts }, counted.count)
  }

  /// Whether a frame that is remembered showed the same digits with the point elsewhere, or with one more or less: a point
  /// that is weak or small is missed for certain, again and again.
  func disputesPoint(of texts: [String]) -> Bool {
    let digits = texts.withoutPoints
    return frames.contains { frame in frame.texts.map { $0 != texts && $0.withoutPoints == digits } ?? false }
  }

  /// Whether it is the other text set with rows dark that blink.
  func isDarker(_ texts: [String], than other: [String]) -> Bool {
    guard texts != other, texts.count == other.count, texts.count == blinks.count else { return false }
    return texts.indices.allSatisfy { texts[$0] == other[$0] || (blinks[$0] && texts[$0].isEmpty) }
  }
}
