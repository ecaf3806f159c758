import MeterReceiver
import StrictJSON
import Testing

@testable import FleetReceiver

@Suite("What a fleet's message server is to be") struct FleetLayoutTests {
  private let keys = [
    FleetKey(organization: nil, name: "main", publicKey: "UMAIN", createdAt: ""),
    FleetKey(organization: "clinic", name: "gw1", publicKey: "UONE", createdAt: ""),
  ]

  @Test("a gateway may send its own readings and hear what is said to it, and nothing of any other") func gateways() {
    let permissions = FleetPermissions.gateway(organization: "clinic", name: "gw1")
    #expect(permissions.publish == ["mh.clinic.gw1.r.>", "mh.clinic.gw1.s"])
    #expect(permissions.subscribe == ["mh.clinic.gw1.c", "mh.clinic.gw1.cmd", "_INBOX.gw1.>"])
  }

  @Test("a receiver deletes and purges nothing, and hears no answers but its own") func receivers() {
    let permissions = FleetPermissions.receiver(name: "main")
    #expect(permissions.subscribe == ["_INBOX.main.>"])
    #expect(!permissions.publish.contains { $0.contains("DELETE") || $0.contains("PURGE") || $0.hasPrefix("mh.*.*.r") })
    #expect(permissions.publish.contains("$JS.ACK.READINGS.postgres.>"))
  }

  @Test("the file of users has each key once, with its permissions") func users() {
    #expect(
      ServerConfiguration.users(keys) == """
        # Made by `meterhost-receiver fleet config`; what is changed here is lost with the next one.
        authorization {
          timeout: 5
          users: [
            { nkey: "UMAIN", permissions: {
              publish: { allow: ["mh.*.*.c", "mh.*.*.cmd", "$JS.ACK.READINGS.postgres.>", "$JS.API.INFO", \
        "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.CREATE.*", "$JS.API.STREAM.UPDATE.*", "$JS.API.CONSUMER.INFO.>", \
        "$JS.API.CONSUMER.CREATE.>", "$JS.API.CONSUMER.MSG.NEXT.>"] }
              subscribe: { allow: ["_INBOX.main.>"] } } }
            { nkey: "UONE", permissions: {
              publish: { allow: ["mh.clinic.gw1.r.>", "mh.clinic.gw1.s"] }
              subscribe: { allow: ["mh.clinic.gw1.c", "mh.clinic.gw1.cmd", "_INBOX.gw1.>"] } } }
          ]
        }

        """)
  }

  @Test("a new server begins with TLS, stores what it acknowledges, and knows the others of its cluster") func server()
  {
    let alone = ServerConfiguration.server(name: "n1", folder: "/srv/nats", others: [])
    #expect(alone.contains("handshake_first: true") && alone.contains("sync_interval: always"))
    #expect(
      alone.contains(#"cert_file: "/srv/nats/server.pem""#) && alone.contains(#"store_dir: "/srv/nats/jetstream""#))
    #expect(alone.contains("include \"users.conf\"") && !alone.contains("cluster {"))
    let clustered = ServerConfiguration.server(
      name: "n2", folder: "/srv/nats", others: ["n1.example:6222", "n3.example:6222"])
    #expect(clustered.contains(#"routes: ["nats://n1.example:6222", "nats://n3.example:6222"]"#))
    #expect(clustered.contains("server_name: n2"))
  }

  private func config(_ text: String) throws -> JSONElement {
    try JSONDocument(Array(text.utf8), rules: JSONRules(depth: 8)).root
  }

  @Test("what is otherwise at the server is named; what nobody set is left to its operator") func differences() throws {
    let stream = try #require(FleetSettings(replicas: 3).parts.first)
    var json = JSONWriter()
    stream.setting.write(nil, to: &json)
    let same = String(decoding: json.bytes, as: UTF8.self)
    #expect(stream.setting.differences(from: try config(same)).isEmpty)
    // A server answers with more than it was asked for.
    #expect(stream.setting.differences(from: try config(same.dropLast() + #","metadata":{"x":"y"}}"#)).isEmpty)
    let other = same.replacing(#""num_replicas":3"#, with: #""num_replicas":1"#)
      .replacing(#""deny_delete":true,"#, with: "")
    let found = stream.setting.differences(from: try config(other))
    #expect(found.map(\.member) == ["num_replicas", "deny_delete"])
    #expect(found.map(\.found) == ["1", "false"] && found.map(\.wanted) == ["3", "true"])
  }

  @Test("a gateway's last word is read as far as it can be") func words() throws {
    func word(_ text: String, _ subject: String = "mh.clinic.gw1.s") -> GatewayWord? {
      GatewayWord(subject: subject, nanoseconds: 1_700_000_000_999_999_999, payload: Array(text.utf8))
    }
    let full = try #require(word(#"{"pending":3,"held":0,"dead":1,"version":"1.4.0","more":[]}"#))
    #expect(full.pending == 3 && full.held == 0 && full.dead == 1 && full.version == "1.4.0")
    #expect(full.gateway == "gw1" && full.organization == "clinic" && full.at == 1_700_000_000)
    for text in ["", "x", "[]", #"{"pending":"3"}"#, #"{"pending":1e99}"#, "{"] {
      #expect(try #require(word(text)).pending == nil)
    }
    for subject in ["mh.clinic.gw1.r", "mh.clinic.gw1.s.t", "other.clinic.gw1.s"] {
      #expect(word("{}", subject) == nil)
    }
  }

  @Test(
    "subjects of readings are those of a gateway",
    arguments: [
      ("mh.clinic.gw1.r.measurements", true), ("mh.clinic.gw1.r.a.b", true), ("mh.clinic.gw1.r", false),
      ("mh..gw1.r.measurements", false), ("mh.clinic.g*.r.measurements", false), ("mh.clinic.gw1.s", false),
      ("x.clinic.gw1.r.measurements", false), ("mh.cl inic.gw1.r.measurements", false),
    ])
  func subjects(text: String, isOne: Bool) { #expect((FleetSubject(text) != nil) == isOne) }
}
