/// What a reader takes beside the grammar of RFC 8259, which is not negotiable: bounds, and the liberties that let one
/// text mean different things to different readers.
public struct JSONRules: Sendable, Hashable {
  /// Parsing recurses; a caller's bound above this one would risk the stack of its thread.
  public static let greatestDepth = 512
  /// Places are kept in 32 bits.
  public static let greatestSize = Int(UInt32.max) - 1

  /// Greatest size of the text in bytes.
  public let size: Int
  /// Greatest number of containers inside each other.
  public let depth: Int
  /// Whether a key may stand twice in one object; a caller that allows it judges the members itself.
  public let allowsDuplicateKeys: Bool
  /// Whether a key may be written with escapes: one key has two spellings then.
  public let allowsEscapedKeys: Bool
  /// Which numbers may stand in the text.
  public let numbers: JSONNumberRule

  /// Rules with these bounds, brought down to ``greatestSize`` and ``greatestDepth`` where they are above them.
  public init(
    size: Int = greatestSize, depth: Int, allowsDuplicateKeys: Bool = false, allowsEscapedKeys: Bool = true,
    numbers: JSONNumberRule = .any
  ) {
    self.size = min(max(size, 0), Self.greatestSize)
    self.depth = min(max(depth, 0), Self.greatestDepth)
    self.allowsDuplicateKeys = allowsDuplicateKeys
    self.allowsEscapedKeys = allowsEscapedKeys
    self.numbers = numbers
  }
}

/// How far a number must be what a 64-bit float (IEEE 754 binary64) can say. RFC 8259 section 6 sets no bound.
public enum JSONNumberRule: Sendable, Hashable {
  /// Every number of the grammar; the caller looks at those that it uses.
  case any
  /// None that only infinity could stand for.
  case finite
  /// None beyond 2^53 - 1 in magnitude: from there on two different integers are one float.
  case exact

  /// Whether a number, read as a float, is within the rule.
  public func admits(_ number: Double) -> Bool {
    switch self {
    case .any: true
    case .finite: number.isFinite
    case .exact: abs(number) <= 9_007_199_254_740_991
    }
  }
}
