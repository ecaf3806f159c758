internal import Crypto
internal import Foundation
import CurlHTTP
import HostPrimitives
import InformSink

extension MQTTSinkSetting {
  /// The setting with full paths, a name for the gateway, and every part checked.
  ///
  /// - Parameter stateFolder: The host's own folder; a gateway without a name gets one that no other folder or machine has.
  /// - Throws: ``MQTTSinkError``; `ReceiverSettingError` with code `tls_file`, `proxy` or `receiver_user` for what goes with every receiver.
  public func checked(stateFolder: String) throws -> MQTTSinkSetting {
    var setting = self
    let broker = try broker()
    if gateway == nil { setting.gateway = Self.gatewayName(stateFolder: stateFolder) }
    try Self.check(setting.gateway, .gateway, Self.isName, "a to z, 0 to 9, - and _, at most 32 of them")
    try Self.check(setting.clientID, .clientID, Self.isClientID, "letters, digits, - and _, at most 64 of them")
    try Self.check(setting.topics, .topics, Self.isPrefix, "names like the gateway's, with / between them")
    try Self.check(
      setting.homeAssistant, .homeAssistant, Self.isPrefix, "names like homeassistant, with / between them")
    try Self.check(
      setting.user, .user, { !$0.isEmpty && $0.utf8.count <= 255 && !$0.utf8.contains { $0 < 0x20 } }, "1 to 255 bytes")
    try Self.check(confirmSeconds, .confirmSeconds, Self.confirmRange)
    if keepSeconds != 0 { try Self.check(keepSeconds, .keepSeconds, Self.keepRange) }
    if let expirySeconds { try Self.check(expirySeconds, .expirySeconds, Self.expiryRange) }
    let transport = try transport(broker)
    setting.authorityFile = transport.authorityFile
    setting.clientCertificateFile = transport.clientCertificateFile
    setting.clientKeyFile = transport.clientKeyFile
    return setting
  }

  /// Where the broker listens.
  ///
  /// - Throws: ``MQTTSinkError`` with code `broker_address`.
  func broker() throws(MQTTSinkError) -> ByteConnectionAddress {
    let parts: WebAddress
    do { parts = try WebAddress(address) } catch {
      throw MQTTSinkError(.address, "the broker's address \(error.problem)", hint: error.cure)
    }
    let isLocal = ["localhost", "127.0.0.1", "[::1]"].contains(parts.host.lowercased())
    guard parts.scheme == "mqtts" || parts.scheme == "mqtt" && isLocal, parts.path.isEmpty || parts.path == "/" else {
      throw MQTTSinkError(
        .address, "the broker's address must be mqtts://HOST[:PORT]; plain mqtt is for brokers on this machine",
        hint: "give the broker a listener with TLS: without it everybody on the network sees password and readings")
    }
    let isEncrypted = parts.scheme == "mqtts"
    let host = parts.host.hasPrefix("[") ? String(parts.host.dropFirst().dropLast()) : parts.host
    return ByteConnectionAddress(
      host: host, port: parts.port ?? (isEncrypted ? 8_883 : 1_883), isEncrypted: isEncrypted)
  }

  /// Certificate files, proxy and the other end's user are those of every receiver, and are checked as theirs are.
  private func transport(_ broker: ByteConnectionAddress) throws -> ReceiverSetting {
    guard broker.isEncrypted || authorityFile == nil && clientCertificateFile == nil && clientKeyFile == nil else {
      throw MQTTSinkError(
        .encryption, "\(address) is without TLS, which has no certificates",
        hint: "give an mqtts address, or leave the certificate files out")
    }
    guard broker.isEncrypted || proxy == nil else {
      throw MQTTSinkError(
        .encryption, "a proxy would see password and readings of a connection without TLS",
        hint: "leave the proxy out for a broker on this machine")
    }
    var setting = ReceiverSetting(receiver: broker.isEncrypted ? "https://localhost" : "http://localhost")
    setting.authorityFile = authorityFile
    setting.clientCertificateFile = clientCertificateFile
    setting.clientKeyFile = clientKeyFile
    setting.proxy = proxy
    setting.receiverUser = receiverUser
    return try setting.checked()
  }

  /// The setting as connections take it.
  var connectionSettings: CurlTransport.Settings {
    var settings = CurlTransport.Settings()
    settings.authorityFile = authorityFile
    settings.clientCertificateFile = clientCertificateFile
    settings.clientKeyFile = clientKeyFile
    settings.proxy = proxy
    settings.receiverUser = receiverUser
    return settings
  }

  private static func check(
    _ text: String?, _ member: Member, _ isTaken: (String) -> Bool, _ form: String
  ) throws(MQTTSinkError) {
    guard let text, !isTaken(text) else { return }
    throw MQTTSinkError(.name, "\(member.rawValue) is none that a broker takes everywhere", hint: "it has \(form)")
  }

  private static func check(_ number: Int, _ member: Member, _ range: ClosedRange<Int>) throws(MQTTSinkError) {
    guard !range.contains(number) else { return }
    throw MQTTSinkError(
      .outOfRange, "\(member.rawValue): \(number) is not from \(range.lowerBound) to \(range.upperBound)",
      hint: "give a number in between")
  }

  static func isName(_ text: String) -> Bool { !text.isEmpty && text == TopicName(text, limit: 32).text }

  private static func isPrefix(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return (1...4).contains(parts.count) && parts.allSatisfy { isName(String($0)) }
  }

  private static func isClientID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && isName(text.lowercased().replacing("-", with: "_").prefix(32).description)
      && text.utf8.allSatisfy { TopicName.isPlain($0 | 0x20) || TopicName.isPlain($0) }
  }

  /// `gw-` and eight digits, the same at every call on this machine for this folder, and nothing that tells which machine it is.
  private static func gatewayName(stateFolder: String) -> String {
    let machine = (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? ProcessInfo.processInfo.hostName
    let digest = SHA256.hash(data: Data("meterhost gateway\0\(machine)\0\(stateFolder)".utf8))
    return "gw-" + Array(digest.prefix(4)).hexadecimal
  }
}
