import BluetoothWire
import Foundation
import MeterBluetooth
import MeterCore
import GatewayAPI
import GatewayEngine
import TestSupport
import Testing
import VirtualMeter

@testable import MeterService

/// A program of version 1.0 of the control interface beside the service of today.
@Suite("An older client of the control interface", .timeLimit(.minutes(60))) struct FrozenControlTests {
  /// Runs a service while the client works on a thread of its own.
  private func with(
    _ sandbox: Sandbox, _ body: @escaping @Sendable (FrozenControlClient) throws -> Void
  ) async throws {
    let client = FrozenControlClient(socketPath: sandbox.path("state/control.sock"))
    try await ServiceFixture.with(sandbox, clock: .vouched) { _, _ in
      try await onOwnThread { try body(client) }
    }
  }

  @Test("starts a session, shows it, submits, and lists the queue") func session() async throws {
    try await Sandbox.with { sandbox in
      try await ReceiverFixture.with(sandbox) { port in
        let receiver = "http://127.0.0.1:\(port)"
        try await with(sandbox) { client in
          let started = try client.sessionStart(receiver: receiver, token: ReceiverFixture.token)
          #expect(started.user == "patient-1" && started.isValidated)
          #expect(try client.sessionShow() == ["patient-1", "clinic", receiver, "inform-v2"])
          let submitted = try client.submitWeight()
          #expect(submitted.outcome == "new")
          let queue = try client.queueList(states: "")
          #expect(!queue.isPaused && queue.mostRecords > 0)
          // The service may have delivered it by now.
          #expect(queue.items.keys.allSatisfy { $0 == submitted.logID })
        }
      }
    }
  }

  @Test("hears events from a cursor on") func events() async throws {
    try await Sandbox.with { sandbox in
      try await ReceiverFixture.with(sandbox) { port in
        try await with(sandbox) { client in
          _ = try client.sessionStart(receiver: "http://127.0.0.1:\(port)", token: ReceiverFixture.token)
          let event = try client.firstEvent(after: 0)
          #expect(event.id == "1" && event.name == "session_started" && event.dataName == event.name)
        }
      }
    }
  }

  @Test("pairs a meter and answers what it asks, reads it, and finds it in the list") func reading() async throws {
    try await Sandbox.with { sandbox in
      let file = try Installation.shared().meters.appending(path: "keyed-meter.json").path
      let meter = VirtualMeter(script: try MeterScript.load(file: file))
      let air = VirtualAir(folder: sandbox.path("air"))
      let running = Task { try await meter.run(in: air) }
      defer { running.cancel() }
      try await with(sandbox) { client in
        let licence = try client.setKey("keyed-meter.license", peripheral: 10500, content: Self.licence)
        #expect(licence == "keyed-meter.license")
        let paired = try client.converse(
          "meter.pair", #"{"peripheral":10500,"timeout":600,"answers_questions":true}"#,
          answers: ["passkey": "042817", "hex_key": "8f1d2c3b4a5968778695a4b3c2d1e0f0"])
        #expect(paired.questions == ["passkey", "hex_key"])
        #expect(paired.events.contains("paired") && paired.end == "end", "\(paired)")
        let read = try client.converse(
          "meter.read", #"{"peripheral":10500,"timeout":600,"takes_history":true}"#)
        #expect(read.end == "end", "\(read)")
        for name in ["warning", "started", "connected", "should_submit", "completed"] {
          #expect(read.events.contains(name), "\(read.events)")
        }
        #expect(!read.readings.isEmpty)
        for reading in read.readings {
          #expect(reading["log_id"] is String && reading["state"] is String && reading["values"] is [[String: Any]])
        }
        let meters = try client.metersList()
        #expect(meters.map(\.peripheral) == [10500] && meters.map(\.isPaired) == [true])
        let held = try client.queueList(states: #""held","excluded""#)
        #expect(held.items.values.allSatisfy { ["held", "excluded"].contains($0) })
      }
    }
  }

  @Test("gives a read up") func givingUp() async throws {
    try await Sandbox.with { sandbox in
      try await with(sandbox) { client in
        let read = try client.converse(
          "meter.read", #"{"peripheral":1000,"timeout":3600}"#, givingUpAfter: "started")
        #expect(read.events.last == "cancelled" && read.end == "cancelled", "\(read)")
      }
    }
  }

  @Test("is served with a member that the service does not know") func unknownMember() async throws {
    try await Sandbox.with { sandbox in
      try await with(sandbox) { client in
        let unknown = try client.object("session.show", #"{"tomorrow":{"a":[1]}}"#)
        let later = try client.object("session.show", "{}", version: "1.7")
        #expect(unknown["validated"] as? Bool == false && later["validated"] as? Bool == false)
      }
    }
  }

  @Test("of another major version is refused, and so is a word that is not on the list") func refusals() async throws {
    try await Sandbox.with { sandbox in
      try await with(sandbox) { client in
        let version = #expect(throws: FrozenControlClient.Refused.self) {
          try client.object("session.show", "{}", version: "2.0")
        }
        #expect(version?.status == 409 && version?.code == "control_version" && version?.kind == "failed")
        let word = #expect(throws: FrozenControlClient.Refused.self) { try client.queueList(states: #""sent""#) }
        #expect(word?.status == 400 && word?.code == "bad_request" && word?.kind == "usage")
        #expect(word?.message.contains("states[0]") == true && word?.message.contains("in_flight") == true)
      }
    }
  }

  private static let licence = """
    meterhost-licence 1
    product: org.meterhost.keyed-meter
    licensee: Example Clinic
    expires: 2099-12-31
    mac: 2f71a31b66f6f2c50243ff75724e56299b2be5f4bfc69bd2a9b78db0a891b811

    """
}
