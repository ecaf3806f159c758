import Crypto
import HostPrimitives

/// An index of which signature, time and number are right.
package struct VerifiedIndex: Sendable, Hashable {
  /// What it says.
  package let index: UpdateIndex
  /// Whose it is.
  package let publisher: TrustList.Publisher
  /// The SHA-256 of its bytes in hexadecimal.
  package let digest: String

  /// Verifies an index: who has signed it comes first, before any of it is read.
  ///
  /// - Parameters:
  ///   - bytes: `index.json` as it was fetched.
  ///   - signatures: `index.json.sig` as it was fetched.
  ///   - list: Whom the operator trusts.
  ///   - memory: The newest index of this source that was ever seen; nil: none was.
  ///   - now: Microseconds since 1970-01-01T00:00Z by this machine's clock.
  /// - Throws: ``PackageError``.
  package init(
    _ bytes: [UInt8], signatures: [UInt8], list: TrustList, memory: IndexMemory?, now: Int64
  ) throws(PackageError) {
    guard bytes.count <= UpdateIndex.sizeLimit else {
      throw PackageError(
        .indexDamaged, "\(UpdateIndex.name) has \(bytes.count) bytes; at most \(UpdateIndex.sizeLimit) are read",
        cure: "ask its publisher")
    }
    let signers = try IndexSignatures(signatures, name: UpdateIndex.signatureName).signers(of: bytes)
    // Nothing is read that nobody on the list has signed.
    _ = try list.publisher(ofIndexSignedWith: signers)
    index = try UpdateIndex(bytes, name: UpdateIndex.name)
    guard signers.contains(index.key) else {
      throw PackageError(
        .badSignature, "the index says that it is signed with \(index.key), and it is not", cure: "ask its publisher")
    }
    // Its own key says whose it is: somebody else's signature beside it makes it nobody else's.
    publisher = try list.publisher(ofIndexSignedWith: [index.key])
    digest = Array(SHA256.hash(data: bytes)).hexadecimal
    try checkTime(now)
    try memory?.check(self)
  }

  /// Two machines' clocks are never the same.
  private static let leeway: Int64 = 86_400_000_000

  private func checkTime(_ now: Int64) throws(PackageError) {
    guard now < index.expiresMicroseconds else {
      throw PackageError(
        .indexExpired,
        "the index ended on \(CivilMoment.utcSeconds(microseconds: index.expiresMicroseconds)): its publisher has made no "
          + "newer one, or somebody keeps it from this gateway",
        cure: "check this machine's date and the source; ask its publisher if both are right")
    }
    guard now > index.issuedMicroseconds - Self.leeway else {
      throw PackageError(
        .indexExpired,
        "the index was made on \(CivilMoment.utcSeconds(microseconds: index.issuedMicroseconds)), which is still to come",
        cure: "set this machine's date")
    }
  }
}

/// What a gateway remembers of a source: the newest index that it has seen there.
package struct IndexMemory: Sendable, Hashable, Codable {
  /// Its number.
  package let number: UInt64
  /// The SHA-256 of its bytes in hexadecimal.
  package let digest: String
  /// The short name of the publisher whose it was.
  package let publisher: String

  /// The memory of an index.
  package init(_ verified: VerifiedIndex) {
    (number, digest, publisher) = (verified.index.number, verified.digest, verified.publisher.id)
  }

  /// Throws when an index is older than this one, another one of its number, or another publisher's.
  func check(_ verified: VerifiedIndex) throws(PackageError) {
    guard verified.publisher.id == publisher else {
      throw PackageError(
        .otherPublisher, "the index is one of \(verified.publisher.name), and this source is of \(publisher)",
        cure: "if that is right, add the new publisher's folder as a source of its own address")
    }
    guard verified.index.number >= number else {
      throw PackageError(
        .indexOlder, "the index has number \(verified.index.number), and number \(number) was here before",
        cure: "try again later; if it stays so, ask its publisher: somebody may have brought an old one back")
    }
    guard verified.index.number > number || verified.digest == digest else {
      throw PackageError(
        .indexOlder, "the index has number \(number) as the last one, and other content",
        cure: "ask its publisher, who has to give each index a number of its own")
    }
  }
}
