import DriverContract
import HostPrimitives

/// What carries a session: the connection to a meter, or the advertisements of one address.
protocol SessionLink: Sendable {
  /// What it can carry.
  var medium: SessionMachine.Medium { get }
  /// When something new came from the meter.
  var lastHeard: HostInstant { get async }
  /// What the link was like, for whoever judges the session.
  var report: LinkReport { get async }

  /// Posts everything that happens, in the order of the air; the last thing is that the link is gone.
  func listen(_ post: @escaping @Sendable (SessionMachine.Input) -> Void) async
  /// The driver is about to hear this fact of the link.
  func delivers(_ fact: DriverFact) async
  /// Carries a GATT procedure out; its end is posted in its place in the order of the air.
  func run(_ procedure: SessionMachine.Procedure) async
  /// Sends a write command.
  func write(_ value: [UInt8], to handle: UInt16) async
  /// Confirms the oldest unconfirmed indication.
  func confirmIndication() async
  /// Ends it; repeated calls do nothing.
  func close() async
}

/// What a link was like.
struct LinkReport: Sendable {
  /// The link's own words when it was dropped for a reason.
  var error: GATTError?
  /// Why a pairing that the driver asked for failed.
  var pairingError: BluetoothError?
  /// The meter refused something that its database allows: what is cached of it may be out of date.
  var contradictsDatabase = false
  /// The meter has said that its database has changed: what is cached of it is out of date.
  var cacheIsStale = false
  /// What the driver uses has moved to other handles: the link was closed, whatever the driver was about to do.
  var databaseMoved = false
  /// Why the meter refused what it wants security for, with the cure.
  var refusal: BluetoothError?
  /// When the link was known to be up: the meter has advertised before it, or when it is gone.
  var began: HostInstant
  var sentPDUs = 0
  var receivedPDUs = 0
}
