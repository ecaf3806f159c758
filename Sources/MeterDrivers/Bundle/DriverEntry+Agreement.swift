import DriverContract

extension DriverEntry {
  /// The first thing in which a bundle is not what the registry says of it (rule R19), and the cure; nil when they agree.
  ///
  /// - Parameter drivers: What the bundle's own tables say.
  package func disagreement(with drivers: [DriverDescription]) -> (reason: String, cure: String)? {
    guard let theirs = drivers.first(where: { $0.id == id }) else {
      let known = drivers.map(\.id).joined(separator: ", ")
      return (
        "the bundle holds no driver \(id), only \(known)",
        "correct \"id\" or \"library\" of the entry, or install the "
          + "bundle that belongs to it"
      )
    }
    let cure = "install the bundle that belongs to this entry, or correct the entry"
    guard theirs.version == "\(version)" else {
      return ("the bundle is version \(theirs.version), the registry says \(version)", cure)
    }
    let offered = Set(Capability.allCases.filter { theirs.capabilities.contains($0.bit) })
    guard offered == capabilities else {
      return ("the bundle offers \(Self.list(offered)), the registry says \(Self.list(capabilities))", cure)
    }
    guard Set(theirs.extensions) == extensions else {
      return (
        "the bundle has the extensions \(Self.list(Set(theirs.extensions))), the registry says \(Self.list(extensions))",
        cure
      )
    }
    return functionsDisagree(theirs.functions).map { ($0, cure) }
  }

  private func functionsDisagree(_ theirs: [DriverFunction]) -> String? {
    for function in functions {
      guard let found = theirs.first(where: { $0.name == function.name }) else {
        return "the bundle has no function \(function.name), which the registry lists"
      }
      if found.signature != function.signature.description {
        return "the bundle's function \(function.name) is \(found.signature), the registry says \(function.signature)"
      }
    }
    let listed = Set(functions.map(\.name))
    return theirs.first { !listed.contains($0.name) }.map {
      "the bundle has a function \($0.name), which the registry does not list"
    }
  }

  private static func list(_ extensions: Set<DriverExtension>) -> String {
    let names = DriverExtension.allCases.filter(extensions.contains).map(\.rawValue)
    return names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }

  private static func list(_ capabilities: Set<Capability>) -> String {
    let names = Capability.allCases.filter(capabilities.contains).map(\.rawValue)
    return names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }
}

extension DriverEntry.Capability {
  fileprivate var bit: DriverCapabilities {
    switch self {
    case .connect: .connect
    case .advertisementOnly: .advertisementOnly
    case .decode: .decode
    }
  }
}
