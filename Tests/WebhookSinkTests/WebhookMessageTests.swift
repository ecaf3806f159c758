import Foundation
import MeterCore
import RecordSupport
import StrictJSON
import Testing

@testable import WebhookSink

@Suite("Webhook messages")
struct WebhookMessageTests {
  static let secret = AccessToken("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

  @Test("are signed as the example of Standard Webhooks is")
  func vector() throws {
    let content = Array(#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#.utf8)
    let code = try WebhookSecret(Self.secret).code(of: content)
    #expect(Data(code).base64EncodedString() == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test("hold one reading in the form of JSON Lines, and an id that is the same each time")
  func message() throws {
    let record = Fixture.glucose(1)
    let message = try WebhookMessage(record, of: Fixture.user)
    let root = try JSONDocument(message.body, rules: JSONRules(depth: 16)).root
    #expect(root.member("log_id")?.asString == "\(record.logID)" && root.member("user")?.asString == "ada")
    #expect(message.id.hasPrefix("\(record.logID)-r1-"))
    #expect(try WebhookMessage(record, of: Fixture.user).id == message.id)
    #expect(try WebhookMessage(record, of: Fixture.otherUser).id != message.id, "another user's is another message")
    #expect(!message.id.contains("ada") && !message.id.contains("."))
    var later = record
    later.revision = 2
    #expect(try WebhookMessage(later, of: Fixture.user).id != message.id)
  }

  @Test("have the fields of the specification")
  func fields() throws {
    let message = try WebhookMessage(Fixture.glucose(1), of: Fixture.user)
    let fields = message.fields(signedWith: try WebhookSecret(Self.secret), at: 1_772_352_000)
    #expect(fields.map(\.name) == ["Content-Type", "webhook-id", "webhook-timestamp", "webhook-signature"])
    #expect(fields[2].value == "1772352000" && fields[3].value.hasPrefix("v1,") && fields[3].value.utf8.count == 47)
  }

  @Test(
    "are signed with whsec_ and 24 to 64 bytes only",
    arguments: [
      ("", false), ("whsec_", false), ("secret", false), ("whsec_####", false), ("whsec_" + "QUFB", false),
      ("whsec_" + Data(count: 24).base64EncodedString(), true),
      ("whsec_" + Data(count: 64).base64EncodedString(), true),
      ("whsec_" + Data(count: 23).base64EncodedString(), false),
      ("whsec_" + Data(count: 65).base64EncodedString(), false),
      ("WHSEC_" + Data(count: 24).base64EncodedString(), false),
    ])
  func secrets(text: String, isOne: Bool) {
    let refusal = refusal(text)
    #expect((refusal == nil) == isOne)
    if text.utf8.count > 10 { #expect(refusal?.contains(text) != true, "no error repeats a secret") }
  }

  /// What is said of a secret; nil where it is one.
  private func refusal(_ text: String) -> String? {
    do { _ = try WebhookSecret(AccessToken(text)) } catch { return "\(error.message) \(error.hint ?? "")" }
    return nil
  }
}
