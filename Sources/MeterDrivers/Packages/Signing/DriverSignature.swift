/// A publisher's word for one library: this driver, this version, these bytes.
///
/// It stands in the entry of a registry (`signatures`), so that the host can hold it against the trust list whenever it
/// loads the bundle, and needs no package for it.
public struct DriverSignature: Sendable, Hashable {
  /// Whose it is.
  public let key: PublisherKey
  /// 64 bytes of Ed25519.
  public let value: [UInt8]

  /// What is signed. The first line keeps it apart from everything else that the key may sign.
  static func statement(id: String, version: SemanticVersion, sha256: BundleHash) -> [UInt8] {
    Array("MeterHost driver 1\n\(id)\n\(version)\n\(sha256)\n".utf8)
  }

  /// Whether it is the key's word for this driver.
  func vouches(forDriver id: String, version: SemanticVersion, sha256: BundleHash) -> Bool {
    key.accepts(value, over: Self.statement(id: id, version: version, sha256: sha256))
  }
}
