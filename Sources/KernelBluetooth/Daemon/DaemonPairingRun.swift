import BluetoothWire
import CBus
import HostPrimitives
import Synchronization

/// Carries a ``DaemonPairing`` out: one thread at the bus, and tasks in which the person is asked.
final class DaemonPairingRun: Sendable {
  private struct State {
    var inbox: [DaemonPairing.Input] = []
    var questions: [Task<Void, Never>] = []
    var isOver = false
  }

  private let peer: BluetoothAddress
  private let adapter: String
  private let person: DaemonPairingPerson
  private let wake: BusWake
  private let state = Mutex(State())

  init(with peer: BluetoothAddress, at adapter: String, asking person: DaemonPairingPerson) throws(KernelBluetoothError)
  {
    self.peer = peer
    self.adapter = adapter
    self.person = person
    wake = try BusWake()
  }

  /// Gives up; ``perform(bus:)`` then ends soon.
  func cancel() { post(.cancel) }

  /// Pairs, on the thread that calls.
  func perform(bus address: String) throws(KernelBluetoothError) -> DaemonPairingOutcome {
    defer { stopAsking() }
    let deadline = SystemClock().now + BluetoothDaemon.patience
    guard let connection = try BusConnection.open(address, until: deadline),
      let owner = try connection.owner(until: deadline)
    else { throw .daemonGone }
    guard var path = DaemonDevice.path(of: peer, at: adapter) else {
      throw KernelBluetoothError(.noAdapter, "bluetoothd has no adapter \(adapter)")
    }
    // Known by another address, maybe; one that is not known yet will have the path of this one.
    if let device = try connection.device(peer, at: adapter, owner: owner, until: deadline) { path = device.path }
    for rule in Self.rules(path, owner) {
      guard case .success = try connection.ask(.bus("AddMatch", rule), until: deadline) else { throw .daemonSilent }
    }
    var session = Session(
      connection: connection, owner: owner, path: path, machine: DaemonPairing(with: peer, path: path), run: self)
    return try session.perform()
  }

  /// What has to be told: changes of the meter, and the end of bluetoothd.
  private static func rules(_ path: String, _ owner: String) -> [String] {
    [
      "type='signal',sender='\(owner)',path='\(path)',interface='org.freedesktop.DBus.Properties'",
      "type='signal',sender='\(BusCall.bus)',member='NameOwnerChanged',arg0='\(owner)'",
    ]
  }

  private func post(_ input: DaemonPairing.Input) {
    state.withLock { $0.inbox.append(input) }
    wake.call()
  }

  private func ask(_ question: @escaping @Sendable () async -> Void) {
    state.withLock { state in if !state.isOver { state.questions.append(Task(operation: question)) } }
  }

  private func stopAsking() {
    let questions = state.withLock { state in
      state.isOver = true
      return state.questions
    }
    for question in questions { question.cancel() }
  }

  /// What belongs to the thread.
  private struct Session {
    let connection: BusConnection
    let owner: String
    let path: String
    var machine: DaemonPairing
    let run: DaemonPairingRun
    var steps: [UInt32: DaemonPairing.Step] = [:]
    var requests: [UInt32: OpaquePointer] = [:]
    var nextRequest: UInt32 = 0
    var outcome: Result<DaemonPairingOutcome, KernelBluetoothError>?

    /// More calls of the agent than any pairing has.
    static let mostRequests = 64

    mutating func perform() throws(KernelBluetoothError) -> DaemonPairingOutcome {
      defer { for request in requests.values { mh_bus_free(request) } }
      try apply(machine.start())
      var nextTick = SystemClock().now + DaemonPairing.tick
      while true {
        for input in run.takeInbox() { try apply(machine.handle(input)) }
        while outcome == nil, let (message, raw) = connection.next() { try take(message, raw) }
        if outcome == nil, SystemClock().now >= nextTick {
          nextTick = SystemClock().now + DaemonPairing.tick
          try apply(machine.handle(.tick))
        }
        if let outcome { return try outcome.get() }
        guard connection.isOpen else { throw .daemonGone }
        connection.wait(until: nextTick, wake: run.wake)
      }
    }

    private mutating func take(_ message: BusMessage, _ raw: OpaquePointer) throws(KernelBluetoothError) {
      if let request = AgentRequest(message) { return try take(request, from: message.sender, raw) }
      defer { mh_bus_free(raw) }
      switch message.kind {
      case .answer(let number):
        guard isTrusted(message), let step = steps.removeValue(forKey: number) else { return }
        let device = step == .look ? DaemonDevice(path: path, properties: message.arguments?.first) : nil
        try apply(machine.handle(.answered(step, device)))
      case .refusal(let number, let name):
        guard isTrusted(message), let step = steps.removeValue(forKey: number) else { return }
        try apply(machine.handle(.refused(step, BusRefusal(name: name))))
      case .signal where message.sender == owner && message.member == "PropertiesChanged":
        try apply(machine.handle(.changed))
      case .signal where message.sender == BusCall.bus && message.member == "NameOwnerChanged": throw .daemonGone
      case .signal: return
      case .call: try connection.answer(raw, .failure(BusRefusal(name: "org.freedesktop.DBus.Error.UnknownObject")))
      }
    }

    private func isTrusted(_ message: BusMessage) -> Bool { [owner, BusCall.bus].contains(message.sender) }

    private mutating func take(
      _ request: AgentRequest, from sender: String, _ raw: OpaquePointer
    ) throws(KernelBluetoothError) {
      guard sender == owner, requests.count < Self.mostRequests else {
        defer { mh_bus_free(raw) }
        return try connection.answer(raw, AgentReply.rejected.content)
      }
      nextRequest &+= 1
      requests[nextRequest] = raw
      try apply(machine.handle(.asked(request, nextRequest)))
    }

    private mutating func apply(_ commands: [DaemonPairing.Command]) throws(KernelBluetoothError) {
      let (run, person) = (run, run.person)
      for command in commands {
        switch command {
        case .call(let step): steps[try connection.send(call(step))] = step
        case .reply(let call, let reply):
          guard let raw = requests.removeValue(forKey: call) else { continue }
          defer { mh_bus_free(raw) }
          try connection.answer(raw, reply.content)
        case .askPasskey(let call): run.ask { run.post(.answer(.passkey(await person.passkey()), call)) }
        case .askConfirmation(let call, let number):
          run.ask { run.post(.answer(.confirmation(await person.confirms(number)), call)) }
        case .show(let number): run.ask { await person.show(number) }
        case .end(let result): outcome = .success(result)
        case .fail(let error): outcome = .failure(error)
        }
      }
    }

    private func call(_ step: DaemonPairing.Step) -> BusCall {
      switch step {
      case .look: DaemonDevice.call(path: path, owner: owner)
      case .registerAgent:
        BusCall(
          destination: owner, path: "/org/bluez", interface: "org.bluez.AgentManager1", member: "RegisterAgent",
          arguments: [.path(AgentRequest.path), .text("KeyboardDisplay")])
      case .pair: BusCall(destination: owner, path: path, interface: DaemonDevice.interface, member: "Pair")
      case .cancelPairing:
        BusCall(destination: owner, path: path, interface: DaemonDevice.interface, member: "CancelPairing")
      }
    }
  }

  private func takeInbox() -> [DaemonPairing.Input] {
    state.withLock { state in
      defer { state.inbox = [] }
      return state.inbox
    }
  }
}
