import CMeterDriver

/// Makes a checked action of a raw one (rule R11).
struct ActionCheck {
  let driver: String
  /// The link is gone: only finish and fail are left (rule R25).
  let isDisconnected: Bool

  /// Longest attribute value (Core Specification, Vol 3 Part F 3.2.9).
  static let longestValue = 512
  static let longestText = 512
  static let longestTimer: UInt64 = 24 * 3600 * 1_000_000_000

  func check(_ actions: [RawAction]) throws(DriverFault) -> [DriverAction] {
    guard actions.count <= Int(MH_ACTIONS_MAX) else {
      throw fault("R11", "an event gave \(actions.count) actions; at most \(MH_ACTIONS_MAX) are allowed")
    }
    var checked: [DriverAction] = []
    checked.reserveCapacity(actions.count)
    for action in actions {
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
    guard action.first <= action.second, action.second <= 4096 else {
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
