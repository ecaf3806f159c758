package import GatewayAPI
package import GatewayEngine
package import MeterDrivers

/// The operator's list of trusted publishers.
package struct GatewayTrust: Sendable {
  private let file: String

  /// The list of a gateway at these locations.
  package init(locations: GatewayLocations) { file = locations.trust }

  /// What the list says.
  ///
  /// - Throws: `PackageError` with code `trustList`.
  package func show() throws(PackageError) -> TrustDescription {
    TrustDescription(try TrustList(file: file), file: file)
  }

  /// Adds a publisher, or keys and drivers to one that is there.
  ///
  /// - Throws: `PackageError` with code `trustList`.
  ///
  /// - Parameter indexKeys: Keys that sign the publisher's indexes and nothing else.
  package func add(
    _ id: String, name: String?, keys: [PublisherKey], indexKeys: [PublisherKey] = [], drivers: [String]
  ) throws(PackageError) -> TrustDescription {
    guard TrustList.isPublisherID(id) else {
      throw PackageError(
        .trustList, "\"\(id)\" is no short name of a publisher", cure: "use lower-case letters, digits and dashes")
    }
    if let pattern = drivers.first(where: { !TrustList.isPattern($0) }) {
      throw PackageError(
        .trustList, "\"\(pattern)\" names no driver and no beginning of drivers' ids",
        cure: "write an id, or a beginning that ends with a dot such as org.example.")
    }
    return try change { list throws(PackageError) in
      if let key = (keys + indexKeys).first(where: { key in list.publishers.contains { $0.revoked.contains(key) } }) {
        throw PackageError(
          .revokedKey, "the key \(key) was revoked, and a revoked key does not come back",
          cure: "ask the publisher for another one")
      }
      let known = list.publishers.firstIndex { $0.id == id }
      guard known.map({ !list.publishers[$0].isRemoved }) ?? false || !keys.isEmpty && !drivers.isEmpty else {
        throw PackageError(
          .trustList, "the publisher \(id) is new",
          cure: "give its key with --key and what it may sign for with --drivers")
      }
      let index = known ?? list.publishers.count
      if known == nil { list.publishers.append(TrustList.Publisher(id: id, name: name ?? id, drivers: [], keys: [])) }
      if let name { list.publishers[index].name = name }
      list.publishers[index].keys += keys.filter { !list.publishers[index].keys.contains($0) }
      list.publishers[index].indexKeys += indexKeys.filter { !list.publishers[index].indexKeys.contains($0) }
      list.publishers[index].drivers += drivers.filter { !list.publishers[index].drivers.contains($0) }
    }
  }

  /// Takes a publisher, or some of its keys, off the list. Its revoked keys stay there: they count for nobody, whoever
  /// brings them again.
  ///
  /// - Throws: `PackageError` with code `trustList`.
  package func remove(_ id: String, keys: [PublisherKey]) throws(PackageError) -> TrustDescription {
    try changePublisher(id) { list, index in
      guard !keys.isEmpty else {
        (list.publishers[index].keys, list.publishers[index].drivers) = ([], [])
        list.publishers[index].indexKeys = []
        if list.publishers[index].revoked.isEmpty { list.publishers.remove(at: index) }
        return
      }
      list.publishers[index].keys.removeAll(where: keys.contains)
      list.publishers[index].indexKeys.removeAll(where: keys.contains)
    }
  }

  /// Revokes keys of a publisher: whatever they have signed is neither installed nor loaded any more.
  ///
  /// - Throws: `PackageError` with code `trustList`.
  package func revoke(_ id: String, keys: [PublisherKey]) throws(PackageError) -> TrustDescription {
    try changePublisher(id) { list, index in
      for key in keys where !list.publishers[index].revoked.contains(key) { list.publishers[index].revoked.append(key) }
      list.publishers[index].keys.removeAll(where: keys.contains)
      list.publishers[index].indexKeys.removeAll(where: keys.contains)
    }
  }

  /// Sets the oldest version of drivers that is used; nil takes the floor away.
  ///
  /// - Throws: `PackageError` with code `trustList`.
  package func setFloor(_ version: SemanticVersion?, drivers: String) throws(PackageError) -> TrustDescription {
    guard TrustList.isPattern(drivers) else {
      throw PackageError(
        .trustList, "\"\(drivers)\" names no driver and no beginning of drivers' ids",
        cure: "write an id, or a beginning that ends with a dot such as org.example.")
    }
    return try change { list in
      list.floors.removeAll { $0.drivers == drivers }
      if let version { list.floors.append(TrustList.Floor(drivers: drivers, version: version)) }
    }
  }

  /// Sets what holds for drivers without a signature; nil leaves a setting as it is.
  ///
  /// - Throws: `PackageError` with code `trustList`.
  package func setPolicy(allowsUnsigned: Bool?, requiresSignatures: Bool?) throws(PackageError) -> TrustDescription {
    try change { list in
      if let allowsUnsigned { list.allowsUnsigned = allowsUnsigned }
      if let requiresSignatures { list.requiresSignatures = requiresSignatures }
    }
  }

  private func changePublisher(
    _ id: String, _ body: (inout TrustList, Int) throws(PackageError) -> Void
  ) throws(PackageError) -> TrustDescription {
    try change { list throws(PackageError) in
      guard let index = list.publishers.firstIndex(where: { $0.id == id && !$0.isRemoved }) else {
        throw PackageError(
          .trustList, "the trust list has no publisher \(id)", cure: "`meterhost driver trust list` shows them")
      }
      try body(&list, index)
    }
  }

  private func change(_ body: (inout TrustList) throws(PackageError) -> Void) throws(PackageError) -> TrustDescription {
    TrustDescription(try TrustList.change(file: file, body), file: file)
  }
}

extension TrustDescription {
  /// Describes a list.
  init(_ list: TrustList, file: String) {
    self.init(
      file: file, allowsUnsigned: list.allowsUnsigned, requiresSignatures: list.requiresSignatures,
      publishers: list.publishers.map {
        Publisher(
          id: $0.id, name: $0.name, drivers: $0.drivers, keys: $0.keys.map { "\($0)" },
          indexKeys: $0.indexKeys.isEmpty ? nil : $0.indexKeys.map { "\($0)" },
          revoked: $0.revoked.map { "\($0)" })
      }, floors: list.floors.map { Floor(drivers: $0.drivers, version: "\($0.version)") })
  }
}
