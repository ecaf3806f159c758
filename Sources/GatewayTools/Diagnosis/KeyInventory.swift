import Foundation
package import GatewayEngine
import MeterCore
package import MeterDrivers

/// Whether a credential is stored.
package enum CredentialPresence: Sendable, Hashable {
  /// It is; for one that belongs to a meter: for at least one meter.
  case here
  /// It is not.
  case missing
  /// Nobody can tell now; the reason.
  case unknown(String)
}

/// Which credentials a gateway keeps, looked up once; values are not touched, and a state folder is not made.
package struct KeyInventory: Sendable {
  private let stored: Result<[StoredCredential], StoreError>

  /// Looks into the state folder; one that another process uses answers `unknown`.
  package init(locations: GatewayLocations) {
    guard FileManager.default.fileExists(atPath: locations.state) else {
      stored = .success([])
      return
    }
    do throws(StoreError) {
      stored = .success(try MeterStore.look(at: URL(fileURLWithPath: locations.state)).credentials())
    } catch {
      stored = .failure(error)
    }
  }

  /// Whether a credential of a peripheral is stored.
  package func presence(of credential: Credential, for peripheral: Peripheral) -> CredentialPresence {
    switch stored {
    case .failure(let error): return .unknown(error.message)
    case .success(let all):
      let isHere = all.contains { stored in
        guard stored.name == credential.name else { return false }
        return switch (stored.scope, credential.scope) {
        case (.gateway, .gateway), (.meter, .meter): true
        case (.peripheral(let id), .peripheral): id == peripheral.id
        default: false
        }
      }
      return isHere ? .here : .missing
    }
  }
}
