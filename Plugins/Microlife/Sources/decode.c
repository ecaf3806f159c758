#include "decode.h"

#include "frame.h"
#include "reading.h"

int32_t microlife_decode(uint16_t characteristic, mh_bytes bytes, int no_clock, mh_sink *sink) {
  if (characteristic != MICROLIFE_ANSWER) return MH_E_UNSUPPORTED;
  if (!microlife_is_frame(bytes)) return MH_E_PROTOCOL;
  if (bytes.p[4] != MICROLIFE_HISTORY) return MH_E_NO_VALUE;
  microlife_memory memory;
  if (microlife_memory_of(bytes, &memory) != MH_OK) return MH_E_PROTOCOL;
  for (uint32_t i = memory.count; i > 0; i--) {
    microlife_reading reading;
    if (microlife_reading_at(&memory, i - 1, no_clock, &reading)) return microlife_put(&reading, sink);
  }
  return MH_E_NO_VALUE;
}
