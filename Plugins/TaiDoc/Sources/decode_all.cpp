/* Many values at once (rule R14). */
#include "decode.h"
#include "functions.h"

/* Pure: everything it needs is in its arguments (rule R14). */
int32_t taidoc_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                          uint64_t *n_done) {
  if (opening == nullptr || !MH_HAS(opening, params) || (slices == nullptr && n != 0) || sink == nullptr ||
      !MH_HAS(sink, ctx) || n_done == nullptr)
    return MH_E_ARG;
  taidoc::Meter meter = taidoc::meter_of(*opening);
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice &slice = slices[*n_done];
    uint64_t before = sink->n_records;
    if (static_cast<uint64_t>(slice.off) + slice.len > arena.n) return MH_E_ARG;
    if (slice.flags != 0 || slice.characteristic != taidoc::decode_characteristic) {
      slice.status = MH_E_UNSUPPORTED;
    } else {
      mh_bytes bytes = {arena.p == nullptr ? nullptr : arena.p + slice.off, slice.len};
      int32_t status = taidoc::decode_value(meter, bytes, sink);
      if (status == MH_E_FULL) return MH_E_FULL;
      slice.status = status;
    }
    slice.first_record = static_cast<uint32_t>(before);
    slice.n_records = static_cast<uint32_t>(sink->n_records - before);
  }
  return MH_OK;
}
