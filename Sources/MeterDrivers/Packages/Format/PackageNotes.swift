import StrictJSON

/// What is known of packages beside their versions: which of them were revoked, and what the host has done with one by itself.
///
/// It lies in the drop-in folder, `packages/updates.json`, because installing looks at it, and whoever installs may write there.
struct PackageNotes: Sendable, Hashable {
  /// What the host has done with a package.
  struct Note: Sendable, Hashable {
    /// The version that was in use afterwards: of another one the note says nothing.
    let version: SemanticVersion
    /// What and why, for people.
    let words: String
  }

  /// What nobody uses any more; a revocation is never taken back.
  private(set) var revoked: [RevokedVersion] = []
  /// What was done, by the packages' ids.
  var notes: [String: Note] = [:]

  static let name = "updates.json"
  static let sizeLimit = 4 << 20
  /// Most revocations that are kept.
  static let revocationLimit = 8_192
  /// Most revocations that are kept of one publisher: none takes the room of another one's.
  static let publisherLimit = 1_024

  init() {}

  /// The revocation of a version; nil: there is none.
  func revocation(of package: String, _ version: SemanticVersion) -> RevokedVersion? {
    revoked.first { $0.package == package && $0.version == version }
  }

  /// Notes revocations. What is there already stays as it is.
  ///
  /// - Parameter publisher: Whose a package is, by its id.
  /// - Returns: Those for which there is no room.
  mutating func revoke(_ versions: [RevokedVersion], publisher: (String) -> String) -> [RevokedVersion] {
    var publishers: [String: String] = [:]
    func owner(_ version: RevokedVersion) -> String {
      if let known = publishers[version.package] { return known }
      let found = publisher(version.package)
      publishers[version.package] = found
      return found
    }
    var counts: [String: Int] = [:]
    for version in revoked { counts[owner(version), default: 0] += 1 }
    var known = Set(revoked.map(Self.key))
    var left: [RevokedVersion] = []
    for version in versions where known.insert(Self.key(version)).inserted {
      let name = owner(version)
      guard counts[name, default: 0] < Self.publisherLimit, revoked.count < Self.revocationLimit else {
        left.append(version)
        continue
      }
      counts[name, default: 0] += 1
      revoked.append(version)
    }
    return left
  }

  private static func key(_ version: RevokedVersion) -> String { "\(version.package) \(version.version)" }

  var bytes: [UInt8] {
    let sorted = notes.sorted { $0.key < $1.key }
    return PackageJSON.object([
      ("updates_version", .number(1)), ("revoked", .list(revoked.map(\.json))),
      (
        "notes",
        .list(
          sorted.map { name, note in
            .object([("name", .text(name)), ("version", .text("\(note.version)")), ("words", .text(note.words))])
          })
      ),
    ]).bytes
  }

  /// - Throws: ``PackageError``: without it nobody can say what was revoked.
  init(_ bytes: [UInt8], path: String) throws(PackageError) {
    do throws(RegistryError) {
      var warnings: [RegistryWarning] = []
      let rules = JSONRules(size: Self.sizeLimit, depth: 6, allowsEscapedKeys: false)
      var object = try ObjectReader<NotesKey>(try JSONElement.strict(bytes, name: path, rules: rules))
      let version = try object.required(.version)
      guard try version.integer(0...UInt64.max) == 1 else {
        throw version.error(.unknownVersion, "is no version of this host", cure: "update MeterHost")
      }
      for element in try object.required(.revoked).elements(atMost: Self.revocationLimit) {
        revoked.append(try RevokedVersion(element, &warnings))
      }
      for element in try object.required(.notes).elements(atMost: RegistryLimits.entries) {
        var note = try ObjectReader<NoteKey>(element)
        notes[try note.required(.name).driverID()] = Note(
          version: try note.required(.version).version(), words: try note.required(.words).string(limit: 4_096))
      }
    } catch { throw PackageError(.packageFolder, error.message) }
  }
}

private enum NotesKey: String, RegistryKey {
  case version = "updates_version"
  case revoked, notes
  static let requiredKeys: Set<Self> = Set(allCases)
}

private enum NoteKey: String, RegistryKey {
  case name, version, words
  static let requiredKeys: Set<Self> = Set(allCases)
}
