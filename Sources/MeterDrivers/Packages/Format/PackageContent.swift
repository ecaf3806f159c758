import HostPrimitives
import StrictJSON

/// A driver package in memory, whole and checked: its manifest, its signatures, and every file with the length and the hash
/// that the manifest names.
///
/// The file is a head of 16 bytes, the manifest, the signatures and the files one after the other:
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 8 | `MHDRIVER` |
/// | 8 | 4 | length of the manifest, little-endian |
/// | 12 | 4 | length of the signatures, 0 for none, little-endian |
/// | 16 | | manifest, signatures, then the files in the manifest's order; nothing after them |
///
/// Nothing is compressed and nothing has a length or a place of its own beside the manifest, so that there is nothing to
/// inflate, no name that the manifest does not have, and one file for one content.
package struct PackageContent: Sendable {
  /// What it says about itself.
  package let manifest: PackageManifest
  /// The bytes that signatures are made over.
  package let manifestBytes: [UInt8]
  /// Who has signed it; not judged yet.
  package let signatures: [PackageSignature]
  /// The content of every file, by path.
  package let files: [String: [UInt8]]
  /// What it is called in errors: the path that it was read from.
  package let name: String

  /// Largest package, in bytes.
  package static let sizeLimit = 128 << 20
  /// Largest file, in bytes: that of the largest bundle.
  static let fileSizeLimit = 64 << 20
  static let magic = Array("MHDRIVER".utf8)
  private static let headSize = 16

  /// Puts a package together.
  init(manifest: PackageManifest, signatures: [PackageSignature], files: [String: [UInt8]], name: String) {
    self.manifest = manifest
    manifestBytes = manifest.bytes
    self.signatures = signatures
    self.files = files
    self.name = name
  }

  /// The same package with other signatures.
  func signed(_ signatures: [PackageSignature]) -> PackageContent {
    PackageContent(manifest: manifest, signatures: signatures, files: files, name: name)
  }

  /// Reads a package from a file.
  ///
  /// - Throws: ``PackageError``.
  package init(path: String) throws(PackageError) {
    try self.init(try PlainFile.read(path, limit: Self.sizeLimit, what: "the package"), name: path)
  }

  /// Whether a file begins as a package does.
  package static func isPackage(path: String) -> Bool { PlainFile.begins(path, with: magic) }

  /// Reads a package. Every length is checked before it is used, every hash before the content is.
  package init(_ bytes: [UInt8], name: String) throws(PackageError) {
    guard bytes.count <= Self.sizeLimit else {
      throw PackageError(.packageTooLarge, "\(name) has \(bytes.count) bytes; packages have at most \(Self.sizeLimit)")
    }
    guard bytes.starts(with: Self.magic) else {
      throw PackageError(
        .notAPackage, "\(name) is no driver package", cure: "make one with `meterhost driver pack DIR`")
    }
    var head = ByteReader(bytes.dropFirst(Self.magic.count))
    guard let manifestSize = head.uint32().map(Int.init), let signatureSize = head.uint32().map(Int.init) else {
      throw Self.damaged(name, "it ends within its head")
    }
    guard manifestSize <= PackageManifest.sizeLimit, signatureSize <= PackageSignature.sizeLimit,
      bytes.count - Self.headSize >= manifestSize + signatureSize
    else { throw Self.damaged(name, "its head promises more than there is") }
    let manifestEnd = Self.headSize + manifestSize
    let signatureEnd = manifestEnd + signatureSize
    let manifestBytes = Array(bytes[Self.headSize..<manifestEnd])
    let manifest = try PackageManifest(manifestBytes, name: name)
    guard manifest.bytes == manifestBytes else {
      throw Self.damaged(name, "its manifest is not written as packages write it")
    }
    let total = manifest.files.reduce(signatureEnd) { $0 + $1.size }
    guard total == bytes.count else {
      throw Self.damaged(name, "it has \(bytes.count) bytes, and its manifest promises \(total)")
    }
    var files: [String: [UInt8]] = [:]
    var place = signatureEnd
    for file in manifest.files {
      let content = Array(bytes[place..<place + file.size])
      guard BundleHash(of: content) == file.sha256 else { throw Self.damaged(name, "\(file.path) has another SHA-256") }
      files[file.path] = content
      place += file.size
    }
    self.manifest = manifest
    self.manifestBytes = manifestBytes
    self.files = files
    self.name = name
    let signatureBytes = Array(bytes[manifestEnd..<signatureEnd])
    signatures = signatureBytes.isEmpty ? [] : try PackageSignature.read(signatureBytes, name: name)
    guard signatureBytes.isEmpty || PackageSignature.write(signatures) == signatureBytes else {
      throw Self.damaged(name, "its signatures are not written as packages write them")
    }
    try checkFragment()
  }

  /// The package's bytes: the same content gives the same ones.
  package var bytes: [UInt8] {
    let signatureBytes = signatures.isEmpty ? [] : PackageSignature.write(signatures)
    var out = Self.magic
    for size in [manifestBytes.count, signatureBytes.count] { out.append(littleEndian: UInt32(size)) }
    out += manifestBytes + signatureBytes
    for file in manifest.files { out += files[file.path] ?? [] }
    return out
  }

  func library(_ platform: PackagePlatform) throws(PackageError) -> (path: String, bytes: [UInt8]) {
    guard let path = manifest.libraries[platform], let bytes = files[path] else {
      let known = manifest.libraries.keys.map(\.rawValue).sorted().joined(separator: ", ")
      throw PackageError(
        .noPlatform, "\(name) has libraries for \(known), and none for \(platform.rawValue)",
        cure: "ask \(manifest.vendor) for a package with one")
    }
    return (path, bytes)
  }

  /// The drivers that its fragment describes; the same as the manifest's, or the package is damaged.
  func checkFragment() throws(PackageError) {
    let fragment = try fragment()
    let drivers = fragment.drivers
    let agrees =
      drivers.map(\.id) == manifest.drivers && !fragment.isInstalled
      && drivers.allSatisfy {
        $0.version == manifest.version && $0.abi == manifest.abi && $0.vendor == manifest.vendor
          && $0.license == manifest.license
      }
    guard agrees else { throw Self.damaged(name, "its manifest and its registry fragment disagree") }
    for asset in drivers.flatMap(\.assets)
    where files[asset.file] == nil || !asset.file.hasPrefix(PackagePath.assets + "/") {
      throw Self.damaged(name, "its fragment names the asset \(shown(asset.file)), which it does not have")
    }
    try fragment.checkPictures(among: files, of: name)
  }

  /// Its registry fragment.
  func fragment() throws(PackageError) -> PackageFragment {
    try PackageFragment(files[PackagePath.fragment] ?? [], name: "\(name): \(PackagePath.fragment)")
  }

  private static func damaged(_ name: String, _ why: String) -> PackageError {
    PackageError(.packageDamaged, "\(name) is damaged: \(why)", cure: "get it again from its publisher")
  }
}
