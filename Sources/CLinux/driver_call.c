#include "driver_call.h"

static _Thread_local void *current;

void *clinux_current_call(void) { return current; }

void *clinux_exchange_call(void *context) {
  void *before = current;
  current = context;
  return before;
}
