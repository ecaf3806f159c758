/* Which parts of the host are in this program. */
#ifndef CLINUX_LINKED_FEATURES_H
#define CLINUX_LINKED_FEATURES_H

#include <stddef.h>
#include <stdint.h>

/* What modules have put into the section mh_features, a byte each: the linker lays the bytes of all modules of a program beside each
 * other, so that a module is named by being linked, and nothing has to run for it. `count` is 0 where there are none. */
const uint8_t *mh_linked_features(size_t *count);

#endif
