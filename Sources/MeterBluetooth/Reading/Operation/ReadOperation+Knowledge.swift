import BluetoothWire
import MeterCore
import MeterDrivers

extension ReadOperation {
  /// How often a database is looked at that changes meanwhile.
  private static let mostLooks = 2

  /// What an earlier read has kept of a meter; nil: nothing that this read could use.
  func cachedKnowledge(of address: BluetoothAddress) -> MeterKnowledge? {
    let (name, address) = (MeterKnowledge.name(peripheral: plan.peripheral.id), address.description)
    let bytes = try? surroundings.store.cached(name, address: address)
    return MeterKnowledge(bytes, name: name, address: address, requirements: plan.requirements)
  }

  /// What is known of the meter's database and of the meter itself: from an earlier read, while the meter does not say
  /// otherwise, or asked for now.
  func knowledge(
    of address: BluetoothAddress, _ client: GATTClient, _ security: LinkSecurity, cached: MeterKnowledge?,
    _ ledger: ReadLedger
  ) async throws(BluetoothError) -> MeterKnowledge {
    do throws(GATTError) {
      // A new bond is a new beginning: what the meter was told to remember of this host is gone.
      let cached = await security.hasBonded ? nil : cached
      let hash = cached?.marks.hash == nil ? nil : try await client.databaseHash()
      if let cached, cached.marks.hash == hash, await client.att.databaseChanges == 0 {
        ledger.use(cache: true)
        return cached
      }
      ledger.use(cache: false)
      let isBonded = await security.isBonded
      return try await look(at: address, client, isBonded: isBonded, hash)
    } catch {
      try checkCancellation()
      throw await security.refusal(by: plan.peripheral.name, plan.peripheral.id) ?? BluetoothError(link: error)
    }
  }

  /// Asks the meter, and once more when its database changed meanwhile.
  private func look(
    at address: BluetoothAddress, _ client: GATTClient, isBonded: Bool, _ hash: [UInt8]?
  ) async throws(GATTError) -> MeterKnowledge {
    let (name, address) = (MeterKnowledge.name(peripheral: plan.peripheral.id), address.description)
    var hash = hash
    var looks = 0
    while true {
      looks += 1
      let changes = await client.att.databaseChanges
      do throws(GATTError) {
        // First of all: a change that comes later shows at the next read.
        let marks = try await client.marks(isBonded: isBonded, hash: hash)
        let known = MeterKnowledge(
          name: name, address: address, database: try await client.discover(plan.requirements),
          information: try await DeviceInformation.read(from: client), marks: marks)
        let isStable = await client.att.databaseChanges == changes
        if isStable || looks == Self.mostLooks {
          // A cache that cannot be written costs time at the next read, nothing else.
          try? surroundings.store.setCached(isStable ? known.encoded : nil, name, address: address)
          return known
        }
      } catch {
        guard error.code == .attribute(.databaseOutOfSync), looks < Self.mostLooks else { throw error }
      }
      hash = nil
    }
  }
}
