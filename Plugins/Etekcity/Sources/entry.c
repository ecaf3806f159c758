/* The bundle's tables and its one exported function. */
#include <meterhost/driver.h>

#include "functions.h"
#include "session.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static const mh_bluetooth bluetooth = {
    .struct_size = sizeof(mh_bluetooth),
    .open = etekcity_open,
    .event = etekcity_event,
    .close = etekcity_close,
    .decode = etekcity_decode_all,
};

static const mh_driver driver = {
    .struct_size = sizeof(mh_driver),
    .abi_major = MH_ABI_MAJOR,
    .abi_minor = MH_ABI_MINOR,
    .layout_hash = MH_LAYOUT_HASH,
    .capabilities = MH_CAP_CONNECT | MH_CAP_ADVERTISEMENT_ONLY | MH_CAP_DECODE,
    .id = TEXT("org.meterhost.etekcity"),
    .version = TEXT("0.1.0"),
    .vendor = TEXT("MeterHost"),
    .bluetooth = &bluetooth,
    .functions = etekcity_functions,
    .n_functions = ETEKCITY_FUNCTIONS,
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
