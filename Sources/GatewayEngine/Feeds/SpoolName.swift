package import MeterCore

/// The name of a body in the spool: whose it is, when it came, and from which source. A value, read strictly: what has another name was
/// not put there by the host.
package struct SpoolName: Sendable, Hashable {
  /// The session in which it came.
  package let generation: SessionGeneration
  /// Microseconds since 1970-01-01T00:00Z.
  package let came: Int64
  /// Told to the sender.
  package let id: String
  /// The source's name.
  package let source: String

  static let ending = ".body"
  /// Of a body that is not whole.
  static let unfinished = ".part"

  init(generation: SessionGeneration, came: Int64, id: String, source: String) {
    (self.generation, self.came, self.id, self.source) = (generation, came, id, source)
  }

  /// Reads `GENERATION-MICROSECONDS-ID-SOURCE.body`; nil for anything else. An id has 32 hexadecimal digits.
  init?(_ file: String) {
    guard let match = file.wholeMatch(of: /([0-9]{1,19})-([0-9]{1,19})-([0-9a-f]{32})-(.+)\.body/),
      let generation = Int64(match.1), let came = Int64(match.2), IngestSource.isName(String(match.4))
    else { return nil }
    self.init(
      generation: SessionGeneration(rawValue: generation), came: came, id: String(match.3), source: String(match.4))
  }

  /// The file's name.
  var file: String { "\(generation.rawValue)-\(came)-\(id)-\(source)\(Self.ending)" }
}
