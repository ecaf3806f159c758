/// Whom the operator trusts to publish drivers.
package struct TrustList: Sendable, Hashable {
  /// Somebody who publishes drivers.
  package struct Publisher: Sendable, Hashable, Identifiable {
    /// Its short name.
    package var id: String
    /// What people call it.
    package var name: String
    /// The drivers that it may sign for: an id, or the beginning of ids that ends with a dot.
    package var drivers: [String]
    /// Its keys; several while one takes another's place.
    package var keys: [PublisherKey]
    /// Keys that sign its indexes only: what has to be signed every week need not be able to sign a driver.
    package var indexKeys: [PublisherKey] = []
    /// Keys that were its own and count no more, whatever they have signed and when.
    package var revoked: [PublisherKey]

    /// A publisher from its parts.
    package init(
      id: String, name: String, drivers: [String], keys: [PublisherKey], revoked: [PublisherKey] = []
    ) {
      (self.id, self.name, self.drivers, self.keys, self.revoked) = (id, name, drivers, keys, revoked)
    }

    /// Whether it may sign for a driver.
    package func maySign(forDriver id: String) -> Bool { drivers.contains { TrustList.pattern($0, covers: id) } }

    /// Whether it was taken off the list, and stands there only for the keys that were revoked.
    package var isRemoved: Bool { keys.isEmpty && indexKeys.isEmpty && drivers.isEmpty }

    /// Whether a key is or was its own.
    package func has(_ key: PublisherKey) -> Bool { keys.contains(key) || revoked.contains(key) }

    /// Whether an index that this key has signed is its own.
    package func signsIndexes(with key: PublisherKey) -> Bool { keys.contains(key) || indexKeys.contains(key) }
  }

  /// A version below which a driver is not used any more.
  package struct Floor: Sendable, Hashable {
    /// A driver's id, or the beginning of ids that ends with a dot.
    package var drivers: String
    /// The oldest version that is used.
    package var version: SemanticVersion

    /// A floor from its parts.
    package init(drivers: String, version: SemanticVersion) { (self.drivers, self.version) = (drivers, version) }
  }

  package var publishers: [Publisher]
  package var floors: [Floor]
  /// Whether `driver install --unsigned` takes packages that nobody has signed.
  package var allowsUnsigned: Bool
  /// Whether drivers of fragments are loaded only with a signature that counts.
  package var requiresSignatures: Bool

  /// A list; without anything it trusts nobody.
  package init(
    publishers: [Publisher] = [], floors: [Floor] = [], allowsUnsigned: Bool = false, requiresSignatures: Bool = false
  ) {
    (self.publishers, self.floors) = (publishers, floors)
    (self.allowsUnsigned, self.requiresSignatures) = (allowsUnsigned, requiresSignatures)
  }

  /// Whose key this is or was.
  package func publisher(of key: PublisherKey) -> Publisher? { publishers.first { $0.has(key) } }

  /// Who may sign for a driver, by the pattern that says most of it; nil: nobody.
  func publisher(forDriver id: String) -> Publisher? {
    var (found, length): (Publisher?, Int) = (nil, -1)
    for publisher in publishers {
      let lengths = publisher.drivers.filter { Self.pattern($0, covers: id) }.map(\.utf8.count)
      if let longest = lengths.max(), longest > length { (found, length) = (publisher, longest) }
    }
    return found
  }

  static func pattern(_ pattern: String, covers id: String) -> Bool {
    pattern.hasSuffix(".") ? id.hasPrefix(pattern) : id == pattern
  }

  /// The floor that a version is below; nil: it may be used.
  func floor(above version: SemanticVersion, ofDriver id: String) -> Floor? {
    floors.filter { Self.pattern($0.drivers, covers: id) && version < $0.version }.max { $0.version < $1.version }
  }

  /// Throws when a driver is below its floor.
  func checkFloor(ofDriver id: String, _ version: SemanticVersion) throws(PackageError) {
    guard let floor = floor(above: version, ofDriver: id) else { return }
    throw PackageError(
      .belowFloor,
      "\(id) \(version) is below \(floor.version), the oldest version of \(floor.drivers) that may be used",
      cure: "get a newer version from its publisher")
  }

  /// Which publisher vouches for these drivers with a key that has signed them.
  ///
  /// - Parameter keys: Keys whose signatures hold.
  /// - Throws: ``PackageError``: nobody does; the reason is that of the key that came nearest.
  func publisher(vouchingFor drivers: [String], with keys: [PublisherKey]) throws(PackageError) -> Publisher {
    var nearest: PackageError?
    for key in keys {
      do throws(PackageError) { return try publisher(vouchingFor: drivers, with: key) } catch {
        if error.nearness > nearest?.nearness ?? -1 { nearest = error }
      }
    }
    throw nearest ?? PackageError(.unsigned, "nobody has signed it")
  }

  private func publisher(
    vouchingFor drivers: [String], with key: PublisherKey
  ) throws(PackageError) -> Publisher {
    // Revoked once, revoked everywhere.
    if let owner = publishers.first(where: { $0.revoked.contains(key) }) {
      throw PackageError(
        .revokedKey, "it is signed with a key of \(owner.name) that was revoked (\(key))",
        cure: "get a version that is signed with another key")
    }
    let owners = publishers.filter { $0.keys.contains(key) }
    guard let owner = owners.first(where: { owner in drivers.allSatisfy(owner.maySign) }) ?? owners.first else {
      throw PackageError(
        .untrustedKey, "it is signed with a key that nobody on the trust list has (\(key))",
        cure: "ask its publisher on another way whether the key is theirs, then `meterhost driver trust add`")
    }
    if let driver = drivers.first(where: { !owner.maySign(forDriver: $0) }) {
      throw PackageError(
        .notAllowed, "\(owner.name) may not sign for \(driver), only for \(owner.drivers.joined(separator: ", "))",
        cure: "if that is right, let it: `meterhost driver trust add \(owner.id) --drivers \(driver)`")
    }
    return owner
  }
}

extension TrustList {
  /// Whose key is among these, which have signed an index. Which packages it may speak of is asked for each by itself.
  ///
  /// - Throws: ``PackageError``: `unsigned`, `revokedKey` or `untrustedKey`.
  package func publisher(ofIndexSignedWith keys: [PublisherKey]) throws(PackageError) -> Publisher {
    guard let first = keys.first else {
      throw PackageError(.unsigned, "nobody has signed the index", cure: "ask its publisher for a signed one")
    }
    let good = keys.filter { key in !publishers.contains { $0.revoked.contains(key) } }
    for key in good {
      if let owner = publishers.first(where: { $0.signsIndexes(with: key) }) { return owner }
    }
    guard let key = good.first else {
      throw PackageError(
        .revokedKey, "the index is signed with a key that was revoked (\(first))",
        cure: "wait until its publisher has signed it with another key")
    }
    throw PackageError(
      .untrustedKey, "the index is signed with a key that nobody on the trust list has (\(key))",
      cure: "ask its publisher on another way whether the key is theirs, then `meterhost driver trust add`")
  }

  /// The floor that a version of a driver is below; nil: it may be used.
  package func floorVersion(above version: SemanticVersion, ofDriver id: String) -> SemanticVersion? {
    floor(above: version, ofDriver: id)?.version
  }
}

extension PackageError {
  /// How much of what a signature needs was there.
  fileprivate var nearness: Int {
    switch code {
    case .notAllowed: 3
    case .revokedKey: 2
    case .untrustedKey: 1
    default: 0
    }
  }
}
