/* The bundle's tables and its one exported function. */
#include <meterhost/driver.h>

#include "measurement.h"
#include "session.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

/* The note that names the contract's version; without it the host refuses the bundle (rule R20). */
MH_DRIVER_NOTE

static int32_t decode_one(const mh_slice *slice, mh_bytes bytes, mh_sink *sink) {
  /* A flag says that the bytes are something else than this characteristic's value. */
  if (slice->flags != 0 || slice->characteristic != GLUCOSE_MEASUREMENT) return MH_E_UNSUPPORTED;
  measurement reading;
  int32_t status = measurement_read(bytes, &reading);
  return status == MH_OK ? measurement_put(&reading, sink) : status;
}

/* Pure: everything it needs is in its arguments (rule R14). */
static int32_t decode(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                      uint64_t *n_done) {
  if (opening == NULL || (slices == NULL && n != 0) || sink == NULL || !MH_HAS(sink, ctx) || n_done == NULL)
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

static const mh_bluetooth bluetooth = {.struct_size = sizeof(mh_bluetooth),
                                       .open = session_open,
                                       .event = session_event,
                                       .close = session_close,
                                       .decode = decode};

/* id, version and vendor must agree with fragment.json. */
static const mh_driver driver = {.struct_size = sizeof(mh_driver),
                                 .abi_major = MH_ABI_MAJOR,
                                 .abi_minor = MH_ABI_MINOR,
                                 .layout_hash = MH_LAYOUT_HASH,
                                 .capabilities = MH_CAP_CONNECT | MH_CAP_DECODE,
                                 .id = TEXT("org.example.template-meter"),
                                 .version = TEXT("0.1.0"),
                                 .vendor = TEXT("Template Vendor"),
                                 .bluetooth = &bluetooth};

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
