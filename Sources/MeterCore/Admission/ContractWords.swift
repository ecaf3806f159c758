package import DriverContract

// What the contract says, in the words that are kept on disk.

extension IdentityClass {
  /// A record without an identity is named when it is committed.
  init(_ identityClass: DriverIdentityClass) {
    self =
      switch identityClass {
      case .stored: .stored
      case .summary: .summary
      case .live, .unidentified: .live
      }
  }
}

extension ValueQualifier {
  /// How a driver says that a value is to be read.
  package init(_ qualifier: DriverQualifier) {
    self =
      switch qualifier {
      case .exact: .exact
      case .above: .above
      case .below: .below
      case .questionable: .questionable
      }
  }
}

extension DriverQualifier {
  /// How a value is to be read, as a driver would say it.
  package init(_ qualifier: ValueQualifier) {
    self =
      switch qualifier {
      case .exact: .exact
      case .above: .above
      case .below: .below
      case .questionable: .questionable
      }
  }
}
