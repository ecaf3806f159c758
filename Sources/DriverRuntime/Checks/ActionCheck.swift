import DriverContract
import CMeterDriver

/// Makes a checked action of a raw one (rule R11).
struct ActionCheck {
  let driver: String
  /// The link is gone: only finish and fail are left (rule R25).
  let isDisconnected: Bool

  static let longestValue = Int(MH_ACTION_VALUE_MAX)
  static let longestText = Int(MH_ACTION_TEXT_MAX)
  static let longestTimer = UInt64(MH_TIMER_NS_MAX)

  /// Whether this host knows the action, which is what a driver of a later minor asks by trying.
  static func isKnown(kind: UInt32, flags: UInt16, code: Int32) -> Bool {
    let known: UInt32 =
      switch kind {
      case MH_DO_PAIR: MH_PAIR_BOND | MH_PAIR_MITM
      case MH_DO_ASK_USER: MH_ASK_SECRET
      default: 0
      }
    let knowsCode =
      switch kind {
      case MH_DO_ASK_USER: DriverPromptKind(rawValue: code) != nil
      case MH_DO_FAIL: DriverFailureCode(rawValue: code) != nil
      default: true
      }
    return (MH_DO_SUBSCRIBE...MH_DO_FAIL).contains(kind) && UInt32(flags) & ~known == 0 && knowsCode
  }

  func check(_ actions: [RawAction]) throws(DriverFault) -> [DriverAction] {
    guard actions.count <= Int(MH_ACTIONS_MAX) else {
      throw fault("R11", "an event gave \(actions.count) actions; at most \(MH_ACTIONS_MAX) are allowed")
    }
    var checked: [DriverAction] = []
    checked.reserveCapacity(actions.count)
    for action in actions {
      try checkUnnamed(action)
      guard let known = try known(action) else { throw fault("R11", "action \(action.kind) is not in the contract") }
      if isDisconnected {
        switch known {
        case .finish, .fail: break
        default: throw fault("R25", "action \(action.kind) was given after the link had gone")
        }
      }
      checked.append(known)
    }
    return checked
  }

  private func known(_ action: RawAction) throws(DriverFault) -> DriverAction? {
    switch action.kind {
    case MH_DO_SUBSCRIBE: .subscribe(handle: try handle(action), token: action.token)
    case MH_DO_UNSUBSCRIBE: .unsubscribe(handle: try handle(action), token: action.token)
    case MH_DO_READ: .read(handle: try handle(action), token: action.token)
    case MH_DO_WRITE: .write(handle: try handle(action), try value(action), token: action.token)
    case MH_DO_WRITE_NO_RESPONSE: .writeNoResponse(handle: try handle(action), try value(action))
    case MH_DO_MTU: .exchangeMTU(try mtu(action), token: action.token)
    case MH_DO_PAIR: .pair(try pairing(action), token: action.token)
    case MH_DO_TIMER: .timer(token: action.token, nanoseconds: try timer(action))
    case MH_DO_CANCEL_TIMER: .cancelTimer(token: action.token)
    case MH_DO_READY: .ready
    case MH_DO_PROGRESS: .progress(done: action.first, total: action.second)
    case MH_DO_ASK_USER: .askUser(try prompt(action), token: action.token)
    case MH_DO_FINISH: .finish
    case MH_DO_FAIL: .fail(try failure(action), subcode: action.first, text: try text(action))
    default: nil
    }
  }

