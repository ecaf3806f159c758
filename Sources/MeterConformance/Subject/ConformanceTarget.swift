import Foundation

/// What is to be tested, and with what.
public struct ConformanceTarget: Sendable, Hashable {
  /// A bundle's folder, a library, or the id of an installed driver.
  public var name: String
  /// `registry.json`, for its dictionary and for installed drivers.
  public var registry: String
  /// The drop-in folder with fragments.
  public var fragments: String?
  /// The list of trusted publishers; nil: nobody is trusted.
  public var trust: String?
  /// The worker program; nil: beside this program.
  public var worker: String?
  /// Scripts of virtual meters; when there are none, those of the bundle's folder, or of the installation.
  public var meters: [String]
  /// The folder with the virtual meters of the installation.
  public var shippedMeters: String?
  /// Values and what they decode to; nil: those of the bundle's folder.
  public var vectors: String?
  /// Keys and licences that its meters need, by the name in the registry.
  public var keys: [String: [UInt8]]
  /// Small exports for drivers that read such; when there are none, those of the bundle's folder.
  public var exports: [String]

  /// Names a target.
  public init(
    _ name: String, registry: String, fragments: String? = nil, trust: String? = nil, worker: String? = nil,
    meters: [String] = [], shippedMeters: String? = nil, vectors: String? = nil, keys: [String: [UInt8]] = [:],
    exports: [String] = []
  ) {
    self.name = name
    self.registry = registry
    self.fragments = fragments
    self.trust = trust
    self.worker = worker
    self.meters = meters
    self.shippedMeters = shippedMeters
    self.vectors = vectors
    self.keys = keys
    self.exports = exports
  }
}
