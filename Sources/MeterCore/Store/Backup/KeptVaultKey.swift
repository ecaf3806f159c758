internal import Crypto
internal import Foundation

extension MeterStore {
  /// The key that encrypts the secrets, for a backup that is to have it; nil when there is none yet.
  ///
  /// - Throws: ``StoreError/Code/vaultKey`` when it cannot be read.
  package func vaultKey() throws(StoreError) -> [UInt8]? {
    let credentials = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
    let key = try VaultKey.load(state: folder.path, credentials: credentials)
    return key?.key.withUnsafeBytes { Array($0) }
  }
}
