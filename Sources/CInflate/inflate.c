#include "cinflate.h"

#include <stdlib.h>
#include <zlib.h>

/* 16 on top of the window: only gzip, no zlib header, no guessing (zlib.h, inflateInit2). */
#define GZIP_ONLY (16 + MAX_WBITS)

struct cinflate {
  z_stream stream;
  int has_ended;
};

cinflate *cinflate_new(void) {
  cinflate *self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  if (inflateInit2(&self->stream, GZIP_ONLY) == Z_OK) return self;
  free(self);
  return NULL;
}

void cinflate_free(cinflate *self) {
  if (self == NULL) return;
  inflateEnd(&self->stream);
  free(self);
}

int32_t cinflate_step(cinflate *self, const uint8_t *input, size_t length, uint8_t *out, size_t room, size_t *used,
                      size_t *made) {
  *used = *made = 0;
  if (length > UINT32_MAX || room > UINT32_MAX) return CINFLATE_BROKEN;
  if (self->has_ended) {
    if (length == 0) return CINFLATE_END;
    if (inflateReset(&self->stream) != Z_OK) return CINFLATE_BROKEN;
    self->has_ended = 0;
  }
  self->stream.next_in = (Bytef *)(uintptr_t)input;
  self->stream.avail_in = (uInt)length;
  self->stream.next_out = out;
  self->stream.avail_out = (uInt)room;
  const int status = inflate(&self->stream, Z_NO_FLUSH);
  *used = length - self->stream.avail_in;
  *made = room - self->stream.avail_out;
  switch (status) {
  case Z_STREAM_END: self->has_ended = 1; return CINFLATE_END;
  /* Z_BUF_ERROR: nothing could be done without more input or room. */
  case Z_OK:
  case Z_BUF_ERROR: return CINFLATE_MORE;
  case Z_MEM_ERROR: return CINFLATE_BROKEN;
  default: return CINFLATE_DAMAGED;
  }
}
