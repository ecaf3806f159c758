/// `HostFeature.health`, in every program that this module is linked into.
@section("mh_features") @used private let healthFeature: UInt8 = 4
