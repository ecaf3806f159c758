/* The bundle's tables and its one exported function. */
#include "include/apple.h"

#include <string.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static const void *extension(const char *id) {
  return id != NULL && strcmp(id, MH_EXT_IMPORT_DRAFT) == 0 ? &apple_import : NULL;
}

static const mh_driver driver = {
    .struct_size = sizeof(mh_driver),
    .abi_major = MH_ABI_MAJOR,
    .abi_minor = MH_ABI_MINOR,
    .layout_hash = MH_LAYOUT_HASH,
    .id = TEXT("org.meterhost.apple-health"),
    .version = TEXT("0.1.0"),
    .vendor = TEXT("MeterHost"),
    .extension = extension,
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
