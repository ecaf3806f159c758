import MeterCore
import CurlHTTP

/// Units as Inform v2 writes them.
enum InformUnit {
  /// The metrics whose unit the public description's examples show in a word of their own. Of all others they show none, or
  /// the UCUM one.
  private static let words: [String: (ucum: String, word: String)] = [
    "systolic": ("mm[Hg]", "mmHg"), "diastolic": ("mm[Hg]", "mmHg"),
    "pulse": ("/min", "bpm"), "avg_heart_rate": ("/min", "bpm"), "resting_heart_rate": ("/min", "bpm"),
    "steps": ("{count}", "count"), "awake_count": ("{count}", "count"),
  ]

  /// - Parameter metric: Its name in Inform.
  static func text(_ ucum: String, of metric: String) -> String {
    guard let (own, word) = words[metric], own == ucum else { return ucum }
    return word
  }
}
