import CMeterDriver

/// The actions that a driver has given in one event so far, copied before anything is checked.
struct TakenActions {
  private(set) var list: [RawTalkAction] = []
  /// What was refused: a driver that goes on as if it had been taken is faulty.
  private(set) var refused: String?

  /// What `act` of a sink does; the result is what it returns.
  ///
  /// - Parameter isKnown: Whether this host knows an action of a kind here.
  mutating func take(
    _ action: UnsafePointer<mh_talk_action>?, isKnown: (UInt32) -> Bool = TalkActionCheck.isKnown
  ) -> Int32 {
    guard let action,
      UnsafeRawPointer(action).loadUnaligned(as: UInt32.self) >= UInt32(MemoryLayout<mh_talk_action>.size)
    else { return refuse("an action whose struct is too short") }
    let given = grownStruct(action, empty: mh_talk_action())
    guard isKnown(given.kind) else {
      let call = CallContext.current
      call?.log.note(
        "action \(given.kind) is unknown to this host and was not taken [rule R18]", now: call?.logTime ?? 0)
      return MH_E_UNSUPPORTED
    }
    guard list.count < Int(MH_TALK_ACTIONS_MAX) else {
      _ = refuse("more than \(MH_TALK_ACTIONS_MAX) actions")
      return MH_E_FULL
    }
    guard given.text.n <= UInt64(MH_TALK_TEXT_MAX), let text = HostServices.borrowed(given.text.p, given.text.n) else {
      return refuse("action \(given.kind) with a text that is too long")
    }
    list.append(
      RawTalkAction(
        kind: given.kind, token: given.token, first: given.first, second: given.second, text: Array(text)))
    return MH_OK
  }

  private mutating func refuse(_ what: String) -> Int32 {
    refused = refused ?? what
    return MH_E_ARG
  }
}
