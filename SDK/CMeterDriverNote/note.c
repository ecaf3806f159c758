/* Linked into every bundle that is not written in C itself: the ELF note that names the contract's version (R20). */
#include <meterhost/driver.h>

MH_DRIVER_NOTE
