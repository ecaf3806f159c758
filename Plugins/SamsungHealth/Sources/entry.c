/* The bundle's one exported function. */
#include <meterhost/draft/entry.h>

#include "include/samsung.h"

MH_EXTENSION_DRIVER("org.meterhost.samsung-health", "0.1.0", "MeterHost", MH_EXT_IMPORT_DRAFT, samsung_health);
