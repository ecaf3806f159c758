package import GatewayAPI
import MeterCore
import MeterHealth

extension HealthSourcesRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> [HealthSourceDescription] {
    let session = try owner.choosingSession()
    return try HealthSourceBook(owner.store, of: session.generation).list(store)
  }
}

extension HealthOrderRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session`, `unknown_source` or `ambiguous_source`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> [HealthSourceDescription] {
    let session = try owner.choosingSession()
    let book = HealthSourceBook(owner.store, of: session.generation)
    guard !keys.isEmpty else {
      for family in HealthSourceBook.families(store) { try choose([], in: family, owner, session) }
      return try book.list(store)
    }
    let (family, order) = try book.find(keys, in: store)
    try choose(order, in: family, owner, session)
    return try book.list(family.store)
  }

  private func choose(
    _ order: [String], in family: HealthFamily, _ owner: GatewayOwner, _ session: Session
  ) throws {
    let places = Dictionary(order.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    try owner.store.changeHealthSources(family: family.rawValue, of: session.generation) { sources in
      for index in sources.indices { sources[index].chosenPlace = places[sources[index].key] }
    }
  }
}

extension HealthSourceRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `no_session`, `unknown_source` or `ambiguous_source`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> [HealthSourceDescription] {
    let session = try owner.choosingSession()
    let book = HealthSourceBook(owner.store, of: session.generation)
    let (family, keys) = try book.find([key], in: store)
    try owner.store.changeHealthSources(family: family.rawValue, of: session.generation) { sources in
      for index in sources.indices where keys.contains(sources[index].key) { sources[index].isOff = isOff }
    }
    return try book.list(family.store)
  }
}
