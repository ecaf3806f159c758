import Testing

@testable import KernelBluetooth

@Suite("Questions of bluetoothd")
struct AgentRequestTests {
  static let device = BusValue.path("/org/bluez/hci0/dev_00")

  static func call(_ member: String, _ arguments: [BusValue]?, interface: String = "org.bluez.Agent1") -> BusMessage {
    BusMessage(
      kind: .call, sender: ":1.1", path: AgentRequest.path, interface: interface, member: member, arguments: arguments)
  }

  @Test(
    "Are read",
    arguments: [
      ("RequestPasskey", [device], AgentRequest.passkey("/org/bluez/hci0/dev_00")),
      ("RequestConfirmation", [device, .number(42)], .confirmation("/org/bluez/hci0/dev_00", 42)),
      ("DisplayPasskey", [device, .number(42), .number(3)], .display("/org/bluez/hci0/dev_00", 42)),
      ("RequestAuthorization", [device], .authorization("/org/bluez/hci0/dev_00")),
      ("Cancel", [], .cancel), ("Release", [], .release),
      // Of Bluetooth Classic, or of other types, or out of bounds.
      ("RequestPinCode", [device], .unknown), ("AuthorizeService", [device, .text("180d")], .unknown),
      ("RequestPasskey", [.text("/org")], .unknown), ("RequestPasskey", [], .unknown),
      ("RequestConfirmation", [device, .text("42")], .unknown),
      ("RequestConfirmation", [device, .number(1_000_000)], .unknown),
      ("DisplayPasskey", [device, .number(UInt64.max), .number(0)], .unknown), ("Cancel", [.truth(true)], .unknown),
      ("", [], .unknown),
    ] as [(String, [BusValue], AgentRequest)])
  func requests(member: String, arguments: [BusValue], request: AgentRequest) {
    #expect(AgentRequest(Self.call(member, arguments)) == request)
  }

  @Test("Of other interfaces, and those that are too long, are unknown; other messages are none")
  func others() {
    #expect(AgentRequest(Self.call("Cancel", [], interface: "org.bluez.Agent2")) == .unknown)
    #expect(AgentRequest(Self.call("Cancel", nil)) == .unknown)
    var message = Self.call("Cancel", [])
    message.path = "/elsewhere"
    #expect(AgentRequest(message) == nil)
    message = Self.call("Cancel", [])
    message.kind = .signal
    #expect(AgentRequest(message) == nil)
  }
}
