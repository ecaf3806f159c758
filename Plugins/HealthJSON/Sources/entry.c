/* The bundle's one exported function. */
#include <meterhost/draft/entry.h>

#include "include/health_json.h"

MH_EXTENSION_DRIVER("org.meterhost.health-json", "0.1.0", "MeterHost", MH_EXT_IMPORT_DRAFT, health_json);
