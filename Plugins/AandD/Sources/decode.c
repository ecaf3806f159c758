#include "decode.h"

#include "frame.h"

int32_t aandd_decode(uint16_t characteristic, mh_bytes bytes, int no_clock, mh_sink *sink) {
  switch (characteristic) {
    case AANDD_PRESSURE: return aandd_pressure(bytes, no_clock, sink);
    case AANDD_WEIGHT: return aandd_weight(bytes, 0, no_clock, sink);
    case AANDD_OWN_WEIGHT: return aandd_weight(bytes, 1, no_clock, sink);
    case AANDD_FRAME: return aandd_frame_decode(bytes, no_clock, sink);
    default: return MH_E_UNSUPPORTED;
  }
}
