/// What happens to a virtual meter.
public enum MeterEvent: Sendable, Equatable {
  /// The meter advertises.
  case advertising
  /// A client holds the link; connections of the meter's life are counted from 1.
  case connected(number: Int)
  /// A second client was turned away.
  case refusedClient
  /// A PDU went over the link; PDUs of a connection are counted from 1 in both directions together.
  case pdu(number: Int, direction: Direction, bytes: [UInt8])
  /// A procedure is done: `racp` when the client confirmed its response, `indications` when it confirmed the last
  /// record or there is none,
  /// `stream` when the last value of a stream has left or was confirmed, `advertisements` when the last of a sequence was
  /// sent, `power-off` when a TaiDoc meter was switched off, `conversation` when a scripted one has said everything.
  case procedureDone(String)
  /// The memory holds this many records now; sent when that changed.
  case recordsLeft(Int)
  /// The link is gone.
  case disconnected(Reason)

  /// The direction of a PDU.
  public enum Direction: String, Sendable {
    /// From the client to the meter.
    case `in`
    /// From the meter to the client.
    case out
  }

  /// Why the link is gone.
  public enum Reason: String, Sendable {
    /// The client closed it.
    case client
    /// The meter closed it after its procedure.
    case procedureDone = "procedure-done"
    /// The meter closed it because nothing happened.
    case idle
    /// A fault of the script broke it.
    case fault
    /// The meter was switched off.
    case off
  }
}

/// What ``MeterMachine`` wants done, in this order.
public enum MeterAction: Sendable, Equatable {
  /// Send one packet, after waiting this long.
  case send([UInt8], afterMilliseconds: Int)
  /// Tell the observers.
  case event(MeterEvent)
  /// Close the link.
  case disconnect(MeterEvent.Reason)
}

/// How many PDUs went over a meter's links in its life.
public struct MeterCounters: Sendable, Equatable {
  /// From the client to the meter.
  public var pdusIn = 0
  /// From the meter to the client.
  public var pdusOut = 0
  /// How often a client has taken the link.
  public var connections = 0
}
