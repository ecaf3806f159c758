package import CurlHTTP
import Foundation
package import NATSClient

extension NATSSinkSetting {
  /// More servers than this no cluster needs.
  private static let mostServers = 16

  /// The servers' addresses.
  ///
  /// - Throws: ``NATSError`` with code `nats_address`.
  package func addresses() throws(NATSError) -> [NATSAddress] {
    let texts = servers.split(separator: ",", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    guard texts.count <= Self.mostServers else {
      throw NATSError(.address, "there are more than \(Self.mostServers) servers", hint: "name three of the cluster")
    }
    var addresses: [NATSAddress] = []
    for text in texts {
      let address = try NATSAddress(text)
      if !addresses.contains(address) { addresses.append(address) }
    }
    return addresses
  }

  /// The setting with whole paths and every part checked, the machine as well.
  ///
  /// - Throws: ``NATSError`` with code `nats_address`, `nats_subject` or `nats_key`; `HTTPReachError` with code `tls_file`,
  ///   `receiver_user` or `proxy`.
  package func checked() throws -> NATSSinkSetting {
    var setting = self
    let addresses = try addresses()
    setting.servers = addresses.map(\.description).joined(separator: ",")
    for (name, text) in [("organization", organization), ("gateway", gateway)] {
      guard NATSSubject.isName(text) else {
        throw NATSError(
          .subject, "the \(name) of the subjects must have letters, digits, - and _, 64 at most",
          hint: "give it as `meterhost-receiver fleet` knows it")
      }
    }
    setting.keyFile = keyFile.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
    if let path = setting.keyFile { _ = try NATSKeyFile.read(path) }
    for address in addresses { setting.take(try reach(address).checked()) }
    return setting
  }

  /// What a connection to a server has in common with one to a receiver over HTTP.
  private func reach(_ address: NATSAddress) -> HTTPReach {
    var reach = HTTPReach("\(address.isEncrypted ? "https" : "http")://\(address.host):\(address.port)")
    reach.authorityFile = authorityFile
    reach.clientCertificateFile = clientCertificateFile
    reach.clientKeyFile = clientKeyFile
    reach.proxy = proxy
    reach.receiverUser = receiverUser
    return reach
  }

  /// Takes the whole paths.
  private mutating func take(_ checked: HTTPReach) {
    authorityFile = checked.authorityFile
    clientCertificateFile = checked.clientCertificateFile
    clientKeyFile = checked.clientKeyFile
  }

  /// The setting as connections take it.
  package var transportSettings: CurlTransport.Settings {
    var settings = CurlTransport.Settings()
    settings.authorityFile = authorityFile
    settings.clientCertificateFile = clientCertificateFile
    settings.clientKeyFile = clientKeyFile
    settings.proxy = proxy
    settings.receiverUser = receiverUser
    return settings
  }

  /// The setting as the client takes it.
  ///
  /// - Throws: ``NATSError`` with code `nats_address`.
  package func options() throws(NATSError) -> NATSOptions {
    var options = NATSOptions(servers: try addresses(), inboxPrefix: "_INBOX.\(gateway)")
    options.name = "meterhost \(gateway)"
    if let keyFile {
      // Read each time: a key that is changed counts from the next connection on.
      options.key = { () throws(NATSError) in try NATSKeyFile.read(keyFile) }
    }
    return options
  }
}
