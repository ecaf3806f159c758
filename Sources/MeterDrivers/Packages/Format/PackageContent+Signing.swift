extension PackageContent {
  /// Signs the package with a key; a signature of the same key is replaced, others stay.
  package func signed(with pair: PublisherKeyPair) throws(PackageError) -> PackageContent {
    let others = signatures.filter { $0.key != pair.key }
    guard others.count < RegistryLimits.signatures else {
      throw PackageError(
        .packageTooLarge, "\(name) has \(others.count) signatures already", cure: "pack it again and sign it then")
    }
    let all = others + [try PackageSignature(pair, of: self)]
    let made = signed(all.sorted { $0.key.description < $1.key.description })
    let size = PackageSignature.write(made.signatures).count
    guard size <= PackageSignature.sizeLimit else {
      throw PackageError(
        .packageTooLarge,
        "\(name) would have \(size) bytes of signatures; at most \(PackageSignature.sizeLimit) are read",
        cure: "leave signatures of old keys out: pack it again and sign it then")
    }
    // What every reader will do with it: a file that nobody can read must not take the place of a good one.
    return try PackageContent(made.bytes, name: name)
  }

  /// Writes the package, whole or not at all.
  package func write(to path: String) throws(PackageError) {
    try PlainFile.write(bytes, to: path, mode: 0o644, code: .packageFile)
  }

  /// Keys whose signatures hold over this content. One that does not makes the whole package suspect.
  ///
  /// - Throws: ``PackageError`` with code `badSignature`.
  package func signers() throws(PackageError) -> [PublisherKey] {
    for signature in signatures where !signature.isValid(for: self) {
      throw PackageError(
        .badSignature, "\(name): the signature of \(signature.key) is not one of this content",
        cure: "get it again from its publisher")
    }
    return signatures.map(\.key)
  }

  /// Who vouches for the package.
  ///
  /// - Throws: ``PackageError``: a signature is wrong, nobody who counts has signed, or its version is below a floor.
  package func publisher(in list: TrustList) throws(PackageError) -> TrustList.Publisher {
    let keys = try signers()
    guard !keys.isEmpty else {
      throw PackageError(
        .unsigned, "nobody has signed \(name)",
        cure: "get a signed one; for building drivers, `--unsigned` takes it where the operator allows that")
    }
    let publisher = try list.publisher(vouchingFor: manifest.drivers, with: keys)
    for driver in manifest.drivers { try list.checkFloor(ofDriver: driver, manifest.version) }
    return publisher
  }
}
