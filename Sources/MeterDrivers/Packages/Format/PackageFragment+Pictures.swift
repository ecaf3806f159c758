import StrictJSON

extension PackageFragment {
  /// Holds the pictures that the fragment names against what one may be, so that nobody packs or installs one that is never
  /// shown. The host looks again when it shows them.
  ///
  /// - Parameters:
  ///   - files: The package's files.
  ///   - name: The package, for the error.
  func checkPictures(among files: [String: [UInt8]], of name: String) throws(PackageError) {
    for image in images {
      guard let bytes = files[image] else {
        throw PackageError(
          .packageDamaged, "\(name) is damaged: its fragment names the picture \(shown(image)), which it does not have",
          cure: "get it again from its publisher")
      }
      guard let mediaType = PeripheralPicture.MediaType(file: image) else {
        throw PackageError(
          .registryProblem, "\(name): \(shown(image)) is by its name no picture that is shown",
          cure: "make it an .svg, .png, .jpg or .jpeg file")
      }
      if let fault = mediaType.fault(in: bytes) {
        let place = fault.line.map { ", line \($0)" } ?? ""
        throw PackageError(.registryProblem, "\(name): \(shown(image))\(place): \(fault.problem)", cure: fault.cure)
      }
    }
  }
}
