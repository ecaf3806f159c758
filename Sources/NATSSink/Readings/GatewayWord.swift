import HostPrimitives
import MeterCore
import StrictJSON

/// What a gateway says of itself to whoever runs the fleet: how its deliveries stand and what it runs. There is no health value in it, and
/// nobody's name.
struct GatewayWord: Sendable, Hashable {
  let pending: Int
  let held: Int
  let dead: Int

  init(_ status: SinkStatus) { (pending, held, dead) = (status.pending, status.held, status.dead) }

  /// The message's content.
  var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("pending", integer: Int64(pending))
      json.member("held", integer: Int64(held))
      json.member("dead", integer: Int64(dead))
      json.member("version", ProgramVersion.current)
    }
    return json.bytes
  }
}
