/// Where a registry is read from.
public struct RegistrySources: Sendable {
  /// The path of `registry.json`.
  public var base: String
  /// The drop-in folder whose `*.json` files are read in the order of their names; nil or absent on disk: none.
  public var fragments: String?
  /// The list of trusted publishers; nil or absent on disk: nobody is trusted.
  public var trust: String?
  /// The contract that the host was compiled with; the registry must describe the same one.
  public var abi: CompiledABI

  /// Names the files.
  public init(base: String, fragments: String? = nil, trust: String? = nil, abi: CompiledABI = .current) {
    self.base = base
    self.fragments = fragments
    self.trust = trust
    self.abi = abi
  }
}
