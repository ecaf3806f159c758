/// Decides whether what happened to interfaces and addresses may have brought a receiver into reach.
///
/// The kernel repeats itself: carriers, router advertisements and scans come as messages about what is known already.
public struct NetworkReach: Sendable {
  private var running: Set<Int32> = []
  private var addresses: Set<NetlinkAddress> = []
  /// Addresses that are remembered; beyond, an old one counts as new, which costs one attempt.
  private static let limit = 1024

  /// Nothing is known: the first word about an interface or an address counts as new.
  public init() {}

  /// Takes a message; true when an interface has started to run, an address is there that was not, or messages were lost.
  public mutating func take(_ message: NetlinkMessage) -> Bool {
    switch message {
    case .link(let index, let isRunning):
      guard isRunning else {
        running.remove(index)
        return false
      }
      return running.insert(index).inserted
    case .linkGone(let index):
      running.remove(index)
      addresses = addresses.filter { $0.index != index }
      return false
    case .address(let address):
      if addresses.count >= Self.limit { addresses = [] }
      return addresses.insert(address).inserted
    case .addressGone(let address):
      addresses.remove(address)
      return false
    case .overrun: return true
    }
  }
}
