package import GatewayAPI
package import MeterDrivers

extension FunctionDescription {
  /// Describes a function of the registry.
  package init(_ function: DriverEntry.Function) {
    self.init(
      name: function.name, signature: function.signature.description, summary: function.summary,
      arguments: function.arguments.map { Value($0, form: $0.form) }, outputs: function.outputs.map { Value($0) })
  }
}

extension FunctionDescription.Value {
  fileprivate init(_ value: DriverEntry.Function.Value, form: String? = nil) {
    self.init(name: value.name, type: value.kind.rawValue, summary: value.summary, unit: value.unit, form: form)
  }
}
