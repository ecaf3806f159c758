/// `HostFeature.ocr`, in every program that this module is linked into.
@section("mh_features") @used private let ocrFeature: UInt8 = 3
