import StrictJSON

/// A place where a file of the registry names a driver or a peripheral, or a file that cannot be read and may name it.
package struct RegistrySighting: Sendable, Hashable {
  /// The file as the loader names it.
  package let file: String
  /// The entry as a JSON path; `$` when the file could not be read as far as that.
  package let path: String
  /// Line and column of the entry.
  package let position: RegistryPosition?
  /// Whether the entry was found; false: the file is unreadable, and whether it names the entry cannot be said.
  package let isNamed: Bool
  /// Why the file or the entry is left out; nil when it is in use.
  package let problem: RegistryError?
  /// What was noticed about the entry.
  package let warnings: [RegistryWarning]

  /// `file:line:column: path`.
  package var place: String {
    let start = position.map { "\(file):\($0.line):\($0.column)" } ?? file
    return path == "$" ? start : "\(start): \(path)"
  }
}

/// Looks through the files of a registry for an entry, in the order in which the loader reads them.
///
/// For diagnosis: every file is read again, and what the loader said about it is put beside what stands there.
package struct RegistrySearch: Sendable {
  private let sources: RegistrySources
  private let problems: [RegistryError]
  private let warnings: [RegistryWarning]

  /// A search in the files that a registry was loaded from.
  package init(_ sources: RegistrySources, registry: Registry) {
    self.sources = sources
    problems = registry.problems
    warnings = registry.warnings
  }

  /// Every file that names this driver, or may.
  package func sightings(ofDriver id: String) -> [RegistrySighting] {
    sightings(in: "drivers") { $0.member("id")?.asString == id }
  }

  /// Every file that has this peripheral, or may.
  package func sightings(of key: PeripheralKey) -> [RegistrySighting] {
    sightings(in: "peripherals") { entry in
      entry.member("id")?.numeral == "\(key.id)" && entry.member("kind")?.asString == key.kind.rawValue
    }
  }

  private func sightings(in list: String, where isWanted: (JSONElement) -> Bool) -> [RegistrySighting] {
    files().flatMap { file -> [RegistrySighting] in
      let document: JSONDocument
      do throws(RegistryError) {
        document = try JSONDocument.registry(RegistryFile.read(file), file: file)
      } catch {
        return [
          RegistrySighting(
            file: file, path: "$", position: error.position, isNamed: false, problem: error, warnings: [])
        ]
      }
      return (document.root.member(list)?.elements ?? []).filter(isWanted).map { sighting($0, file) }
    }
  }

  private func sighting(_ entry: JSONElement, _ file: String) -> RegistrySighting {
    let path = entry.path
    let problem = problems.first { error in
      error.file == file && (!error.concernsOneDriver || error.path == path)
    }
    return RegistrySighting(
      file: file, path: path, position: RegistryPosition(entry.position), isNamed: true, problem: problem,
      warnings: warnings.filter { $0.file == file && $0.path.hasPrefix(path + ".") })
  }

  private func files() -> [String] {
    guard let folder = sources.fragments else { return [sources.base] }
    let names = (try? RegistryFile.fragments(in: folder)) ?? []
    return [sources.base] + names.map { "\(folder)/\($0)" }
  }
}
