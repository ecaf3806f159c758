/* The name of draft/ocr.h in sources that do not say draft: it also leads to bluetooth.h, which they may count on. */
#include "bluetooth.h"
#include "draft/ocr.h"
