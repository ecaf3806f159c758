extension Registry {
  /// Why the trust list cannot be used; nil when it can.
  package var trustProblem: PackageError? {
    if case .refused(let error) = trust { error } else { nil }
  }

  /// The bundle of a driver: found, held against signature, floors and hash, judged and sealed (rules R20, R22).
  ///
  /// - Throws: `RegistryError` when its path leads nowhere or out of the registry's folder, `BundleError` naming the file, the
  ///   rule and the cure when it is refused.
  public func bundle(of driver: DriverEntry) throws -> VerifiedBundle {
    let path = try libraryPath(of: driver)
    try checkTrust(in: driver, at: path)
    let rules = BundleRules(
      allowsMissingHash: isDevelopment, allowsPictureLibraries: driver.extensions.contains(.image))
    var bundle = try BundleVerifier.verify(path: path, expectedHash: driver.sha256, rules: rules)
    var left = DriverEntry.Asset.sizeLimit
    for asset in driver.assets {
      let path = try self.path(of: asset.file, "the asset \"\(asset.name)\" of \(driver.id)", of: driver)
      let bytes = try BundleVerifier.asset(path: path, expectedHash: asset.sha256, atMost: left, rules: rules)
      left -= bytes.count
      bundle.assets[asset.name] = bytes
    }
    return bundle
  }

  /// Throws when the operator's trust list or the entry's signature forbids to load a driver (rule R20). Looked at on first
  /// need: signatures of drivers that nobody uses cost nothing.
  ///
  /// - Parameter path: The bundle, for the error.
  package func checkTrust(in driver: DriverEntry, at path: String) throws(BundleError) {
    do throws(PackageError) { try checkTrust(in: driver) } catch {
      throw BundleError(
        error.bundleCode, path: path, rule: "R20",
        message: error.message + (error.cure.map { "; \($0)" } ?? ""), cause: error.cause)
    }
  }

  /// Which publisher vouches for a driver; nil: nobody, or nobody who counts.
  package func publisher(of driver: DriverEntry) -> TrustList.Publisher? {
    guard case .list(let list) = trust, (try? checkTrust(in: driver)) != nil else { return nil }
    return try? list.publisher(vouchingFor: [driver.id], with: driver.signatures.map(\.key))
  }

  private func checkTrust(in driver: DriverEntry) throws(PackageError) {
    let isOfInstallation = driver.file == base
    let list: TrustList
    switch trust {
    case .list(let found): list = found
    case .refused(let error):
      // What the installation itself brings needs no list; whether the others may run, nobody can say.
      if isOfInstallation { return }
      throw error
    }
    if let hash = driver.sha256 {
      for signature in driver.signatures
      where !signature.vouches(for: DriverStatement(driver, sha256: hash)) {
        throw PackageError(
          .badSignature, "a signature of \(driver.id) in \(driver.file) is not one of this version and hash",
          cure: "install its package again")
      }
    }
    try list.checkFloor(ofDriver: driver.id, driver.version)
    guard !isOfInstallation else { return }
    if !driver.signatures.isEmpty {
      guard driver.sha256 != nil else {
        throw PackageError(
          .badSignature, "\(driver.id) in \(driver.file) has signatures and no hash that they could be for",
          cure: "install its package again")
      }
      _ = try list.publisher(vouchingFor: [driver.id], with: driver.signatures.map(\.key))
    } else if list.requiresSignatures {
      throw PackageError(
        .unsigned, "\(driver.id) in \(driver.file) has no signature, and the trust list wants one of every fragment",
        cure: "install its signed package, or allow others: `meterhost driver trust policy --signatures optional`")
    }
  }
}

extension PackageError {
  fileprivate var bundleCode: BundleError.Code {
    switch code {
    case .unsigned: .unsigned
    case .badSignature: .badSignature
    case .untrustedKey: .untrustedKey
    case .revokedKey: .revokedKey
    case .notAllowed: .publisherNotAllowed
    case .belowFloor: .belowFloor
    default: .trustList
    }
  }
}
