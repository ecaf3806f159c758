import GatewayAPI
import HostPrimitives
import StrictJSON
import StrictTOML

/// Reads the text of a configuration file, and finds all that is wrong in it.
package struct ConfigurationReader {
  private let file: String
  private var values: [ConfigurationKey: HostConfiguration.Placed] = [:]
  private var problems: [HostConfiguration.Problem] = []

  private init(file: String) { self.file = file }

  /// What a text says, and what is wrong in it. A mistake of the grammar hides what comes behind it.
  ///
  /// - Parameter file: Its name, for messages.
  package static func read(
    _ bytes: [UInt8], file: String
  ) -> (configuration: HostConfiguration, problems: [HostConfiguration.Problem]) {
    let document: TOMLDocument
    do { document = try TOMLDocument(bytes) } catch {
      return (HostConfiguration(), [problem(error, in: bytes)])
    }
    var reader = ConfigurationReader(file: file)
    for table in document.tables { reader.check(table) }
    for entry in document.entries { reader.take(entry) }
    if let adapters = reader.values[.radioAdapters], reader.values[.radioAir] != nil {
      reader.problems.append(
        .init(
          "radio.adapters are radios of this machine, radio.air is a virtual one", at: adapters.position,
          hint: "leave one of them"))
    }
    return (HostConfiguration(file: file, values: reader.values), reader.problems.sorted { place($0) < place($1) })
  }

  /// What is wrong with the grammar, which quotes the text: not where that is a secret that stands there without quotes.
  private static func problem(_ error: TOMLSyntaxError, in bytes: [UInt8]) -> HostConfiguration.Problem {
    let line = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropFirst(error.position.line - 1).first
    let told = HostConfiguration.Problem(error.problem, at: error.position, hint: error.cure)
    guard let line, let end = line.firstIndex(of: UInt8(ascii: "=")) else { return told }
    let name = String(decoding: line[..<end].filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self)
    return isSecret(name) ? secret(name, at: error.position) : told
  }

  private static func secret(_ name: String, at position: TextPosition) -> HostConfiguration.Problem {
    .init(
      "\(shown(name)) looks like a secret, and a configuration holds none", at: position,
      hint: "put it into a file that only the host's user can read, and remove it here", isAboutSecret: true)
  }

  private static func place(_ problem: HostConfiguration.Problem) -> (Int, Int) {
    (problem.position?.line ?? 0, problem.position?.column ?? 0)
  }

  private mutating func check(_ table: TOMLDocument.Table) {
    guard !ConfigurationKey.tables.contains(table.name) else { return }
    let guess = nearest(to: table.name, among: ConfigurationKey.tables.sorted())
    problems.append(
      .init(
        "there is no table [\(shown(table.name))]", at: table.position,
        hint: guess.map { "did you mean [\($0)]?" }
          ?? "the tables are \(ConfigurationKey.tables.sorted().map { "[\($0)]" }.joined(separator: ", "))"))
  }

  private mutating func take(_ entry: TOMLDocument.Entry) {
    guard let key = ConfigurationKey(rawValue: entry.name) else {
      if let problem = unknown(entry) { problems.append(problem) }
      return
    }
    do throws(HostConfiguration.Problem) {
      values[key] = .init(value: try Self.value(entry.value, of: key), position: entry.value.position)
    } catch {
      problems.append(error)
    }
  }

  /// Nil where its table is unknown, which is told once.
  private func unknown(_ entry: TOMLDocument.Entry) -> HostConfiguration.Problem? {
    let (table, name) = (Array(entry.path.dropLast()), entry.path.last ?? "")
    if Self.isSecret(name) { return Self.secret(name, at: entry.position) }
    guard table.isEmpty || ConfigurationKey.tables.contains(table.joined(separator: ".")) else { return nil }
    if let elsewhere = ConfigurationKey.allCases.first(where: {
      $0.rawValue.split(separator: ".").last.map(String.init) == name
    }) {
      let place = elsewhere.rawValue.split(separator: ".").dropLast().joined(separator: ".")
      return .init(
        "there is no key \(shown(entry.name))", at: entry.position,
        hint: place.isEmpty ? "\(name) stands before the first table" : "\(name) stands under [\(place)]")
    }
    let known = ConfigurationKey.names(in: table)
    let guess = nearest(to: name, among: known)
    return .init(
      "there is no key \(shown(entry.name))", at: entry.position,
      hint: guess.map { "did you mean \($0)?" } ?? "the keys here are \(known.joined(separator: ", "))")
  }

  /// Whether a name speaks of a value that nobody else may know; names of files that hold one are no secret.
  static func isSecret(_ name: String) -> Bool {
    let name = name.lowercased()
    guard !name.hasSuffix("_file") else { return false }
    return ["token", "password", "passphrase", "secret", "passkey", "credential", "private_key", "api_key"].contains {
      name.contains($0)
    }
  }

  private static func value(
    _ value: TOMLValue, of key: ConfigurationKey
  ) throws(HostConfiguration.Problem) -> HostConfiguration.Value {
    switch (key.form, value.content) {
    case (.path, .string(let text)):
      guard text.hasPrefix("/"), text.utf8.count <= 4096, !text.unicodeScalars.contains("\u{0}") else {
        throw .init(
          "\(key.rawValue) is no path from the root: \(shown(text))", at: value.position,
          hint: "begin it with /; ~ and variables mean nothing here")
      }
      return .text(text)
    case (.flag, .boolean(let flag)): return .flag(flag)
    case (.logLevels, .string(let text)):
      do throws(GatewayError) { _ = try LogEnvironment.settings(text) } catch {
        throw .init(
          "log is no level and no list like bluetooth=debug,core=info: \(shown(text))", at: value.position,
          hint: error.hint)
      }
      return .text(text)
    case (.words(let length, let count), .array(let values)):
      guard values.count <= count else {
        throw .init("\(key.rawValue) has \(values.count) values", at: value.position, hint: "name at most \(count)")
      }
      return .texts(try words(values, of: key, length: length))
    case (.metricsAddress, .string(let text)):
      guard MetricsAddress(text) != nil else {
        let error = GatewayError.metricsAddress(text)
        throw .init(error.message, at: value.position, hint: error.hint)
      }
      return .text(text)
    case (.consoleAddress, .string(let text)):
      // Whether others may reach it is judged with the proxy, when the host starts.
      guard ConsoleAddress(text) != nil else {
        let error = GatewayError.consoleAddress(text)
        throw .init(error.message, at: value.position, hint: error.hint)
      }
      return .text(text)
    case (.proxyOrigin, .string(let text)):
      do throws(GatewayError) {
        _ = try ConsoleSettings(address: ConsoleAddress.standard, behindProxy: text)
      } catch {
        throw .init(error.message, at: value.position, hint: error.hint)
      }
      return .text(text)
    case (.consoleAddress, _), (.proxyOrigin, _): throw wrongKind(value, key, "a string in quotes")
    case (.metricsAddress, _): throw wrongKind(value, key, "a port or an address and a port in quotes, as \"9464\"")
    case (.path, _), (.logLevels, _): throw wrongKind(value, key, "a string in quotes")
    case (.flag, _): throw wrongKind(value, key, "true or false")
    case (.words, _): throw wrongKind(value, key, "an array of strings, as [\"hci0\"]")
    }
  }

  private static func words(
    _ values: [TOMLValue], of key: ConfigurationKey, length: Int
  ) throws(HostConfiguration.Problem) -> [String] {
    var words: [String] = []
    for value in values {
      guard case .string(let word) = value.content else { throw wrongKind(value, key, "an array of strings") }
      guard !word.isEmpty, word.utf8.count <= length, word.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
        throw .init(
          "\(key.rawValue) takes words of at most \(length) characters, not \(shown(word))", at: value.position,
          hint: nil)
      }
      words.append(word)
    }
    return words
  }

  private static func wrongKind(
    _ value: TOMLValue, _ key: ConfigurationKey, _ wanted: String
  ) -> HostConfiguration.Problem {
    .init("\(key.rawValue) is \(value.kindName)", at: value.position, hint: "it takes \(wanted)")
  }
}
