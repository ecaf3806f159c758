/* The name of draft/image.h in sources that do not say draft. */
#include "draft/image.h"
