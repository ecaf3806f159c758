/// A word of an answer or an event whose list may grow: an older program keeps a word that it does not know, and writes it as
/// it has read it.
///
/// ```swift
/// switch meter.addressKind?.known {
/// case .random?: showThatItChanges()
/// case .public?: break
/// // Not told, or a word of a later version.
/// case nil: break
/// }
/// ```
public struct OpenWord<Word: RawRepresentable<String>>: RawRepresentable, Sendable, Hashable, Codable {
  /// The word as it is written, known to this version or not.
  public let rawValue: String

  /// A word as it is written.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A word that this version knows.
  public init(_ word: Word) { rawValue = word.rawValue }

  /// What it means; nil for a word of a later version.
  public var known: Word? { Word(rawValue: rawValue) }
}

extension OpenWord: CaseIterable where Word: CaseIterable {
  /// The words that this version knows.
  public static var allCases: [OpenWord] { Word.allCases.map { OpenWord($0) } }
}