  /// What an action does not name is zero, so that a later minor can give it a meaning.
  private func checkUnnamed(_ action: RawAction) throws(DriverFault) {
    var rest = action
    switch action.kind {
    case MH_DO_SUBSCRIBE, MH_DO_UNSUBSCRIBE, MH_DO_READ: rest.handle = 0
    case MH_DO_WRITE, MH_DO_WRITE_NO_RESPONSE: (rest.handle, rest.value) = (0, [])
    case MH_DO_MTU, MH_DO_TIMER: rest.first = 0
    case MH_DO_PAIR: rest.flags = 0
    case MH_DO_PROGRESS: (rest.first, rest.second) = (0, 0)
    case MH_DO_ASK_USER: rest = RawAction(kind: action.kind, handle: action.handle)
    case MH_DO_FAIL: (rest.code, rest.first, rest.text) = (0, 0, [])
    default: break
    }
    rest.token = 0
    guard rest == RawAction(kind: action.kind) else {
      throw fault("R11", "action \(action.kind) has a field set that it does not name")
    }
  }

  private func handle(_ action: RawAction) throws(DriverFault) -> UInt16 {
    guard action.handle != 0 else { throw fault("R11", "action \(action.kind) names no handle") }
    return action.handle
  }

  private func value(_ action: RawAction) throws(DriverFault) -> [UInt8] {
    guard action.value.count <= Self.longestValue else {
      throw fault("R11", "a write of \(action.value.count) bytes is longer than any attribute (\(Self.longestValue))")
    }
    return action.value
  }

  private func mtu(_ action: RawAction) throws(DriverFault) -> UInt16 {
    // ATT_MTU over LE is 23 at least (Core Specification, Vol 3 Part G 5.2.1); 517 carries the longest attribute.
    guard (23...517).contains(action.first) else { throw fault("R11", "an MTU of \(action.first) is outside 23...517") }
    return UInt16(action.first)
  }

  private func pairing(_ action: RawAction) throws(DriverFault) -> DriverPairing {
    guard UInt32(action.flags) & ~UInt32(MH_PAIR_BOND | MH_PAIR_MITM) == 0 else {
      throw fault("R11", "pairing flags \(action.flags) are unknown")
    }
    return DriverPairing(rawValue: action.flags)
  }

  private func timer(_ action: RawAction) throws(DriverFault) -> UInt64 {
    guard action.first <= Self.longestTimer else { throw fault("R11", "a timer runs for more than a day") }
    return action.first
  }

  private func prompt(_ action: RawAction) throws(DriverFault) -> DriverPrompt {
    guard let kind = DriverPromptKind(rawValue: action.code), UInt32(action.flags) & ~UInt32(MH_ASK_SECRET) == 0 else {
      throw fault("R11", "a question of kind \(action.code) is unknown")
    }
    guard action.first <= action.second, action.second <= UInt64(MH_VALUE_MAX) else {
      throw fault("R11", "the lengths \(action.first)...\(action.second) of an answer make no sense")
    }
    return DriverPrompt(
      kind: kind, isSecret: action.flags & UInt16(MH_ASK_SECRET) != 0, minimumLength: UInt32(action.first),
      maximumLength: UInt32(action.second), text: try text(action), keepAs: try keepAs(action))
  }

  private func keepAs(_ action: RawAction) throws(DriverFault) -> String? {
    guard !action.value.isEmpty else { return nil }
    guard let name = String(validating: action.value, as: UTF8.self), DriverStorage.isReadable(name),
      DriverStorage.isSecret(name)
    else {
      throw fault("R11", "an answer can be kept as credential/..., user/secret/... or meter/secret/... only")
    }
    return name
  }

  private func failure(_ action: RawAction) throws(DriverFault) -> DriverFailureCode {
    guard let code = DriverFailureCode(rawValue: action.code) else {
      throw fault("R11", "the failure code \(action.code) is unknown")
    }
    return code
  }

  private func text(_ action: RawAction) throws(DriverFault) -> String {
    guard action.text.count <= Self.longestText, let text = String(validating: action.text, as: UTF8.self) else {
      throw fault("R11", "the text of action \(action.kind) is too long or not UTF-8")
    }
    return text
  }

  private func fault(_ rule: String, _ what: String) -> DriverFault {
    DriverFault(
      .brokeRule, driver: driver, rule: rule, message: "\(what); the driver must be repaired by its author")
  }
}
