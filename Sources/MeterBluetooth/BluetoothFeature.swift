/// `HostFeature.bluetooth`, in every program that this module is linked into.
@section("mh_features") @used private let bluetoothFeature: UInt8 = 2
