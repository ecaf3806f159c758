/* The name of draft/resume.h in sources that do not say draft. */
#include "draft/resume.h"
