/* The bundle's one exported function. */
#include <meterhost/draft/entry.h>

#include "include/connect.h"

MH_EXTENSION_DRIVER("org.meterhost.health-connect", "0.1.0", "MeterHost", MH_EXT_IMPORT_DRAFT, health_connect);
