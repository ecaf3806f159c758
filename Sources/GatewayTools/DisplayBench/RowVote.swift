package import DriverContract

import MeterOCR

/// What several looks at one row say, without a meter that knows what it can show.
///
/// The rules are those of a photograph (`StillVote`): half of the looks agree, at most a quarter reads something else, and
/// those that agree are sure enough. How sure that is depends on what is known of the device: where any text might be
/// right, a digit or a point too many is no longer told from a number.
package struct RowVote: Sendable, Hashable {
  /// The mean confidence that the looks which agree need.
  package static func floor(of display: HealthDisplay?) -> Double {
    display == nil ? floorOfUnknown : StillVote.Rules().floor
  }

  /// The least confidence for a display of which nobody says what it may show.
  static let floorOfUnknown = 0.9

  /// The text that most looks read, the surer one of two; nil when none was read.
  package let text: String?
  /// How sure they are on the whole: their mean, less what was not agreed on.
  package let confidence: Double
  /// Whether the text is believed.
  package let isAccepted: Bool

  /// Counts looks.
  ///
  /// - Parameter display: The kind of the device; nil: any other.
  package init(_ looks: [RowReading], of display: HealthDisplay?) {
    let parties = Self.parties(looks.map { ($0.shown, $0.confidence) })
    guard let leader = Self.leader(parties) else {
      text = Self.leader(Self.parties(looks.map { ($0.guess, $0.confidence) }))?.key
      (confidence, isAccepted) = (0, false)
      return
    }
    let mean = leader.value.confidence / Double(leader.value.looks)
    let others = parties.reduce(0) { $0 + $1.value.looks } - leader.value.looks
    text = leader.key
    confidence = mean * Double(leader.value.looks) / Double(looks.count)
    isAccepted =
      leader.value.looks * 2 >= looks.count && others * 4 <= looks.count && mean >= Self.floor(of: display)
      && display?.canShow(leader.key) != false
  }

  private typealias Party = (looks: Int, confidence: Double)

  private static func parties(_ looks: [(text: String?, confidence: Double)]) -> [String: Party] {
    var parties: [String: Party] = [:]
    for look in looks {
      guard let text = look.text else { continue }
      let party = parties[text] ?? (0, 0)
      parties[text] = (party.looks + 1, party.confidence + look.confidence)
    }
    return parties
  }

  private static func leader(_ parties: [String: Party]) -> (key: String, value: Party)? {
    parties.max { ($0.value.looks, $0.value.confidence, $1.key) < ($1.value.looks, $1.value.confidence, $0.key) }
  }
}

extension RowReading {
  /// The text without blanks around it; nil when there is none.
  var shown: String? { state == .text ? guess : nil }

  /// As ``shown``, and what a row that must not be believed would be if it had to be a text.
  var guess: String? {
    let text = text.singleSpaced
    return text.isEmpty ? nil : text
  }
}
