internal import CCrypto
internal import Foundation

/// The files that TLS is built on, looked at when they are named: a mistake is told then, and not when the first reading
/// cannot be delivered.
struct TLSFiles {
  let authority: String?
  let certificate: String?
  let key: String?

  private static let limit = 4 << 20

  /// - Throws: ``HTTPReachError`` with code `tls_file`, which names the file and the cure.
  func check() throws(HTTPReachError) {
    if let authority {
      let count = try read(authority).withPEM { ccrypto_pem_certificates($0) }
      guard count > 0 else {
        throw Self.refusal(
          count == 0
            ? "\(authority) holds no PEM certificate" : "certificate \(-count) of \(authority) cannot be read",
          hint: "give the authority's certificate as a PEM file (-----BEGIN CERTIFICATE-----)")
      }
    }
    switch (certificate, key) {
    case (nil, nil): return
    case (let certificate?, let key?): try checkPair(certificate, key)
    case (.some, nil):
      throw Self.refusal("a client certificate needs its key", hint: "name the key's file with --client-key")
    case (nil, .some):
      throw Self.refusal(
        "a client key needs its certificate", hint: "name the certificate's file with --client-certificate")
    }
  }

  private func checkPair(_ certificate: String, _ key: String) throws(HTTPReachError) {
    let certificateBytes = try read(certificate)
    let keyBytes = try read(key)
    let result = certificateBytes.withPEM { certificate in keyBytes.withPEM { ccrypto_pem_pair(certificate, $0) } }
    switch result {
    case CCRYPTO_OK: return
    case CCRYPTO_PEM_NO_CERTIFICATE:
      throw Self.refusal(
        "\(certificate) holds no PEM certificate that can be read", hint: "give the certificate as a PEM file")
    case CCRYPTO_PEM_ENCRYPTED_KEY:
      throw Self.refusal(
        "the key in \(key) is encrypted, and a host that starts by itself has nobody to ask for the password",
        hint: "decrypt it (`openssl pkey -in FILE -out NEWFILE`) and close the new file to others (chmod 600)")
    case CCRYPTO_PEM_MISMATCH:
      throw Self.refusal(
        "the key in \(key) does not belong to the certificate in \(certificate)", hint: "give both of one pair")
    default:
      throw Self.refusal("\(key) holds no PEM private key that can be read", hint: "give the key as a PEM file")
    }
  }

  private func read(_ path: String) throws(HTTPReachError) -> [UInt8] {
    let bytes: [UInt8]
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      bytes = Array(try handle.read(upToCount: Self.limit + 1) ?? Data())
    } catch {
      throw Self.refusal(
        "\(path) cannot be read: \((error as NSError).localizedDescription)",
        hint: "check the path, and that this user may read the file")
    }
    guard bytes.count <= Self.limit else {
      throw Self.refusal("\(path) is larger than \(Self.limit) bytes", hint: "give a PEM file")
    }
    return bytes
  }

  private static func refusal(_ message: String, hint: String) -> HTTPReachError {
    HTTPReachError(.tlsFile, message, hint: hint)
  }
}

extension [UInt8] {
  fileprivate func withPEM(_ body: (ccrypto_bytes) -> Int32) -> Int32 {
    withUnsafeBufferPointer { body(ccrypto_bytes(p: $0.baseAddress, n: $0.count)) }
  }
}
