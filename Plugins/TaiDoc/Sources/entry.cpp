/* The bundle's tables and its one exported function. */
#include <meterhost/driver.h>

#include "functions.h"
#include "session.h"

/* Aggregates of constants: the linker fills them in, nothing runs when the bundle is loaded. */
static const mh_bluetooth bluetooth = {
    sizeof(mh_bluetooth), 0, taidoc_open, taidoc_event, taidoc_close, taidoc_decode_all,
};

static const mh_driver driver = {
    sizeof(mh_driver),
    MH_ABI_MAJOR,
    MH_ABI_MINOR,
    MH_LAYOUT_HASH,
    MH_CAP_CONNECT | MH_CAP_DECODE,
    {"org.meterhost.taidoc", sizeof("org.meterhost.taidoc") - 1},
    {"0.1.0", sizeof("0.1.0") - 1},
    {"MeterHost", sizeof("MeterHost") - 1},
    &bluetooth,
    taidoc::functions,
    taidoc::function_count,
    nullptr,
};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  if (host == nullptr || out == nullptr) return MH_E_ARG;
  if (mh_host_fits(host) == 0) {
    if (why_not != nullptr) *why_not = mh_refusal();
    return MH_REFUSED;
  }
  if (index != 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
