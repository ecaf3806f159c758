import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import FHIRSink

/// What is signed for a token endpoint.
@Suite("Signed assertions", .timeLimit(.minutes(60)))
struct SigningKeyTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A key by openssl(1), and its public part.
  private func key(_ arguments: [String]) throws -> String {
    let path = folder.url.appending(path: "key.pem").path
    try openssl(arguments + ["-out", path])
    return path
  }

  private func openssl(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "openssl \(arguments)")
  }

  private static let ec = ["ecparam", "-name", "secp384r1", "-genkey", "-noout"]

  private func decoded(_ part: Substring) -> [UInt8] {
    var text = String(part).replacing("-", with: "+").replacing("_", with: "/")
    while text.count % 4 != 0 { text += "=" }
    return Array(Data(base64Encoded: text) ?? Data())
  }

  @Test("the assertion is a JSON Web Token that openssl verifies", arguments: [true, false])
  func signed(isElliptic: Bool) throws {
    let arguments = isElliptic ? Self.ec : ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    let path = try key(arguments)
    let signing = try SigningKey.read(path)
    #expect(signing.algorithm == (isElliptic ? .es384 : .rs384))
    let assertion = ClientAssertion(
      clientID: "gateway-1", keyID: "k1", audience: "https://auth.example/token", expires: 1_772_352_240, name: "once")
    let text = try #require(assertion.signed(by: signing))
    let parts = text.split(separator: ".")
    try #require(parts.count == 3)
    let header = try JSONDocument(decoded(parts[0]), rules: JSONRules(depth: 4)).root
    #expect(header.member("alg")?.asString == (isElliptic ? "ES384" : "RS384"))
    #expect(header.member("kid")?.asString == "k1" && header.member("typ")?.asString == "JWT")
    let claims = try JSONDocument(decoded(parts[1]), rules: JSONRules(depth: 4)).root
    #expect(claims.member("iss")?.asString == "gateway-1" && claims.member("sub")?.asString == "gateway-1")
    #expect(claims.member("aud")?.asString == "https://auth.example/token")
    #expect(claims.member("exp")?.numeral == "1772352240" && claims.member("jti")?.asString == "once")
    let signature = decoded(parts[2])
    #expect(signature.count == (isElliptic ? 96 : 256))
    try verify("\(parts[0]).\(parts[1])", isElliptic ? Self.sequence(signature) : signature, key: path)
  }

  private func verify(_ text: String, _ signature: [UInt8], key: String) throws {
    let (input, signed, open) = ("\(folder.path)/input", "\(folder.path)/signature", "\(folder.path)/public.pem")
    try Data(text.utf8).write(to: URL(filePath: input))
    try Data(signature).write(to: URL(filePath: signed))
    try openssl(["pkey", "-in", key, "-pubout", "-out", open])
    try openssl(["dgst", "-sha384", "-verify", open, "-signature", signed, input])
  }

  /// R and S as openssl has them: a sequence of two integers (DER).
  private static func sequence(_ signature: [UInt8]) -> [UInt8] {
    let numbers = [signature.prefix(48), signature.suffix(48)].flatMap { number -> [UInt8] in
      var bytes = Array(number.drop { $0 == 0 })
      if bytes.first.map({ $0 & 0x80 != 0 }) ?? true { bytes.insert(0, at: 0) }
      return [0x02, UInt8(bytes.count)] + bytes
    }
    return [0x30] + (numbers.count < 128 ? [] : [0x81]) + [UInt8(numbers.count)] + numbers
  }

  @Test(
    "a key that cannot sign is told with its cure",
    arguments: [["ecparam", "-name", "prime256v1", "-genkey", "-noout"], ["genpkey", "-algorithm", "ED25519"]])
  func wrong(arguments: [String]) throws {
    let path = try key(arguments)
    let error = #expect(throws: FHIRSinkError.self) { try SigningKey.read(path) }
    #expect(error?.code == .keyFile && error?.hint?.isEmpty == false)
  }

  @Test("a file that is missing or holds no key is told")
  func missing() throws {
    #expect(throws: FHIRSinkError.self) { try SigningKey.read("\(folder.path)/none.pem") }
    let path = "\(folder.path)/text.pem"
    try Data("no key".utf8).write(to: URL(filePath: path))
    #expect(throws: FHIRSinkError.self) { try SigningKey.read(path) }
  }
}
