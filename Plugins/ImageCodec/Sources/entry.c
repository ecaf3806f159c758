/* The bundle's one exported function. */
#include <meterhost/draft/entry.h>

#include "include/codec.h"

MH_EXTENSION_DRIVER("org.meterhost.image-codec", "1.0.0", "MeterHost", MH_EXT_IMAGE_DRAFT, image_codec);
