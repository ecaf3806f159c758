import CMeterDriver
import DriverContract

/// Makes a checked action of a conversation of a raw one.
struct TalkActionCheck {
  let driver: String
  /// Nobody answers any more: only done and fail are left.
  let hasEnded: Bool

  /// Whether this host knows the action, which is what a driver of a later draft asks by trying.
  static func isKnown(_ kind: UInt32) -> Bool { (MH_TALK_PULL...MH_TALK_FAIL).contains(kind) }

  func check(_ actions: [RawTalkAction]) throws(DriverFault) -> [ConversationAction] {
    guard actions.count <= Int(MH_TALK_ACTIONS_MAX) else {
      throw fault("an event gave \(actions.count) actions; at most \(MH_TALK_ACTIONS_MAX) are allowed")
    }
    var checked: [ConversationAction] = []
    checked.reserveCapacity(actions.count)
    for action in actions {
      try checkUnnamed(action)
      let known = try known(action)
      switch known {
      case .done, .fail: break
      case .pull, .acknowledge, .timer, .readKey:
        guard !hasEnded else { throw fault("action \(action.kind) was given after the conversation had ended") }
      }
      checked.append(known)
    }
    return checked
  }

  private func known(_ action: RawTalkAction) throws(DriverFault) -> ConversationAction {
    switch action.kind {
    case MH_TALK_PULL:
      guard let count = UInt32(exactly: action.second), (1...MH_TALK_CHUNK_MAX).contains(count),
        !action.first.addingReportingOverflow(action.second).overflow
      else {
        throw fault("it pulls \(action.second) bytes at \(action.first); 1 to \(MH_TALK_CHUNK_MAX) can be pulled")
      }
      return .pull(offset: action.first, count: count, token: action.token)
    case MH_TALK_ACKNOWLEDGE: return .acknowledge(offset: action.first, token: action.token)
    case MH_TALK_SET_TIMER:
      guard action.first <= UInt64(MH_TALK_TIMER_NS_MAX) else { throw fault("a timer runs for more than a day") }
      return .timer(token: action.token, nanoseconds: action.first)
    case MH_TALK_READ_KEY:
      let key = try text(action)
      guard DriverStorage.isKey(key), !DriverStorage.isSecret(key) else {
        throw fault("it reads what is no key of its own")
      }
      return .readKey(key, token: action.token)
    case MH_TALK_DONE: return .done
    case MH_TALK_FAIL: return .fail(number: action.first, text: try text(action))
    default: throw fault("action \(action.kind) is not in the contract")
    }
  }

  /// What an action does not name is zero, so that a later draft can give it a meaning.
  private func checkUnnamed(_ action: RawTalkAction) throws(DriverFault) {
    var rest = action
    switch action.kind {
    case MH_TALK_PULL: (rest.token, rest.first, rest.second) = (0, 0, 0)
    case MH_TALK_ACKNOWLEDGE, MH_TALK_SET_TIMER: (rest.token, rest.first) = (0, 0)
    case MH_TALK_READ_KEY: (rest.token, rest.text) = (0, [])
    case MH_TALK_FAIL: (rest.first, rest.text) = (0, [])
    default: break
    }
    guard rest == RawTalkAction(kind: action.kind) else {
      throw fault("action \(action.kind) has a field set that it does not name")
    }
  }

  private func text(_ action: RawTalkAction) throws(DriverFault) -> String {
    guard action.text.count <= Int(MH_TALK_TEXT_MAX), let text = String(validating: action.text, as: UTF8.self) else {
      throw fault("the text of action \(action.kind) is too long or not UTF-8")
    }
    return text
  }

  private func fault(_ what: String) -> DriverFault { ConversationCheck(driver: driver).fault(what) }
}
