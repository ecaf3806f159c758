/// In which of two forms metrics are written.
package enum MetricsForm: Sendable, Hashable, CaseIterable {
  /// OpenMetrics 1.0 (github.com/prometheus/OpenMetrics, specification/OpenMetrics.md).
  case openMetrics
  /// The text form of Prometheus, 0.0.4, for what understands no other.
  case plain

  /// The form's media type, as an answer names it.
  package var mediaType: String {
    switch self {
    case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    case .plain: "text/plain; version=0.0.4; charset=utf-8"
    }
  }

  /// The form that a client wants by the `Accept` field of its request (RFC 9110, section 12.5.1); OpenMetrics where it wants both as much.
  /// Who names neither gets the plain form.
  package init(accept: String?) {
    var best: (form: MetricsForm, quality: Double)?
    for range in (accept ?? "").split(separator: ",") {
      let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
      guard let form = Self.form(parts) else { continue }
      let quality = parts.first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      guard quality > 0 else { continue }
      let isBetter = best.map { quality > $0.quality || quality == $0.quality && form == .openMetrics } ?? true
      if isBetter { best = (form, quality) }
    }
    self = best?.form ?? .plain
  }

  /// - Parameter parts: Type and parameters of a media range.
  private static func form(_ parts: [String]) -> MetricsForm? {
    let version = parts.first { $0.hasPrefix("version=") }.map { $0.dropFirst("version=".count).filter { $0 != "\"" } }
    switch parts.first {
    case "application/openmetrics-text": return version == nil || version == "1.0.0" ? .openMetrics : nil
    case "text/plain", "text/*", "*/*": return version == nil || version == "0.0.4" ? .plain : nil
    default: return nil
    }
  }

  /// The families as text.
  package func text(_ families: [MetricFamily]) -> String {
    families.map { lines(of: $0) }.joined() + (self == .openMetrics ? "# EOF\n" : "")
  }

  private func lines(of family: MetricFamily) -> String {
    guard !family.samples.isEmpty else { return "" }
    let kind = family.type.known ?? .gauge
    var lines = ["# TYPE \(name(family, kind)) \(word(kind))"]
    if self == .openMetrics, let unit = family.unit { lines.append("# UNIT \(family.name) \(unit)") }
    lines.append("# HELP \(name(family, kind)) \(help(family.help))")
    lines += family.samples.map(line)
    return lines.map { $0 + "\n" }.joined()
  }

  /// In the plain form the name of a family is that of its samples, and there is no kind for labels alone.
  private func name(_ family: MetricFamily, _ kind: MetricFamily.Kind) -> String {
    switch (self, kind) {
    case (.plain, .counter): family.name + "_total"
    case (.plain, .info): family.name + "_info"
    default: family.name
    }
  }

  private func word(_ kind: MetricFamily.Kind) -> String {
    self == .plain && kind == .info ? MetricFamily.Kind.gauge.rawValue : kind.rawValue
  }

  private func help(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    return self == .openMetrics ? escaped.replacing("\"", with: "\\\"") : escaped
  }

  private func line(_ sample: MetricSample) -> String {
    // The bound of a bucket at the end, as everybody writes it.
    let labels = sample.labels.sorted { ($0.key == "le" ? 1 : 0, $0.key) < ($1.key == "le" ? 1 : 0, $1.key) }
      .map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
    let set = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
    return "\(sample.name)\(set) \(Self.number(sample.value))"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\"", with: "\\\"")
  }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    guard value == value.rounded(), abs(value) < 1e15 else { return "\(value)" }
    return "\(Int64(value))"
  }
}
