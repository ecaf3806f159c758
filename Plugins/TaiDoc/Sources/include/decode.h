/* Frames of a TaiDoc meter outside a session, for tools and tests. */
#ifndef TAIDOC_DECODE_H
#define TAIDOC_DECODE_H

#include "reading.h"

namespace taidoc {

/* Characteristic 00001524-1212-efde-1523-785feabcd123, the only vendor characteristic in the registry. */
constexpr uint16_t decode_characteristic = 0x8000;

/* The driver's own metrics (registry.json). */
constexpr uint16_t metric_frame_command = MH_METRIC_VENDOR;
constexpr uint16_t metric_frame_direction = MH_METRIC_VENDOR + 1;
constexpr uint16_t metric_frame_payload = MH_METRIC_VENDOR + 2;

/* One characteristic value: the reply to 26 is a measurement without a time, the replies to 25 and 26 one behind the other a
 * measurement with its time, any other single frame a diagnostic record. MH_E_PROTOCOL: no frame, or a wrong sum. */
int32_t decode_value(const Meter &meter, mh_bytes bytes, mh_sink *sink);

} // namespace taidoc

#endif
