internal import Crypto
package import Foundation

extension MeterIdentity {
  /// The meter's stable name for people and programs: a UUIDv8 (RFC 9562) from SHA-256 over its stable bytes, the same on
  /// every gateway.
  package var peripheralUUID: UUID {
    var frames = ByteFrames()
    frames.append("meterhost peripheral")
    frames.append(stableBytes)
    var hash = Array(SHA256.hash(data: frames.bytes).prefix(16))
    hash[6] = hash[6] & 0x0f | 0x80
    hash[8] = hash[8] & 0x3f | 0x80
    return hash.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
