import HostPrimitives

/// What a route netlink message says about the ways out of this machine (rtnetlink(7)).
///
/// The bytes come from the kernel and are taken as if they came from anybody: what does not fit is left out.
public enum NetlinkMessage: Sendable, Hashable {
  /// An interface as it is now; running means that it is up and has a carrier.
  case link(index: Int32, isRunning: Bool)
  /// An interface has gone.
  case linkGone(index: Int32)
  /// An interface has an address that can be used.
  case address(NetlinkAddress)
  /// An address has gone.
  case addressGone(NetlinkAddress)
  /// Messages were lost.
  case overrun

  private static let headerLength = 16
  private static let linkLength = 16
  private static let addressLength = 8

  /// The messages of one packet.
  public static func parse(_ packet: [UInt8]) -> [NetlinkMessage] {
    var messages: [NetlinkMessage] = []
    var reader = ByteReader(packet)
    while let length = reader.rest.number(at: 0, as: UInt32.self),
      let type = reader.rest.number(at: 4, as: UInt16.self), length >= UInt32(headerLength),
      let message = reader.takeAligned(Int(length))
    {
      if let found = parse(type: type, message.dropFirst(headerLength)) { messages.append(found) }
    }
    return messages
  }

  private static func parse(type: UInt16, _ body: ArraySlice<UInt8>) -> NetlinkMessage? {
    switch type {
    case 4: return .overrun  // NLMSG_OVERRUN
    case 16, 17:  // RTM_NEWLINK, RTM_DELLINK: struct ifinfomsg
      guard body.count >= linkLength, let index = body.number(at: 4, as: UInt32.self),
        let flags = body.number(at: 8, as: UInt32.self)
      else { return nil }
      let number = Int32(bitPattern: index)
      let isRunning = flags & 0x1 != 0 && flags & 0x40 != 0  // IFF_UP, IFF_RUNNING
      return type == 16 ? .link(index: number, isRunning: isRunning) : .linkGone(index: number)
    case 20, 21:  // RTM_NEWADDR, RTM_DELADDR: struct ifaddrmsg
      guard let address = NetlinkAddress.Found(body, headerLength: addressLength) else { return nil }
      if type == 21 { return .addressGone(address.value) }
      return address.isTentative ? nil : .address(address.value)
    default: return nil
    }
  }
}

/// An address of an interface.
public struct NetlinkAddress: Sendable, Hashable {
  /// The interface's number.
  public let index: Int32
  /// AF_INET or AF_INET6.
  public let family: UInt8
  /// The address, 4 or 16 bytes.
  public let bytes: [UInt8]

  /// An address from its parts.
  public init(index: Int32, family: UInt8, bytes: [UInt8]) {
    self.index = index
    self.family = family
    self.bytes = bytes
  }

  /// The address of a message and whether the kernel still checks that nobody else has it.
  fileprivate struct Found {
    let value: NetlinkAddress
    let isTentative: Bool
  }
}

extension NetlinkAddress.Found {
  fileprivate init?(_ body: ArraySlice<UInt8>, headerLength: Int) {
    guard body.count >= headerLength, let family = body.number(at: 0, as: UInt8.self),
      let short = body.number(at: 2, as: UInt8.self),
      let index = body.number(at: 4, as: UInt32.self)
    else { return nil }
    var flags = UInt32(short)
    var address: [UInt8]?
    var attributes = ByteReader(body.dropFirst(headerLength))
    while let length = attributes.rest.number(at: 0, as: UInt16.self),
      let type = attributes.rest.number(at: 2, as: UInt16.self), length >= 4,
      let attribute = attributes.takeAligned(Int(length))
    {
      let content = attribute.dropFirst(4)
      switch type {
      case 1 where address == nil, 2: address = Array(content)  // IFA_ADDRESS, and IFA_LOCAL, which says more
      case 8: flags = content.number(at: 0) ?? flags  // IFA_FLAGS
      default: break
      }
    }
    let expected = family == 2 ? 4 : 16  // AF_INET, AF_INET6
    guard family == 2 || family == 10, let address, address.count == expected else { return nil }
    value = NetlinkAddress(index: Int32(bitPattern: index), family: family, bytes: address)
    isTentative = flags & 0x48 != 0  // IFA_F_TENTATIVE, IFA_F_DADFAILED
  }
}

extension ByteReader {
  /// The next so many bytes; what follows starts at a multiple of four. Nil when there are not so many.
  fileprivate mutating func takeAligned(_ count: Int) -> ArraySlice<UInt8>? {
    guard let bytes = take(count) else { return nil }
    _ = take(min((count + 3) & ~3 - count, self.count))
    return bytes
  }
}
