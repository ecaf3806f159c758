extension BluetoothError {
  /// Nothing is read passively, as nobody could say whose the readings are.
  public static var noSessionUser: BluetoothError {
    BluetoothError(
      .noUser, "there is no session: meters are not read passively until one begins (`meterhost session start --help`)")
  }
}
