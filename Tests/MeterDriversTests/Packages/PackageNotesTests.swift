import Testing

@testable import MeterDrivers

@Suite("What is kept of packages beside their versions", .timeLimit(.minutes(60))) struct PackageNotesTests {
  private func versions(_ package: String, _ numbers: Range<Int>) -> [RevokedVersion] {
    numbers.map { RevokedVersion(package: package, version: SemanticVersion(1, 0, UInt32($0)), reason: "It is bad.") }
  }

  /// A package's publisher is what stands before its first dot.
  private func publisher(_ package: String) -> String { String(package.prefix { $0 != "." }) }

  @Test("a publisher that revokes too much is told so, and takes nobody's room") func room() throws {
    let limit = PackageNotes.publisherLimit
    var notes = PackageNotes()
    #expect(notes.revoke(versions("a.example.one", 0..<limit - 1), publisher: publisher).isEmpty)
    let left = notes.revoke(versions("a.example.two", 0..<3), publisher: publisher)
    #expect(left == versions("a.example.two", 1..<3))
    #expect(notes.revoke(versions("b.example.one", 0..<limit), publisher: publisher).isEmpty)
    #expect(
      notes.revoke(versions("a.example.one", 0..<limit - 1), publisher: publisher).isEmpty,
      "what is known needs no room")
    #expect(notes.revocation(of: "b.example.one", SemanticVersion(1, 0, UInt32(limit - 1))) != nil)
    #expect(notes.revocation(of: "a.example.two", SemanticVersion(1, 0, 1)) == nil)
  }

  @Test("what is kept of all of them can be read again, and the rest is told") func all() throws {
    var notes = PackageNotes()
    let publishers = PackageNotes.revocationLimit / PackageNotes.publisherLimit
    for number in 0..<publishers {
      let more = versions("p\(number).example.one", 0..<PackageNotes.publisherLimit)
      #expect(notes.revoke(more, publisher: publisher).isEmpty)
    }
    #expect(
      notes.revoke(versions("late.example.one", 0..<1), publisher: publisher) == versions("late.example.one", 0..<1))
    #expect(notes.bytes.count <= PackageNotes.sizeLimit)
    #expect(try PackageNotes(notes.bytes, path: "updates.json") == notes)
  }

  @Test("a package is of the publisher whose pattern says most of it") func owner() {
    let key = PublisherKeyPair().key
    let list = TrustList(publishers: [
      .init(id: "wide", name: "Wide", drivers: ["org."], keys: [key]),
      .init(id: "narrow", name: "Narrow", drivers: ["org.example.", "net."], keys: [key]),
    ])
    #expect(list.publisher(forDriver: "org.example.scale")?.id == "narrow")
    #expect(list.publisher(forDriver: "org.other")?.id == "wide")
    #expect(list.publisher(forDriver: "com.example") == nil)
  }
}
