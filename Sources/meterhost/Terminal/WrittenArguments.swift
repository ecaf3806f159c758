public import ArgumentParser
public import MeterCore
import MeterDrivers
public import GatewayAPI

extension WrittenValue: ExpressibleByArgument {
  /// `METRIC=NUMBER` or `'METRIC=NUMBER UNIT'`.
  public init?(argument: String) { self.init(argument) }
}

extension MomentText: ExpressibleByArgument {
  /// `2026-03-01`, `2026-03-01T08:00Z` ...
  public init?(argument: String) { self.init(argument) }
}

extension PublisherKey: ExpressibleByArgument {
  /// 64 hexadecimal digits.
  public init?(argument: String) { self.init(hexadecimal: argument) }
}

extension SemanticVersion: ExpressibleByArgument {
  /// `1.2.3`.
  public init?(argument: String) { self.init(argument) }
}
