import StrictJSON

/// Why a picture is not shown.
package struct PictureFault: Error, Sendable, Hashable {
  /// The line, from 1; nil where it is the file as a whole.
  package let line: Int?
  /// What is wrong.
  package let problem: String
  /// What to do about it.
  package let cure: String
}

extension PeripheralPicture.MediaType {
  /// What is wrong with the bytes of such a picture; nil: it may be shown.
  ///
  /// Pixels are judged by their first bytes only: whoever decodes them bears hostile ones, as a browser does.
  package func fault(in bytes: [UInt8]) -> PictureFault? {
    guard bytes.count <= sizeLimit else {
      return PictureFault(
        line: nil, problem: "the picture has \(bytes.count) bytes", cure: "keep it at \(sizeLimit) bytes or fewer")
    }
    switch self {
    case .svg:
      do throws(PictureFault) {
        _ = try SVGCheck.check(bytes)
        return nil
      } catch { return error }
    case .png: return bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) ? nil : other("PNG")
    case .jpeg: return bytes.starts(with: [0xff, 0xd8, 0xff]) ? nil : other("JPEG")
    }
  }

  private func other(_ name: String) -> PictureFault {
    PictureFault(line: nil, problem: "the picture is no \(name)", cure: "name the file by what it is")
  }
}
