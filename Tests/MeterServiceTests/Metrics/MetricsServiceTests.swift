import Foundation
import GatewayAPI
import GatewayEngine
import HostPrimitives
import MeterCore
import TestSupport
import Testing

@testable import MeterService

/// What others see of the metrics of a running service.
@Suite("Metrics of a service", .timeLimit(.minutes(60))) struct MetricsServiceTests {
  private func scrape(_ store: MeterStore) async throws -> (status: Int, body: String) {
    let exchange = SocketExchange(
      "GET", "/metrics", body: Data(), socket: try ControlSocket(stateFolder: store.folder))
    var (status, body) = (0, Data())
    try await exchange.forEach { part in
      switch part {
      case .head(let code, _): status = code
      case .body(let bytes): body += bytes
      }
    }
    return (status, String(decoding: body, as: UTF8.self))
  }

  private func value(_ sample: String, _ families: [MetricFamily], _ label: String? = nil) -> Double? {
    families.flatMap(\.samples).first { found in
      found.name == sample && (label == nil || found.labels.values.contains { $0 == label })
    }?.value
  }

  @Test("the socket and the request have what was submitted and delivered; a new start counts from 0")
  func countsAndRestarts() async throws {
    try await Sandbox.with { sandbox in
      try await ReceiverFixture.with(sandbox) { port in
        try await ServiceFixture.with(sandbox, clock: .vouched) { store, client in
          _ = try await client.perform(ReceiverFixture.start(port: port))
          _ = try await client.perform(ServiceFixture.submission())
          let families = try #require(try await client.perform(MetricsShowRequest())).families
          #expect(value("meterhost_readings_total", families, "weight") == 1)
          #expect(value("meterhost_delivery_attempts_total", families, "delivered") == 1)
          #expect(value("meterhost_session_valid", families) == 1)
          let (status, body) = try await scrape(store)
          #expect(status == 200 && body.hasPrefix("# TYPE ") && !body.contains("# EOF"))
          #expect(body.contains("\nmeterhost_readings_total{state=\"pending\",type=\"weight\"} 1\n"))
          for word in [
            ReceiverFixture.user.userID, ReceiverFixture.user.organizationID, ReceiverFixture.token, "0b0c7d5e",
          ] { #expect(!body.contains(word), "\(word)") }
        }
        try await ServiceFixture.with(sandbox, clock: .vouched) { _, client in
          let families = try #require(try await client.perform(MetricsShowRequest())).families
          #expect(value("meterhost_readings_total", families) == nil)
          #expect(value("meterhost_session_valid", families) == 1)
        }
      }
    }
  }

  @Test("at the port there are metrics and nothing else") func port() async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox) { store, _ in
        let owner = GatewayOwner(gateway: try ServiceFixture.gateway(sandbox), store: store)
        owner.startCounting(trust: .nobody, tellsMetersApart: false, clock: .system)
        defer { owner.stopCounting() }
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let keeper = MetricsKeeper(
          address: try #require(MetricsAddress("0")), owner: owner, clock: .system, logger: LogLines().logger,
          onListening: { continuation.yield($0) })
        let serving = Task { await keeper.run() }
        let port = try #require(await ports.first { _ in true })
        let wish = [("Accept", "application/openmetrics-text;version=1.0.0,*/*;q=0.1")]
        let open = try await RawHTTP.send(port: port, method: "GET", path: "/metrics", headers: wish)
        #expect(open.status == 200 && open.headers["content-type"] == MetricsForm.openMetrics.mediaType)
        #expect(open.body.hasSuffix("# EOF\n") && open.body.contains("meterhost_clock_synchronized 0\n"))
        let plain = try await RawHTTP.send(port: port, method: "GET", path: "/metrics")
        #expect(plain.status == 200 && plain.headers["content-type"] == MetricsForm.plain.mediaType)
        for (method, path) in [("GET", "/"), ("GET", "/v1/events"), ("POST", "/v1/requests/queue.list")] {
          let other = try await RawHTTP.send(port: port, method: method, path: path)
          #expect(other.status == 404, "\(method) \(path)")
        }
        // A folder that does not answer tells a stranger nothing.
        owner.stopCounting()
        let failed = try await RawHTTP.send(port: port, method: "GET", path: "/metrics")
        #expect(failed.status == 503 && failed.body == "the metrics cannot be looked up now\n")
        serving.cancel()
        await serving.value
      }
    }
  }

  @Test("the service shows them where its setting says, and lets go of the port with its end") func setting()
    async throws
  {
    try await Sandbox.with { sandbox in
      let lines = LogLines()
      let wanted: MetricsAddress = try #require(MetricsAddress("0"))
      let setting = MetricsSetting(address: wanted)
      let address = try await ServiceFixture.with(sandbox, metrics: setting, logger: lines.logger) { _, _ in
        let line = await lines.first { $0.message == "metrics are shown over HTTP" }
        let address = try #require(line.fields["address"].flatMap { MetricsAddress($0) })
        let reply = try await RawHTTP.send(port: address.port, method: "GET", path: "/metrics")
        #expect(reply.status == 200)
        return address
      }
      await #expect(throws: (any Error).self) {
        try await RawHTTP.send(port: address.port, method: "GET", path: "/metrics")
      }
    }
  }

  @Test("an owner that is no service has none") func noService() async throws {
    try await Sandbox.with { sandbox in
      let gateway = try ServiceFixture.gateway(sandbox)
      let owner = GatewayOwner(gateway: gateway, store: try gateway.openStore())
      await #expect { try await owner.metricFamilies() } throws: { error in
        (error as? GatewayError)?.code == "no_running_host" && (error as? GatewayError)?.kind == .unavailable
      }
    }
  }
}
