/* Stands in for zlib's archive where there is none for the processor: enough to link, and it inflates nothing. */
#include <zlib.h>

int inflateInit2_(z_streamp stream, int bits, const char *version, int size) {
  (void)stream, (void)bits, (void)version, (void)size;
  return Z_MEM_ERROR;
}

int inflateReset2(z_streamp stream, int bits) {
  (void)stream, (void)bits;
  return Z_STREAM_ERROR;
}

int inflate(z_streamp stream, int flush) {
  (void)stream, (void)flush;
  return Z_STREAM_ERROR;
}

int inflateEnd(z_streamp stream) {
  (void)stream;
  return Z_STREAM_ERROR;
}

uLong crc32(uLong crc, const Bytef *p, uInt n) {
  (void)p, (void)n;
  return crc;
}
