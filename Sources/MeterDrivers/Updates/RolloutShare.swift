import Crypto

/// Where a gateway stands when a version is handed out step by step: a number below a hundred for each gateway, package and
/// version. A gateway that is early with one version is not early with all.
package enum RolloutShare {
  /// The gateway's number. A version is for it when this is below the percentage.
  ///
  /// - Parameters:
  ///   - gateway: The gateway's name for this, which nobody else is told.
  ///   - package: The package's id.
  package static func number(gateway: String, package: String, version: SemanticVersion) -> Int {
    let digest = SHA256.hash(data: Array("\(gateway)\n\(package)\n\(version)".utf8))
    // 64 bits of it: what a remainder by a hundred prefers is far below what anybody could count.
    let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(number % 100)
  }
}
