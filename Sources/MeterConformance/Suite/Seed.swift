/// Random numbers that are the same for the same seed on every machine (SplitMix64).
struct Seed: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Bytes as a broken or hostile meter may send them: cut off, longer, with bits turned, with fillers, or altogether random.
  mutating func spoil(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    switch Int.random(in: 0..<6, using: &self) {
    case 0: bytes.removeLast(bytes.isEmpty ? 0 : Int.random(in: 1...bytes.count, using: &self))
    case 1: bytes += (0..<Int.random(in: 1...24, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    case 2:
      bytes = (0..<Int.random(in: 0...40, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    case 3:
      let filler: UInt8 = Bool.random(using: &self) ? 0xFF : 0
      for index in bytes.indices where Bool.random(using: &self) { bytes[index] = filler }
    default:
      for _ in 0..<Int.random(in: 1...3, using: &self) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &self)] ^= UInt8(1) << UInt8.random(in: 0...7, using: &self)
      }
    }
    return bytes
  }
}
