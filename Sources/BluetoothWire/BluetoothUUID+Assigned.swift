/// Assigned numbers of the Bluetooth SIG that health meters use (Assigned Numbers 3.4, 3.7 and 3.8).
extension BluetoothUUID {
  /// Service 1800, Generic Access.
  public static let genericAccess: BluetoothUUID = 0x1800
  /// Service 1801, Generic Attribute.
  public static let genericAttribute: BluetoothUUID = 0x1801
  /// Service 1805, Current Time.
  public static let currentTimeService: BluetoothUUID = 0x1805
  /// Service 1808, Glucose.
  public static let glucose: BluetoothUUID = 0x1808
  /// Service 1809, Health Thermometer.
  public static let healthThermometer: BluetoothUUID = 0x1809
  /// Service 180A, Device Information.
  public static let deviceInformation: BluetoothUUID = 0x180A
  /// Service 180F, Battery.
  public static let battery: BluetoothUUID = 0x180F
  /// Service 181B, Body Composition.
  public static let bodyComposition: BluetoothUUID = 0x181B
  /// Service 181C, User Data.
  public static let userData: BluetoothUUID = 0x181C
  /// Service 181D, Weight Scale.
  public static let weightScale: BluetoothUUID = 0x181D

  /// Attribute type 2800, Primary Service.
  public static let primaryService: BluetoothUUID = 0x2800
  /// Attribute type 2801, Secondary Service.
  public static let secondaryService: BluetoothUUID = 0x2801
  /// Attribute type 2802, Include.
  public static let include: BluetoothUUID = 0x2802
  /// Attribute type 2803, Characteristic.
  public static let characteristic: BluetoothUUID = 0x2803
  /// Descriptor 2900, Characteristic Extended Properties.
  public static let extendedProperties: BluetoothUUID = 0x2900
  /// Descriptor 2901, Characteristic User Description.
  public static let userDescription: BluetoothUUID = 0x2901
  /// Descriptor 2902, Client Characteristic Configuration (CCCD).
  public static let clientCharacteristicConfiguration: BluetoothUUID = 0x2902

  /// Characteristic 2A00, Device Name.
  public static let deviceName: BluetoothUUID = 0x2A00
  /// Characteristic 2A01, Appearance.
  public static let appearance: BluetoothUUID = 0x2A01
  /// Characteristic 2A05, Service Changed.
  public static let serviceChanged: BluetoothUUID = 0x2A05
  /// Characteristic 2A08, Date Time.
  public static let dateTime: BluetoothUUID = 0x2A08
  /// Characteristic 2A18, Glucose Measurement.
  public static let glucoseMeasurement: BluetoothUUID = 0x2A18
  /// Characteristic 2A19, Battery Level.
  public static let batteryLevel: BluetoothUUID = 0x2A19
  /// Characteristic 2A1C, Temperature Measurement.
  public static let temperatureMeasurement: BluetoothUUID = 0x2A1C
  /// Characteristic 2A1D, Temperature Type.
  public static let temperatureType: BluetoothUUID = 0x2A1D
  /// Characteristic 2A1E, Intermediate Temperature.
  public static let intermediateTemperature: BluetoothUUID = 0x2A1E
  /// Characteristic 2A21, Measurement Interval.
  public static let measurementInterval: BluetoothUUID = 0x2A21
  /// Characteristic 2A23, System ID.
  public static let systemID: BluetoothUUID = 0x2A23
  /// Characteristic 2A24, Model Number String.
  public static let modelNumber: BluetoothUUID = 0x2A24
  /// Characteristic 2A25, Serial Number String.
  public static let serialNumber: BluetoothUUID = 0x2A25
  /// Characteristic 2A26, Firmware Revision String.
  public static let firmwareRevision: BluetoothUUID = 0x2A26
  /// Characteristic 2A27, Hardware Revision String.
  public static let hardwareRevision: BluetoothUUID = 0x2A27
  /// Characteristic 2A28, Software Revision String.
  public static let softwareRevision: BluetoothUUID = 0x2A28
  /// Characteristic 2A29, Manufacturer Name String.
  public static let manufacturerName: BluetoothUUID = 0x2A29
  /// Characteristic 2A2B, Current Time.
  public static let currentTime: BluetoothUUID = 0x2A2B
  /// Characteristic 2A34, Glucose Measurement Context.
  public static let glucoseMeasurementContext: BluetoothUUID = 0x2A34
  /// Characteristic 2A51, Glucose Feature.
  public static let glucoseFeature: BluetoothUUID = 0x2A51
  /// Characteristic 2A52, Record Access Control Point (RACP).
  public static let recordAccessControlPoint: BluetoothUUID = 0x2A52
  /// Characteristic 2A9C, Body Composition Measurement.
  public static let bodyCompositionMeasurement: BluetoothUUID = 0x2A9C
  /// Characteristic 2A9D, Weight Measurement.
  public static let weightMeasurement: BluetoothUUID = 0x2A9D
  /// Characteristic 2A9F, User Control Point (UCP).
  public static let userControlPoint: BluetoothUUID = 0x2A9F
  /// Characteristic 2B2A, Database Hash.
  public static let databaseHash: BluetoothUUID = 0x2B2A
}
