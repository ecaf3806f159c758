/// A publisher's word for one library: this driver, this version, these bytes.
///
/// It stands in the entry of a registry (`signatures`), so that the host can hold it against the trust list whenever it
/// loads the bundle, and needs no package for it.
package struct DriverSignature: Sendable, Hashable {
  /// Whose it is.
  package let key: PublisherKey
  /// 64 bytes of Ed25519.
  package let value: [UInt8]

  /// Whether it is the key's word for this.
  func vouches(for statement: DriverStatement) -> Bool { key.accepts(value, over: statement.bytes) }
}

/// What a ``DriverSignature`` is made over: which bytes belong to which version of which driver.
struct DriverStatement: Sendable, Hashable {
  let id: String
  let version: SemanticVersion
  /// The library.
  let sha256: BundleHash
  /// The other files, by the names that the driver knows.
  let assets: [String: BundleHash]

  /// The first line keeps it apart from everything else that the key may sign; assets follow in the order of their names.
  var bytes: [UInt8] {
    let lines = assets.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { "\($0.value) \($0.key)\n" }
    return Array("MeterHost driver 1\n\(id)\n\(version)\n\(sha256)\n\(lines.joined())".utf8)
  }
}

extension DriverStatement {
  /// What an entry says; an asset without a hash is in no statement that a publisher has signed.
  init(_ entry: DriverEntry, sha256: BundleHash) {
    let assets = entry.assets.compactMap { asset in asset.sha256.map { (asset.name, $0) } }
    self.init(id: entry.id, version: entry.version, sha256: sha256, assets: Dictionary(assets) { first, _ in first })
  }
}
