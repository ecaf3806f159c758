#define _GNU_SOURCE
#include "clock.h"

#include <sys/timex.h>

int mh_clock_is_disciplined(void) {
  struct timex state = {0};
  return adjtimex(&state) != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}
