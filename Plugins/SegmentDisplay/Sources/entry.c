/* The bundle's tables and its one exported function. */
#include <meterhost/draft/ocr.h>
#include <meterhost/driver.h>

#include "functions.h"
#include "interpret.h"
#include "meters.h"
#include "recognize.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

/* The table that the host lends for the process; load asks it for the weights. */
static const mh_host *loaded_by;

static int32_t load(void) {
  static const mh_str name = TEXT("weights.mhsw");
  mh_bytes weights = {NULL, 0};
  if (loaded_by == NULL || loaded_by->asset == NULL) return MH_E_NOT_FOUND;
  int32_t status = loaded_by->asset(loaded_by->ctx, name, &weights);
  return status == MH_OK ? display_take_weights(weights) : status;
}

static const mh_ocr ocr = {
    .struct_size = sizeof(mh_ocr),
    .load = load,
    .layout = display_layout,
    .recognize = display_recognize,
    .interpret = display_interpret,
};

static const void *extension(const char *id) {
  return id != NULL && __builtin_strcmp(id, MH_EXT_OCR_DRAFT) == 0 ? &ocr : NULL;
}

static const mh_driver driver = {
    .struct_size = sizeof(mh_driver),
    .abi_major = MH_ABI_MAJOR,
    .abi_minor = MH_ABI_MINOR,
    .layout_hash = MH_LAYOUT_HASH,
    .id = TEXT("org.meterhost.segment-display"),
    .version = TEXT("0.1.0"),
    .vendor = TEXT("MeterHost"),
    .functions = display_functions,
    .n_functions = DISPLAY_FUNCTIONS,
    .extension = extension,
};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  if (host == NULL || out == NULL) return MH_E_ARG;
  if (!mh_host_fits(host)) {
    if (why_not != NULL) *why_not = mh_refusal();
    return MH_REFUSED;
  }
  if (index != 0) return MH_END;
  loaded_by = host;
  *out = &driver;
  return MH_OK;
}
