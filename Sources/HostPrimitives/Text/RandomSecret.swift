/// Random texts that cannot be guessed.
package enum RandomSecret {
  /// 32 random bytes in hexadecimal digits.
  package static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hexadecimal
  }

  /// Compares in a time that does not tell where the texts differ.
  package static func equal(_ secret: String, _ text: some StringProtocol) -> Bool {
    let (wanted, given) = (Array(secret.utf8), Array(text.utf8))
    guard wanted.count == given.count else { return false }
    return zip(wanted, given).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
