/* Linked into every bundle that is not written in C itself: the ELF note that names the contract's version (R20). */
#include "CMeterDriverNote.h"

#include <meterhost/driver.h>
#include <pthread.h>

MH_DRIVER_NOTE

void mh_swift_once(void (*body)(void)) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, body);
}
