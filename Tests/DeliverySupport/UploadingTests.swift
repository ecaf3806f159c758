import CurlHTTP
import HostPrimitives
import InformSink
package import MeterCore
import RecordSupport
package import TestSupport

/// Tests of deliveries from a folder with a session to a server on a real socket.
package protocol UploadingTests {
  var store: MeterStore { get }
  var generation: SessionGeneration { get }
  var clock: StoppedClock { get }
}

extension UploadingTests {
  package func uploader(_ server: ScriptedServer, concurrency: Int = 1) throws -> DeliveryEngine {
    var settings = DeliverySettings()
    settings.concurrency = concurrency
    return DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(), settings: settings,
      clock: clock, jitter: { 1 })
  }

  package func commit(_ sequences: ClosedRange<UInt64>) throws {
    _ = try store.commit([Fixture.unit(generation, sequences.map { Fixture.glucose($0) })])
  }
}
