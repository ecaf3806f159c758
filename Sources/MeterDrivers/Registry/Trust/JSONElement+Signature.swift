import HostPrimitives
import StrictJSON

extension JSONElement {
  /// A publisher's public key.
  func publisherKey() throws(RegistryError) -> PublisherKey {
    let text = try string(limit: 64)
    guard let key = PublisherKey(hexadecimal: text) else {
      throw error(
        .invalidValue, "\"\(shown(text))\" is no publisher's key",
        cure: "write the 64 hex digits that `meterhost driver key show` prints")
    }
    return key
  }

  /// The 64 bytes of a signature.
  func signatureValue() throws(RegistryError) -> [UInt8] {
    let text = try string(limit: 128)
    guard let value = [UInt8](hexadecimal: text.utf8), value.count == 64 else {
      throw error(.invalidValue, "\"\(shown(text))\" is no signature", cure: "write its 128 hex digits")
    }
    return value
  }
}
