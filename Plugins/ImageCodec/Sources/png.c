/* PNG (ISO/IEC 15948) by libpng. Any checksum that is wrong is an error. */
#include "include/codec.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

/* Signature, and the head: length, "IHDR", width, height, five bytes, checksum. */
#define HEAD_SIZE 33u
/* How long a chunk beside the picture may be, and how many of them are kept. Those that programs leave (XMP, C2PA) have
 * megabytes; they are passed over, and an Exif block, which is kept, is no longer than its file. */
#define CHUNK_MEMORY_MAX MH_IMAGE_FILE_MAX
#define CHUNKS_MAX 64u

/* Behind setjmp only what lies here is used: locals of the same function may be lost by the jump. */
typedef struct reading {
  mh_bytes file;
  uint64_t at;
  png_structp png;
  png_infop info;
  row_sink sink;
  /* One row, or the whole of an interlaced picture. */
  uint8_t *rows;
  int32_t status;
  uint32_t orientation;
} reading;

static _Noreturn void on_error(png_structp png, png_const_charp text) {
  (void)text;
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static _Noreturn void fail(reading *reading, int32_t status) {
  reading->status = status;
  png_longjmp(reading->png, 1);
}

static void on_read(png_structp png, png_bytep out, size_t n) {
  reading *reading = png_get_io_ptr(png);
  if (n > reading->file.n - reading->at) png_error(png, "the file ends early");
  memcpy(out, reading->file.p + reading->at, n);
  reading->at += n;
}

static uint32_t big_endian(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The sides, from the head and before the library sees the file. */
static int32_t head_size(mh_bytes file, uint32_t *width, uint32_t *height) {
  if (file.n < HEAD_SIZE || big_endian(file.p + 8) != 13 || memcmp(file.p + 12, "IHDR", 4) != 0) return MH_E_PROTOCOL;
  *width = big_endian(file.p + 16);
  *height = big_endian(file.p + 20);
  return image_check_size(*width, *height);
}

static void finish(reading *reading) {
  png_destroy_read_struct(&reading->png, &reading->info, NULL);
  row_sink_end(&reading->sink);
  free(reading->rows);
  reading->rows = NULL;
}

static int32_t begin(reading *reading, mh_bytes file) {
  memset(reading, 0, sizeof *reading);
  reading->file = file;
  reading->status = MH_E_PROTOCOL;
  reading->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
  if (reading->png == NULL) return MH_E_MEMORY;
  reading->info = png_create_info_struct(reading->png);
  if (reading->info == NULL) {
    finish(reading);
    return MH_E_MEMORY;
  }
  png_set_read_fn(reading->png, reading, on_read);
  return MH_OK;
}

/* Everything up to the picture. */
static void read_head(reading *reading) {
  static const png_byte exif[5] = "eXIf";
  png_structp png = reading->png;
  png_set_user_limits(png, MH_IMAGE_SIDE_MAX, MH_IMAGE_SIDE_MAX);
  png_set_chunk_malloc_max(png, CHUNK_MEMORY_MAX);
  png_set_chunk_cache_max(png, CHUNKS_MAX);
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_benign_errors(png, 0);
  // Texts and colour profiles are passed over: nothing is inflated for them.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_AS_DEFAULT, exif, 1);
  png_read_info(png, reading->info);
}

/* An Exif block may stand behind the picture. */
static void note_orientation(reading *reading) {
  png_bytep block = NULL;
  png_uint_32 size = 0;
  reading->orientation = 1;
  if (png_get_eXIf_1(reading->png, reading->info, &size, &block) == PNG_INFO_eXIf && block != NULL)
    reading->orientation = exif_orientation((mh_bytes){block, size});
}

/* 8 bits a sample, no palette. */
static void choose_samples(reading *reading) {
  png_structp png = reading->png;
  png_set_expand(png);
  png_set_scale_16(png);
}

static void read_rows(reading *reading) {
  png_structp png = reading->png;
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, reading->info);
  const size_t row = png_get_rowbytes(png, reading->info);
  const uint32_t channels = png_get_channels(png, reading->info);
  if (png_get_bit_depth(png, reading->info) != 8 || channels < 1 || channels > 4 ||
      row != (size_t)reading->sink.width * channels)
    fail(reading, MH_E_UNSUPPORTED);
  const int whole = passes > 1;
  reading->rows = calloc(whole ? reading->sink.height : 1, row);
  if (reading->rows == NULL || row_sink_begin(&reading->sink) != MH_OK) fail(reading, MH_E_MEMORY);
  for (int pass = 0; pass < passes; pass++)
    for (uint32_t y = 0; y < reading->sink.height; y++) {
      uint8_t *next = reading->rows + (whole ? y * row : 0);
      png_read_row(png, next, NULL);
      if (pass == passes - 1) row_sink_take(&reading->sink, next, channels);
    }
  png_read_end(png, reading->info);
}

int32_t png_measure(mh_bytes file, mh_image *out) {
  uint32_t width, height;
  int32_t status = head_size(file, &width, &height);
  if (status != MH_OK) return status;
  reading reading;
  if ((status = begin(&reading, file)) != MH_OK) return status;
  if (setjmp(png_jmpbuf(reading.png)) != 0) {
    finish(&reading);
    return reading.status;
  }
  read_head(&reading);
  note_orientation(&reading);
  const int colours = png_get_color_type(reading.png, reading.info) & PNG_COLOR_MASK_COLOR;
  out->width = png_get_image_width(reading.png, reading.info);
  out->height = png_get_image_height(reading.png, reading.info);
  out->format = colours ? MH_IMAGE_RGB : MH_IMAGE_GREY;
  out->orientation = reading.orientation;
  finish(&reading);
  return MH_OK;
}

int32_t png_decode(mh_bytes file, mh_image *out, uint8_t *pixels, uint64_t *n) {
  uint32_t width, height;
  int32_t status = head_size(file, &width, &height);
  if (status != MH_OK) return status;
  const uint32_t divisor = image_divisor(width, height, out->width, out->height);
  const uint32_t columns = image_divided(width, divisor), lines = image_divided(height, divisor);
  const uint64_t size = (uint64_t)columns * lines * out->format;
  if (size > *n) return MH_E_FULL;
  reading reading;
  if ((status = begin(&reading, file)) != MH_OK) return status;
  reading.sink = (row_sink){
      .width = width, .height = height, .format = out->format, .divisor = divisor, .pixels = pixels};
  if (setjmp(png_jmpbuf(reading.png)) != 0) {
    finish(&reading);
    return reading.status;
  }
  read_head(&reading);
  choose_samples(&reading);
  read_rows(&reading);
  note_orientation(&reading);
  finish(&reading);
  // The same as in png_decode's head: what setjmp may have lost is computed again.
  out->width = image_divided(reading.sink.width, reading.sink.divisor);
  out->height = image_divided(reading.sink.height, reading.sink.divisor);
  out->orientation = reading.orientation;
  *n = (uint64_t)out->width * out->height * out->format;
  return MH_OK;
}
