extension RegistryError {
  /// The rule of the contract that refuses: R4 and R19 for versions, R20 for hashes, R22 for everything else in a file.
  public var rule: String {
    switch code {
    case .missingHash: "R20"
    case .abiMismatch: path.hasPrefix("$.abi") ? "R19" : "R4"
    default: "R22"
    }
  }

  /// Whether it leaves out one driver only, and not the file that it stands in.
  var concernsOneDriver: Bool {
    (code == .missingHash || code == .abiMismatch) && path.hasPrefix("$.drivers[")
  }
}
