import DriverContract

// What the machine makes of a driver's output, and of time that has run out.

extension SessionMachine.Outcome {
  init(_ deadline: SessionMachine.Deadline) {
    self =
      switch deadline {
      case .grace: .cancelled
      case .reading: .readingTimeout
      case .session: .sessionTimeout
      }
  }
}

extension DriverFault {
  static func tooMuch(_ what: String) -> DriverFault {
    DriverFault(
      .brokeRule, driver: "driver", rule: "R11",
      message: "the driver asks for more \(what) than the host keeps; report the driver")
  }

  static var noConnection: DriverFault {
    DriverFault(
      .brokeRule, driver: "driver", rule: "R11",
      message: "the driver asks for what needs a connection, and this meter is only heard; report the driver")
  }
}

extension DriverAction {
  /// True for what goes to the meter, or changes the link.
  var needsConnection: Bool {
    switch self {
    case .subscribe, .unsubscribe, .read, .write, .writeNoResponse, .exchangeMTU, .pair: true
    case .timer, .cancelTimer, .ready, .progress, .askUser, .finish, .fail: false
    }
  }
}

extension DriverUnit {
  /// True when something of this unit belongs on disk.
  var hasDurableOutput: Bool { !writes.isEmpty || records.contains { $0.isDurable } }
}
