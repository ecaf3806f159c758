/* A bundle without an entry of its own; linked against one that has it. */
#include <meterhost/driver.h>

MH_DRIVER_NOTE

static int filler(void) { return 1; }
int (*const mh_fixture_filler)(void) __attribute__((visibility("hidden"), used)) = filler;
