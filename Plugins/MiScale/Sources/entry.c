/* The bundle's tables and its one exported function. */
#include <meterhost/driver.h>

#include "functions.h"
#include "packet.h"
#include "session.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static int32_t decode_one(const mh_slice *slice, mh_bytes bytes, mh_sink *sink) {
  if (slice->flags != MH_SLICE_SERVICE_DATA) return MH_E_UNSUPPORTED;
  mi_packet packet;
  int32_t status = mi_packet_read(slice->characteristic, bytes, &packet);
  return status == MH_OK ? mi_packet_emit(&packet, sink) : status;
}

/* Pure: everything it needs is in its arguments (rule R14). */
int32_t mi_scale_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                            uint64_t *n_done) {
  if (opening == NULL || !MH_HAS(opening, params) || (slices == NULL && n != 0) || sink == NULL ||
      !MH_HAS(sink, ctx) || n_done == NULL)
    return MH_E_ARG;
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t before = sink->n_records;
    if ((uint64_t)slice->off + slice->len > arena.n) return MH_E_ARG;
    mh_bytes bytes = {arena.p == NULL ? NULL : arena.p + slice->off, slice->len};
    int32_t status = decode_one(slice, bytes, sink);
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
  }
  return MH_OK;
}

static const mh_bluetooth bluetooth = {
    .struct_size = sizeof(mh_bluetooth),
    .open = mi_scale_open,
    .event = mi_scale_event,
    .close = mi_scale_close,
    .decode = mi_scale_decode_all,
};

static const mh_driver driver = {
    .struct_size = sizeof(mh_driver),
    .abi_major = MH_ABI_MAJOR,
    .abi_minor = MH_ABI_MINOR,
    .layout_hash = MH_LAYOUT_HASH,
    .capabilities = MH_CAP_ADVERTISEMENT_ONLY | MH_CAP_DECODE,
    .id = TEXT("org.meterhost.mi-scale"),
    .version = TEXT("0.1.0"),
    .vendor = TEXT("MeterHost"),
    .bluetooth = &bluetooth,
    .functions = mi_scale_functions,
    .n_functions = MI_SCALE_FUNCTIONS,
};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  if (host == NULL || out == NULL) return MH_E_ARG;
  if (!mh_host_fits(host)) {
    if (why_not != NULL) *why_not = mh_refusal();
    return MH_REFUSED;
  }
  if (index != 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
