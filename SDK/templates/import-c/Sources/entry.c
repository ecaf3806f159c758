/* The bundle's tables and its one exported function. */
#include <meterhost/draft/import.h>
#include <meterhost/driver.h>
#include <string.h>

#include "reader.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

/* The note that names the contract's version; without it the host refuses the bundle (rule R20). */
MH_DRIVER_NOTE

static const mh_import import = {
    .struct_size = sizeof(mh_import), .open = reader_open, .event = reader_event, .close = reader_close};

/* The draft is part of the id: a host that has another form of it does not ask for this one (rule R5). */
static const void *extension(const char *id) {
  return id != NULL && strcmp(id, MH_EXT_IMPORT_DRAFT) == 0 ? &import : NULL;
}

/* id, version and vendor must agree with fragment.json. It reads no meter, and so has no capability. */
static const mh_driver driver = {.struct_size = sizeof(mh_driver),
                                 .abi_major = MH_ABI_MAJOR,
                                 .abi_minor = MH_ABI_MINOR,
                                 .layout_hash = MH_LAYOUT_HASH,
                                 .id = TEXT("org.example.template-export"),
                                 .version = TEXT("0.1.0"),
                                 .vendor = TEXT("Template Vendor"),
                                 .extension = extension};

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
