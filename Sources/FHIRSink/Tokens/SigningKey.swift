import CCrypto
import Foundation
import HostPrimitives

/// A private key that signs what this host says of itself to a token endpoint.
struct SigningKey {
  /// How it signs, as JSON Web Signatures call it (RFC 7518).
  enum Algorithm: String {
    /// ECDSA on P-384 with SHA-384.
    case es384 = "ES384"
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    case rs384 = "RS384"
  }

  let algorithm: Algorithm
  private let pem: [UInt8]

  private static let limit = 64 << 10

  /// Reads a PEM file.
  ///
  /// - Throws: ``FHIRSinkError`` with code `fhir_key_file`.
  static func read(_ path: String) throws(FHIRSinkError) -> SigningKey {
    let bytes: [UInt8]
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      bytes = Array(try handle.read(upToCount: limit + 1) ?? Data())
    } catch {
      throw FHIRSinkError(
        .keyFile, "the key file \(path) cannot be read: \((error as NSError).localizedDescription)",
        hint: "check the path, and that this user may read the file")
    }
    guard bytes.count <= limit else { throw refusal(path, "is larger than \(limit) bytes") }
    return try SigningKey(pem: bytes, path: path)
  }

  /// - Parameter path: For messages.
  init(pem: [UInt8], path: String) throws(FHIRSinkError) {
    self.pem = pem
    var kind: Int32 = 0
    let result = pem.withUnsafeBufferPointer {
      ccrypto_pem_key_kind(ccrypto_bytes(p: $0.baseAddress, n: $0.count), &kind)
    }
    switch (result, kind) {
    case (CCRYPTO_OK, CCRYPTO_KEY_P384): algorithm = .es384
    case (CCRYPTO_OK, CCRYPTO_KEY_RSA): algorithm = .rs384
    case (CCRYPTO_PEM_ENCRYPTED_KEY, _):
      throw Self.refusal(
        path, "is encrypted, and a host that starts by itself has nobody to ask for the password",
        hint: "decrypt it (`openssl pkey -in FILE -out NEWFILE`) and close the new file to others (chmod 600)")
    case (CCRYPTO_PEM_WRONG_KEY, _):
      throw Self.refusal(path, "holds a key that is neither P-384 nor RSA of 2048 to 8192 bits")
    default: throw Self.refusal(path, "holds no PEM private key that can be read")
    }
  }

  private static func refusal(
    _ path: String, _ problem: String,
    hint: String =
      "make one: `openssl ecparam -name secp384r1 -genkey -noout -out key.pem`, and register its public part"
  ) -> FHIRSinkError {
    FHIRSinkError(.keyFile, "the key file \(path) \(problem)", hint: hint)
  }

  /// The signature; nil when the library fails.
  func sign(_ text: [UInt8]) -> [UInt8]? {
    var signature = [UInt8](repeating: 0, count: Int(CCRYPTO_PEM_SIGNATURE_LIMIT))
    var length = 0
    let result = pem.withUnsafeBufferPointer { key in
      text.withUnsafeBufferPointer { text in
        ccrypto_pem_sign(
          ccrypto_bytes(p: key.baseAddress, n: key.count), ccrypto_bytes(p: text.baseAddress, n: text.count),
          &signature, &length)
      }
    }
    return result == CCRYPTO_OK ? Array(signature.prefix(length)) : nil
  }
}
