import Foundation
import RecordSupport

@testable import MeterCore

extension Fixture {
  /// The deliveries of images in a recovery file.
  static func images(of file: URL) throws -> [RecoveryFile.Image] {
    var images: [RecoveryFile.Image] = []
    try RecoveryReader(file).forEachImage { images.append($0) }
    return images
  }
}
