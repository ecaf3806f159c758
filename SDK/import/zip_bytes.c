/* The bytes of the source that the parts of the zip reader look at: those that were pulled, or what to pull next. */
#include "zip_parts.h"

#include <string.h>

int zip_need(mh_zip *zip, uint64_t at, uint32_t least, uint32_t most, const uint8_t **p, uint32_t *n) {
  if (at > zip->size) at = zip->size;
  if (zip->size == MH_TALK_SIZE_UNKNOWN && at > zip->at + zip->n) {
    // Where the source ends is not known: what lies between is passed over, not jumped over.
    zip->at += zip->n;
    zip->n = 0;
    zip->pull_at = zip->at;
    zip->pull_n = at - zip->at < ZIP_BUFFER ? at - zip->at : ZIP_BUFFER;
    return 0;
  }
  if (at < zip->at || at > zip->at + zip->n) {
    zip->at = at;
    zip->n = 0;
  }
  const uint32_t skipped = (uint32_t)(at - zip->at);
  uint32_t have = zip->n - skipped;
  if (have < least && zip->at + zip->n < zip->size) {
    memmove(zip->buffer, zip->buffer + skipped, have);
    zip->at = at;
    zip->n = have;
    zip->pull_at = at + have;
    zip->pull_n = most - have;
    const uint64_t left = zip->size - zip->pull_at;
    if (zip->pull_n > left) zip->pull_n = left;
    return 0;
  }
  *p = zip->buffer + skipped;
  *n = have;
  return 1;
}

enum mh_zip_step zip_fail(mh_zip *zip, enum mh_zip_failure failure) {
  zip->failure = failure;
  zip->phase = ZIP_AT_FAILURE;
  return MH_ZIP_FAILED;
}
