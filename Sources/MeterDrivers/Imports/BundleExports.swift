package import Foundation

/// The exports that the author of a driver has laid into the bundle's folder to try it with. What an export is only its driver can
/// tell, so that their place says it: each file of `exports/` is one.
package enum BundleExports {
  /// The folder's name in a bundle's.
  package static let folder = "exports"
  /// The most bytes of one; a sample is small, and the suite makes long ones of it by itself.
  package static let longest = 16 << 20

  /// The files by their names; none where there is no such folder.
  package static func files(of bundle: URL) -> [URL] {
    let place = bundle.appendingPathComponent(folder)
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []).sorted()
    return names.filter { !$0.hasPrefix(".") }.map { place.appendingPathComponent($0) }.filter { file in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) && !isFolder.boolValue
    }
  }
}
