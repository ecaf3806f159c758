import Foundation
package import GatewayAPI
import MeterCore

extension ImageShowRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> [Picture] {
    // A reading that came under another one's id has no pictures of its own.
    guard reading.suspect == nil else { return [] }
    return try owner.store.pictures(of: reading.logID).map { picture in
      Picture(image: picture.checksum, contentType: picture.contentType.rawValue, content: Data(picture.bytes))
    }
  }
}
