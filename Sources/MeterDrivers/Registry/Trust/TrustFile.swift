import Glibc
import StrictJSON

extension TrustList {
  static let sizeLimit = 1 << 20
  static let publisherLimit = 1_000
  static let keyLimit = 16

  /// Reads the list; one that is not there trusts nobody.
  ///
  /// - Throws: ``PackageError`` with code `trustList`: it cannot be read, others may change it, or it is no such list.
  package init(file path: String) throws(PackageError) {
    try FileMode.refuse(path, open: 0o022, code: .trustList) {
      PackageError(
        .trustList, "the trust list \(path) can be changed by other users",
        cure: "look at what it says, then run `chmod go-w \(path)`")
    }
    guard access(path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else {
      self.init()
      return
    }
    let bytes = try PlainFile.read(path, limit: Self.sizeLimit, what: "the trust list", code: .trustList)
    do throws(RegistryError) { try self.init(bytes, name: path) } catch {
      throw PackageError(.trustList, error.message)
    }
  }

  private init(_ bytes: [UInt8], name: String) throws(RegistryError) {
    let rules = JSONRules(size: Self.sizeLimit, depth: 8, allowsEscapedKeys: false)
    try self.init(root: try JSONElement.strict(bytes, name: name, rules: rules))
  }

  /// Writes the list, whole or not at all.
  ///
  /// - Throws: ``PackageError`` with code `trustList`: the list could not be read again, and nothing was written.
  package func write(to path: String) throws(PackageError) {
    // A list that its reader refuses trusts nobody, and no command could mend it.
    do throws(RegistryError) { _ = try TrustList(bytes, name: "the new list") } catch {
      throw PackageError(
        .trustList, "the trust list \(path) stays as it is: \(error.message)",
        cure: "try it again with another value")
    }
    try PlainFile.write(bytes, to: path, mode: 0o644, code: .trustList)
  }

  /// Changes the list of a file; two changes at once do not undo each other.
  ///
  /// - Throws: ``PackageError``: `busy` while another process changes it, `trustList` when it cannot be read or written.
  package static func change(
    file path: String, _ body: (inout TrustList) throws(PackageError) -> Void
  ) throws(PackageError) -> TrustList {
    let folder = try FolderHandle(path: FolderHandle.folder(of: path), code: .trustList)
    let name = path.split(separator: "/").last ?? ""
    guard let lock = try folder.lock(".\(name).lock") else {
      throw PackageError(.busy, "another command is changing \(path)", cure: "wait for it and try again")
    }
    defer { withExtendedLifetime(lock) {} }
    var list = try TrustList(file: path)
    try body(&list)
    try list.write(to: path)
    return list
  }

  /// The list as it is written.
  var bytes: [UInt8] {
    PackageJSON.object([
      ("trust_version", .number(1)), ("allow_unsigned", .bool(allowsUnsigned)),
      ("require_signatures", .bool(requiresSignatures)),
      (
        "publishers",
        .list(
          publishers.map { publisher in
            let keys = { (keys: [PublisherKey]) in PackageJSON.list(keys.map { .text("\($0)") }) }
            var members: [(key: String, value: PackageJSON)] = [
              ("id", .text(publisher.id)), ("name", .text(publisher.name)),
              ("drivers", .list(publisher.drivers.map(PackageJSON.text))), ("keys", keys(publisher.keys)),
            ]
            // Hosts that know nothing of indexes refuse the key, and only then.
            if !publisher.indexKeys.isEmpty { members.append(("index_keys", keys(publisher.indexKeys))) }
            members.append(("revoked", keys(publisher.revoked)))
            return .object(members)
          })
      ),
      (
        "floors",
        .list(floors.map { .object([("drivers", .text($0.drivers)), ("version", .text("\($0.version)"))]) })
      ),
    ]).bytes
  }
}

private enum TrustKey: String, RegistryKey {
  case trustVersion = "trust_version"
  case allowUnsigned = "allow_unsigned"
  case requireSignatures = "require_signatures"
  case publishers, floors
  static let requiredKeys: Set<Self> = [.trustVersion]
}

private enum TrustPublisherKey: String, RegistryKey {
  case id, name, drivers, keys, revoked
  case indexKeys = "index_keys"
  static let requiredKeys: Set<Self> = [.id, .name, .drivers, .keys]
}

private enum TrustFloorKey: String, RegistryKey {
  case drivers, version
  static let requiredKeys: Set<Self> = Set(allCases)
}

extension TrustList {
  /// Unknown keys refuse the list: what somebody has written there, such as a revocation, must not be passed over.
  private init(root: JSONElement) throws(RegistryError) {
    self.init()
    var warnings: [RegistryWarning] = []
    var object = try ObjectReader<TrustKey>(root)
    let version = try object.required(.trustVersion)
    guard try version.integer(0...UInt64.max) == 1 else {
      throw version.error(.unknownVersion, "is no version of this host", cure: "update MeterHost")
    }
    allowsUnsigned = try object.optional(.allowUnsigned)?.bool() ?? false
    requiresSignatures = try object.optional(.requireSignatures)?.bool() ?? false
    if let place = object.optional(.publishers) {
      for element in try place.elements(atMost: Self.publisherLimit) {
        let publisher = try Self.publisher(element, &warnings)
        guard !publishers.contains(where: { $0.id == publisher.id }) else {
          throw element.error(.duplicateID, "the publisher \(publisher.id) stands twice", cure: "put both into one")
        }
        publishers.append(publisher)
      }
    }
    if let place = object.optional(.floors) {
      for element in try place.elements(atMost: 4_096) {
        var object = try ObjectReader<TrustFloorKey>(element)
        floors.append(
          Floor(
            drivers: try object.required(.drivers).driverPattern(), version: try object.required(.version).version()))
        try object.finish(&warnings)
      }
    }
    try object.finish(&warnings)
    if let warning = warnings.first {
      throw root.error(.invalidValue, warning.description, cure: "correct the key, or remove it")
    }
  }

