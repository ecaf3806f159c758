/// SplitMix64: a generator whose every run is the same for the same seed, so that a failure can be played again.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// A generator at the start of its sequence.
  public init(seed: UInt64) { state = seed }

  /// The next word.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// Any bytes, as many as a number of `counts` says.
  public mutating func bytes(_ counts: ClosedRange<Int>) -> [UInt8] {
    (0..<Int.random(in: counts, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  /// Any 16-bit word.
  public mutating func uint16() -> UInt16 { UInt16.random(in: 0...0xFFFF, using: &self) }
}
