/* The bundle's one exported function. */
#include <meterhost/draft/entry.h>

#include "include/apple.h"

MH_EXTENSION_DRIVER("org.meterhost.apple-health", "0.1.0", "MeterHost", MH_EXT_IMPORT_DRAFT, apple_import);
