/* Writes small pictures of every kind, and a block of Exif, into a folder: what fuzz_decode begins with. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>

#define WIDTH 37u
#define HEIGHT 21u

static const uint8_t exif[] = {'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, '*', 0, 0, 0, 8, 0, 1,
                               0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0};

static FILE *open_seed(const char *folder, const char *name, int number) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s-%d", folder, name, number);
  FILE *out = fopen(path, "wb");
  if (out == NULL) exit(1);
  return out;
}

static void fill_row(uint8_t *row, size_t n, uint32_t y) {
  for (size_t x = 0; x < n; x++) row[x] = (uint8_t)(x * 7 + y * 11 + (x * y & 63));
}

/* What a JPEG is like. */
typedef struct jpeg_kind {
  J_COLOR_SPACE space;
  int components, sampling, is_progressive, restart, is_turned, is_arithmetic;
} jpeg_kind;

static const jpeg_kind jpegs[] = {
    {JCS_GRAYSCALE, 1, 1, 0, 0, 0, 0}, {JCS_GRAYSCALE, 1, 1, 1, 0, 1, 0}, {JCS_RGB, 3, 2, 0, 0, 1, 0},
    {JCS_RGB, 3, 1, 0, 2, 0, 0},       {JCS_RGB, 3, 2, 1, 1, 0, 0},       {JCS_CMYK, 4, 1, 0, 0, 0, 0},
    {JCS_RGB, 3, 2, 0, 0, 0, 1},
};

static void write_jpeg(FILE *out, const jpeg_kind *kind) {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  uint8_t row[WIDTH * 4], *rows[] = {row};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  jpeg_stdio_dest(&info, out);
  info.image_width = WIDTH, info.image_height = HEIGHT;
  info.input_components = kind->components, info.in_color_space = kind->space;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 60, TRUE);
  info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = kind->sampling;
  info.restart_in_rows = kind->restart;
  info.arith_code = kind->is_arithmetic;
  if (kind->is_progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  if (kind->is_turned) jpeg_write_marker(&info, JPEG_APP0 + 1, exif, sizeof exif);
  for (uint32_t y = 0; y < HEIGHT; y++) {
    fill_row(row, sizeof row, y);
    jpeg_write_scanlines(&info, rows, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
}

static void write_colours(png_structp png, png_infop info, int colour, int depth) {
  png_color palette[256];
  png_byte alphas[256];
  const png_color_16 clear = {.gray = 1, .red = 1, .green = 2, .blue = 3};
  for (int i = 0; i < 256; i++) {
    palette[i] = (png_color){(png_byte)i, (png_byte)(255 - i), (png_byte)(i * 5)};
    alphas[i] = (png_byte)(i * 3);
  }
  int n = depth > 8 ? 256 : 1 << depth;
  if (colour == PNG_COLOR_TYPE_PALETTE) {
    png_set_PLTE(png, info, palette, n);
    png_set_tRNS(png, info, alphas, n, NULL);
  } else if ((colour & PNG_COLOR_MASK_ALPHA) == 0) {
    png_set_tRNS(png, info, NULL, 0, &clear);
  }
}

static void write_png(FILE *out, int colour, int depth, int is_interlaced) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png == NULL ? NULL : png_create_info_struct(png);
  if (info == NULL || setjmp(png_jmpbuf(png)) != 0) exit(1);
  png_init_io(png, out);
  png_set_IHDR(png, info, WIDTH, HEIGHT, depth, colour, is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  write_colours(png, info, colour, depth);
  /* Stored and not packed, what is changed in the file is changed in the picture. */
  png_set_compression_level(png, is_interlaced ? 6 : 0);
  png_write_info(png, info);
  /* Told to the library earlier, it would be written twice. */
  if (!is_interlaced) png_write_chunk(png, (png_const_bytep)"eXIf", exif + 6, sizeof exif - 6);
  for (int pass = png_set_interlace_handling(png); pass > 0; pass--)
    for (uint32_t y = 0; y < HEIGHT; y++) {
      uint8_t row[WIDTH * 8];
      fill_row(row, sizeof row, y);
      png_write_row(png, row);
    }
  if (is_interlaced) png_write_chunk(png, (png_const_bytep)"eXIf", exif + 6, sizeof exif - 6);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
}

static int may_have(int colour, int depth) {
  if (colour == PNG_COLOR_TYPE_GRAY) return 1;
  return colour == PNG_COLOR_TYPE_PALETTE ? depth <= 8 : depth >= 8;
}

int main(int count, char **words) {
  static const int colours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_PALETTE,
                                PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB_ALPHA};
  if (count != 2) return 64;
  FILE *block = open_seed(words[1], "exif", 0);
  if (fwrite(exif + 6, 1, sizeof exif - 6, block) != sizeof exif - 6 || fclose(block) != 0) return 1;
  for (size_t i = 0; i < sizeof jpegs / sizeof jpegs[0]; i++) {
    FILE *out = open_seed(words[1], "jpeg", (int)i);
    write_jpeg(out, &jpegs[i]);
    if (fclose(out) != 0) return 1;
  }
  for (int i = 0, number = 0; i < 5; i++)
    for (int depth = 1; depth <= 16; depth *= 2)
      for (int is_interlaced = 0; is_interlaced < 2 && may_have(colours[i], depth); is_interlaced++) {
        FILE *out = open_seed(words[1], "png", number++);
        write_png(out, colours[i], depth, is_interlaced);
        if (fclose(out) != 0) return 1;
      }
  return 0;
}
