#include "linked_features.h"

/* The linker makes these two of every section whose name could be a C identifier; a program without the section has neither. */
extern const uint8_t __start_mh_features[] __attribute__((weak, visibility("hidden")));
extern const uint8_t __stop_mh_features[] __attribute__((weak, visibility("hidden")));

const uint8_t *mh_linked_features(size_t *count) {
  *count = (size_t)(__stop_mh_features - __start_mh_features);
  return __start_mh_features;
}