  private static func publisher(
    _ element: JSONElement, _ warnings: inout [RegistryWarning]
  ) throws(RegistryError) -> Publisher {
    var object = try ObjectReader<TrustPublisherKey>(element)
    var publisher = Publisher(
      id: try object.required(.id).word("-", limit: 64), name: try object.required(.name).name(), drivers: [],
      keys: [])
    for pattern in try object.required(.drivers).elements(atMost: 256) {
      publisher.drivers.append(try pattern.driverPattern())
    }
    for key in try object.required(.keys).elements(atMost: keyLimit) { publisher.keys.append(try key.publisherKey()) }
    if let place = object.optional(.indexKeys) {
      for key in try place.elements(atMost: keyLimit) { publisher.indexKeys.append(try key.publisherKey()) }
    }
    if let place = object.optional(.revoked) {
      for key in try place.elements(atMost: 256) { publisher.revoked.append(try key.publisherKey()) }
    }
    try object.finish(&warnings)
    return publisher
  }
}

extension TrustList {
  /// Whether a text names a driver, or the beginning of drivers' ids.
  package static func isPattern(_ text: String) -> Bool {
    let bytes = PackageJSON.text(text).bytes
    let element = try? JSONElement.strict(bytes, name: "", rules: JSONRules(depth: 1))
    return (try? element?.driverPattern()) != nil
  }

  /// Whether a text is the short name of a publisher.
  package static func isPublisherID(_ text: String) -> Bool {
    let bytes = PackageJSON.text(text).bytes
    let element = try? JSONElement.strict(bytes, name: "", rules: JSONRules(depth: 1))
    return (try? element?.word("-", limit: 64)) != nil
  }
}

extension JSONElement {
  /// A driver's id, or the beginning of ids that ends with a dot.
  fileprivate func driverPattern() throws(RegistryError) -> String {
    let text = try string(limit: RegistryLimits.identifier)
    guard text.hasSuffix(".") else { return try driverID() }
    let word = try word(".-")
    let parts = word.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") && !$0.hasSuffix("-") }) else {
      throw error(
        .invalidValue, "\"\(shown(text))\" is no beginning of drivers' ids", cure: "write one such as org.example.")
    }
    return word
  }
}
