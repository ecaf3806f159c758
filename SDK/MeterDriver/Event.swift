import CMeterDriver

/// One fact from the host (rule R10). Bytes are borrowed for the call.
public enum Event: ~Escapable {
  /// The link is up.
  case connected(mtu: UInt16)
  /// Security changed: 1 none, 2 encrypted, 3 authenticated.
  case encrypted(level: Int32)
  /// What the meter offers: the first moment to act.
  case services(GATTDatabase)
  /// The meter's services changed; ``services(_:)`` follows.
  case servicesChanged
  /// The MTU changed.
  case mtu(UInt16)
  /// Answer to a subscription; status 0 or the ATT error code.
  case subscribed(token: UInt64, status: Int32)
  /// The meter notified a value.
  case notification(handle: UInt16, value: RawSpan)
  /// The meter indicated a value; it is confirmed after this event's unit is on disk.
  case indication(handle: UInt16, value: RawSpan)
  /// Answer to a read; status 0 or the ATT error code.
  case read(token: UInt64, value: RawSpan, status: Int32)
  /// Answer to a write; status 0 or the ATT error code.
  case wrote(token: UInt64, status: Int32)
  /// A timer ran out.
  case timer(token: UInt64)
  /// The meter advertised.
  case advertisement(data: RawSpan, rssi: Int32)
  /// Answer to a question; status is below zero when the person refused.
  case userInput(token: UInt64, value: RawSpan, status: Int32)
  /// The caller gives up: end within this many nanoseconds.
  case cancel(graceNanoseconds: UInt64)
  /// The link is gone (HCI reason). Only records, storage, finish and fail are allowed from here on.
  case disconnected(reason: Int32)

  /// Nil for a kind that this version of the contract does not know.
  @_lifetime(borrow event)
  static func make(borrowing event: UnsafePointer<mh_event>) -> Event? {
    let fact = event.pointee
    switch fact.kind {
    case MH_EV_CONNECTED: return .connected(mtu: fact.mtu)
    case MH_EV_ENCRYPTED: return .encrypted(level: fact.status)
    case MH_EV_SERVICES: return .services(GATTDatabase(borrowing: event))
    case MH_EV_SERVICE_CHANGED: return .servicesChanged
    case MH_EV_MTU: return .mtu(fact.mtu)
    case MH_EV_SUBSCRIBED: return .subscribed(token: fact.token, status: fact.status)
    case MH_EV_NOTIFICATION: return .notification(handle: fact.handle, value: lend(fact.value))
    case MH_EV_INDICATION: return .indication(handle: fact.handle, value: lend(fact.value))
    case MH_EV_READ: return .read(token: fact.token, value: lend(fact.value), status: fact.status)
    case MH_EV_WROTE: return .wrote(token: fact.token, status: fact.status)
    case MH_EV_TIMER: return .timer(token: fact.token)
    case MH_EV_ADVERTISEMENT: return .advertisement(data: lend(fact.value), rssi: fact.status)
    case MH_EV_USER_INPUT: return .userInput(token: fact.token, value: lend(fact.value), status: fact.status)
    case MH_EV_CANCEL: return .cancel(graceNanoseconds: fact.token)
    case MH_EV_DISCONNECTED: return .disconnected(reason: fact.status)
    default: return nil
    }
  }
}
