import Foundation

@testable import MeterCore

extension EndedSession {
  /// All deliveries that were open.
  func entries() throws -> [QueueEntry] {
    var entries: [QueueEntry] = []
    try forEachUnsynced { entries.append($0) }
    return entries
  }
}

extension Fixture {
  /// The deliveries of images in a recovery file.
  static func images(of file: URL) throws -> [RecoveryFile.Image] {
    var images: [RecoveryFile.Image] = []
    try RecoveryReader(file).forEachImage { images.append($0) }
    return images
  }
}
