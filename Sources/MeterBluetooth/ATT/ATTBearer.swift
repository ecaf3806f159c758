/// The fixed L2CAP channel that carries ATT PDUs to one meter (Core Specification, Vol 3 Part A 7.1): the kernel's
/// socket or the virtual air's, so that everything above it is one code path.
public protocol ATTBearer: Sendable {
  /// Sends one PDU.
  ///
  /// - Throws: ``GATTError`` with code `disconnected`.
  func send(_ pdu: [UInt8]) async throws(GATTError)
  /// The next PDU; nil when the link is gone.
  ///
  /// - Throws: ``GATTError`` when the channel itself breaks.
  func receive() async throws(GATTError) -> [UInt8]?
  /// Drops the link; repeated calls do nothing.
  func close()
  /// What the meter has said to an MTU request that was made before the bearer was handed out; nil: none was made. A client
  /// makes one at most (Core Specification, Vol 3 Part F 3.4.2.1).
  var exchangedMTU: Int? { get }
}

extension ATTBearer {
  /// None was made.
  public var exchangedMTU: Int? { nil }
}
