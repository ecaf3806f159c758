import HostPrimitives
import Testing

/// What a driver's key is, for all who have to agree about it.
@Suite("Names of drivers' keys")
struct StorageNameTests {
  @Test(
    "say by their bytes whether they are secrets",
    arguments: [
      ("user/secret/k", true), ("meter/secret/k", true), ("user/secret/\u{301}k", true), ("meter/secret/\u{301}", true),
      ("user/secret", false), ("user/secrets/k", false), ("user/k", false), ("meter/k", false), ("credential/k", false),
      ("session/k", false), ("user/Secret/k", false), ("xuser/secret/k", false), ("", false),
    ])
  func secret(name: String, isSecret: Bool) { #expect(StorageName.isSecret(name) == isSecret) }

  @Test(
    "say by their bytes whose they are",
    arguments: [
      ("user/k", "user"), ("user/\u{301}k", "user"), ("meter/k", "meter"), ("meter/\u{301}", "meter"), ("user/", nil),
      ("meter/", nil), ("other/k", nil), ("credential/k", nil),
    ])
  func place(name: String, place: String?) {
    #expect(StorageName.isKey(name) == (place != nil))
    guard let place else { return }
    #expect(StorageName.isUsers(name) == (place == "user") && StorageName.isMeters(name) == (place == "meter"))
  }

  @Test("say whether the next read goes on there")
  func cursor() {
    #expect(StorageName.isResumeCursor("user/\u{301}k") && StorageName.isResumeCursor("user/pending/act"))
    for other in ["user/secret/\u{301}k", "user/secret/k", "meter/k"] { #expect(!StorageName.isResumeCursor(other)) }
  }

  @Test(
    "name credentials with all of their bytes",
    arguments: [
      ("credential/k", "k"), ("credential/\u{301}k", "\u{301}k"), ("credential/", ""), ("credential", nil),
      ("user/credential/k", nil),
    ])
  func credential(key: String, name: String?) throws {
    let found = StorageName.credential(namedBy: key)
    #expect((found == nil) == (name == nil))
    guard let name, let found else { return }
    #expect(found.isExactly(name) && StorageName.credential(found).isExactly(key))
  }
}
