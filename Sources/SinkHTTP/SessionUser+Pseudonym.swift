import Crypto
import Foundation
import HostPrimitives
package import MeterCore

extension SessionUser {
  /// 16 hexadecimal digits that are the same for this user each time, and another's for nobody else: they tell users apart without naming
  /// them. Who knows the ids of all users can find out whose they are.
  package var pseudonym: String {
    // No id holds a zero byte, which parts them.
    let bytes = Array(organizationID.utf8) + [0] + Array(userID.utf8)
    return Array(SHA256.hash(data: bytes)).prefix(8).hexadecimal
  }
}
