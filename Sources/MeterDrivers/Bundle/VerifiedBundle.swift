/// A bundle whose bytes have been checked and sealed: what is mapped later is what was hashed (rule R20).
///
/// Only `BundleVerifier` makes one. The descriptor stays open for the life of the process.
public struct VerifiedBundle: Sendable, Hashable {
  /// The file that the bytes were read from.
  public let path: String
  /// SHA-256 of the sealed bytes.
  public let hash: BundleHash
  /// The files that the registry's entry names beside the library, by their names there.
  public internal(set) var assets: [String: [UInt8]] = [:]
  /// The sealed memory file.
  package let descriptor: Int32

  /// The file's name without its folder.
  public var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
