public import MeterDrivers

/// The entries of the catalogue that an advertisement may come from.
public struct AdvertisementMatches: Sendable, Hashable {
  /// Entries one of whose rules holds; ids in ascending order.
  public let fits: [UInt32]
  /// Entries of which only Device Information, which has not been read, can tell; ids in ascending order.
  public let undecided: [UInt32]

  /// Nothing fits.
  public static let none = AdvertisementMatches(fits: [], undecided: [])

  /// Entries by what is known of them; ids in ascending order.
  public init(fits: [UInt32], undecided: [UInt32]) {
    self.fits = fits
    self.undecided = undecided
  }

  /// Whether nothing fits, and nothing can turn out to fit.
  public var isEmpty: Bool { fits.isEmpty && undecided.isEmpty }

  /// All of them, in ascending order.
  public var ids: [UInt32] { undecided.isEmpty ? fits : (fits + undecided).sorted() }

  /// What is known of one entry.
  public func fit(of id: UInt32) -> PeripheralFit {
    fits.contains(id) ? .fits : undecided.contains(id) ? .undecided : .differs
  }
}
