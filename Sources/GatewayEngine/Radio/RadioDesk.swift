public import GatewayAPI
import BluetoothWire
public import Foundation
public import MeterBluetooth
public import MeterCore

/// The radios of a gateway: each is set up on first need, and shared by all that use it.
public actor RadioDesk {
  private let store: MeterStore
  private let standing: RadioChoice
  private let environment: [String: String]
  private var airs: [String: AirTraffic] = [:]
  private var opening: (choice: [String], task: Task<(KernelAdapters, AirTraffic), any Error>)?
  /// Whether the machine's adapters were wanted, and could not be used.
  private var hasFailed = false
  private var kernel: (choice: [String], adapters: KernelAdapters, traffic: AirTraffic)?

  /// - Parameter standing: What is used where a request names nothing.
  public init(
    store: MeterStore, standing: RadioChoice = RadioChoice(),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.store = store
    self.standing = standing
    self.environment = environment
  }

  /// The traffic on the radios that are chosen.
  ///
  /// - Throws: ``GatewayError`` for an air that cannot be; `BluetoothError` when the kernel's Bluetooth cannot be used.
  public func traffic(_ request: RadioChoice = RadioChoice()) async throws -> AirTraffic {
    let choice = request.isMade ? request : standing
    let named = environment["METERHOST_AIR"].flatMap { $0.isEmpty ? nil : $0 }
    if choice.air != nil || choice.adapters.isEmpty && named != nil {
      return try virtual(try VirtualAir.of(choice.air))
    }
    return try await machine(choice.adapters)
  }

  private func virtual(_ air: VirtualAir) throws -> AirTraffic {
    if let traffic = airs[air.folder] { return traffic }
    let traffic = AirTraffic(VirtualRadio(air: air, bonds: StoreBonds(store)))
    airs[air.folder] = traffic
    return traffic
  }

  private func machine(_ adapters: [String]) async throws -> AirTraffic {
    if let kernel {
      try Self.check(adapters, fits: kernel.choice)
      return kernel.traffic
    }
    // Another caller was faster: the adapters are set up once.
    if let opening {
      try Self.check(adapters, fits: opening.choice)
      return try await opening.task.value.1
    }
    let task = Task { [bonds = StoreBonds(store)] in
      let source = KernelAdapters(KernelAdapters.Choice(adapters), bonds: bonds)
      try await source.open()
      return (source, AirTraffic(source))
    }
    opening = (adapters, task)
    defer { opening = nil }
    do {
      let (source, traffic) = try await task.value
      kernel = (adapters, source, traffic)
      hasFailed = false
      return traffic
    } catch {
      hasFailed = true
      throw error
    }
  }

  /// The numbers of all radios that were asked for since the beginning: adapters that were named and could not be used are down. All
  /// virtual airs together count as one radio.
  package var figures: AirFigures {
    var sum = kernel?.traffic.figures ?? AirFigures()
    if kernel == nil, hasFailed {
      sum.adapters = Set(standing.adapters).sorted().map { AirFigures.Adapter(name: $0, isUp: false, connections: 0) }
    }
    let virtual = airs.values.map(\.figures)
    guard !virtual.isEmpty else { return sum }
    sum.advertisements += virtual.reduce(0) { $0 + $1.advertisements }
    let radios = virtual.flatMap(\.adapters)
    sum.adapters.append(
      AirFigures.Adapter(
        name: "virtual", isUp: true, connections: radios.reduce(0) { $0 + $1.connections },
        slots: radios.reduce(0) { $0 + $1.slots }, meters: radios.flatMap(\.meters)))
    return sum
  }

  /// Has the schedules of all radios that are in use decide anew, and returns when they have.
  package func askSchedules() {
    for traffic in airs.values { traffic.askSchedule() }
    kernel?.traffic.askSchedule()
  }

  /// Puts away what the kernel would go on doing for a process that has ended. Call it last, when nobody reads any more.
  public func close() async {
    let opened = try? await opening?.task.value
    await (kernel?.adapters ?? opened?.0)?.close()
    kernel = nil
  }

  private static func check(_ adapters: [String], fits choice: [String]) throws(GatewayError) {
    guard choice == adapters || adapters.isEmpty else {
      throw GatewayError(
        .usage, code: "radio_in_use",
        "this service uses \(choice.isEmpty ? "all adapters" : choice.joined(separator: ", "))",
        hint: "leave --adapter away, or start the service with it")
    }
  }
}
