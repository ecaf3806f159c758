import DriverContract
import Foundation

extension PackageContent {
  /// Starts the package's library for this machine once, as an installation will, and compares its tables with the
  /// fragment.
  ///
  /// - Returns: Whether there was one to be started; a package for other machines has none.
  /// - Throws: ``PackageError`` with code `driver_refused`, or what speaks against the library or the fragment.
  package func start(in host: DriverHost, for registry: RegistrySources) async throws(PackageError) -> Bool {
    guard let path = manifest.libraries[.host], let bytes = files[path] else { return false }
    let entries: [DriverEntry]
    do throws(RegistryError) {
      entries = try Registry.drivers(
        ofFragment: files[PackagePath.fragment] ?? [], name: "\(name): \(PackagePath.fragment)", for: registry)
    } catch { throw PackageError(.registryProblem, error.message) }
    let bundle = try Self.verified(bytes, "\(name): \(path)")
    for entry in entries { try await entry.checkStart(of: bundle, in: host) }
    return true
  }

  /// The library for this machine, verified and held apart from every file.
  ///
  /// - Throws: ``PackageError``: there is none, or it is none that would be loaded.
  package func bundle() throws(PackageError) -> VerifiedBundle {
    let library = try library(.host)
    return try Self.verified(library.bytes, "\(name): \(library.path)")
  }

  /// The library as loading takes it: out of a file.
  private static func verified(_ bytes: [UInt8], _ name: String) throws(PackageError) -> VerifiedBundle {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("mh-pack-\(UUID().uuidString.prefix(12))")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("library.so")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    } catch {
      throw PackageError(
        .packageFolder, "\(folder.path) cannot be written: \(error.localizedDescription)",
        cure: "make room in the folder of temporary files, or name another one with TMPDIR")
    }
    do throws(BundleError) {
      return try BundleVerifier.verify(
        path: file.path, expectedHash: BundleHash(of: bytes), rules: BundleRules())
    } catch { throw PackageError(.packageLibrary, "\(name): \(error.message)") }
  }
}
