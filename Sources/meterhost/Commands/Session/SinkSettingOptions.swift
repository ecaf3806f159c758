import ArgumentParser
import Foundation
import GatewayAPI

/// A kind of receiver and its setting, as people type them.
struct SinkSettingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The kind of the receiver: `meterhost sink kinds` lists them.", valueName: "kind"))
  var kind = "inform"
  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp("A member of its setting, as often as needed.", valueName: "name=value"))
  var members: [String] = []

  /// What is known of the kind.
  func description(_ locations: LocationOptions) async throws -> SinkKindDescription {
    let kinds = try await locations.perform(SinkKindsRequest())
    guard let found = kinds.first(where: { $0.kind == kind }) else {
      throw GatewayError(
        .usage, code: "unknown_sink_kind", "there is no kind of receiver \(kind.prefix(40))",
        hint: "there are: " + kinds.map(\.kind).joined(separator: ", "))
    }
    return found
  }

  /// The setting as the control socket takes it.
  ///
  /// - Parameter others: Members that other options have given, as `--set` takes them.
  /// - Throws: ``GatewayError`` with code `sink_setting`.
  func values(
    of kind: SinkKindDescription, and others: [String] = []
  ) throws(GatewayError) -> [String: SettingValue] {
    var values: [String: SettingValue] = [:]
    for member in members + others {
      let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw Self.refusal("--set \(member.prefix(60)) has no form NAME=VALUE", kind)
      }
      guard let known = kind.members.first(where: { $0.name == parts[0] }) else {
        throw Self.refusal("the kind \(kind.kind) has no member \(parts[0].prefix(40))", kind)
      }
      guard values[known.name] == nil else { throw Self.refusal("--set \(known.name) is there twice", kind) }
      values[known.name] = try Self.value(parts[1], known, kind)
    }
    if let missing = kind.members.first(where: { $0.required && values[$0.name] == nil }) {
      throw Self.refusal("a receiver of the kind \(kind.kind) needs \(missing.name): \(missing.help)", kind)
    }
    return values
  }

  private static func value(
    _ text: String, _ member: SinkKindDescription.Member, _ kind: SinkKindDescription
  ) throws(GatewayError) -> SettingValue {
    switch member.form {
    // The file from the root: whoever owns the state folder works elsewhere.
    case "path": return .text(URL(fileURLWithPath: text).standardizedFileURL.path)
    case "number":
      if let integer = Int64(text) { return .integer(integer) }
      guard let number = Double(text), number.isFinite else {
        throw refusal("\(member.name) is a number, and \(text.prefix(40)) is none", kind)
      }
      return .number(number)
    default:
      if let words = member.words, !words.contains(text) {
        throw refusal("\(member.name) is one of \(words.joined(separator: ", ")), not \(text.prefix(40))", kind)
      }
      return .text(text)
    }
  }

  private static func refusal(_ message: String, _ kind: SinkKindDescription) -> GatewayError {
    GatewayError(
      .usage, code: "sink_setting", message,
      hint: "`meterhost sink kinds` shows what a setting of the kind \(kind.kind) says")
  }
}
