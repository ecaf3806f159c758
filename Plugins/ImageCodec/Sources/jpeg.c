/* JPEG (ISO/IEC 10918-1) by libjpeg. The library goes on after most damage and paints what is missing grey; here any
 * damage that it warns of is an error, because half a picture is none. */
#include "include/codec.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

/* Scans of a progressive picture: each is a pass over the whole picture and may cost a few bytes in the file. */
#define SCANS_MAX 100
/* Working memory: the coefficients of the largest progressive picture. */
#define MEMORY_MAX (400L << 20)

/* `errors` comes first: the library hands it back. */
typedef struct failure {
  struct jpeg_error_mgr errors;
  jmp_buf jump;
  int32_t status;
} failure;

static int32_t status_of(int code) {
  switch (code) {
    case JERR_OUT_OF_MEMORY: return MH_E_MEMORY;
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
    case JERR_NO_BACKING_STORE: return MH_E_DENIED;
    case JERR_ARITH_NOTIMPL:
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_NOT_COMPILED: return MH_E_UNSUPPORTED;
    case JERR_BUFFER_SIZE: return MH_E_FULL;
    default: return MH_E_PROTOCOL;
  }
}

static _Noreturn void fail(j_common_ptr info, int32_t status) {
  failure *caught = (failure *)info->err;
  caught->status = status;
  longjmp(caught->jump, 1);
}

static void on_error(j_common_ptr info) { fail(info, status_of(info->err->msg_code)); }

static void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  const int code = info->err->msg_code;
  // What they warn of does not touch the picture: a later version of JFIF, an unknown colour transform.
  if (code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM) return;
  fail(info, MH_E_PROTOCOL);
}

static void say_nothing(j_common_ptr info) { (void)info; }

static void catch_errors(failure *caught) {
  memset(caught, 0, sizeof *caught);
  jpeg_std_error(&caught->errors);
  caught->errors.error_exit = on_error;
  caught->errors.emit_message = on_message;
  caught->errors.output_message = say_nothing;
}

static void on_progress(j_common_ptr info) {
  if (info->is_decompressor && ((j_decompress_ptr)info)->input_scan_number > SCANS_MAX) fail(info, MH_E_DENIED);
}

/* Reads the head; the limits come before the decoder reserves anything for the picture. */
static void read_head(j_decompress_ptr info, mh_bytes file) {
  jpeg_mem_src(info, file.p, (unsigned long)file.n);
  jpeg_read_header(info, TRUE);
  const int32_t status = image_check_size(info->image_width, info->image_height);
  if (status != MH_OK) fail((j_common_ptr)info, status);
  // Some builds of the library decode it, others do not.
  if (info->arith_code) fail((j_common_ptr)info, MH_E_UNSUPPORTED);
  switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_YCbCr:
    case JCS_RGB: return;
    default: fail((j_common_ptr)info, MH_E_UNSUPPORTED);
  }
}

int32_t jpeg_measure(mh_bytes file, mh_image *out) {
  struct jpeg_decompress_struct info;
  failure caught;
  memset(&info, 0, sizeof info);
  catch_errors(&caught);
  info.err = &caught.errors;
  if (setjmp(caught.jump) != 0) {
    jpeg_destroy_decompress(&info);
    return caught.status;
  }
  jpeg_create_decompress(&info);
  info.mem->max_memory_to_use = MEMORY_MAX;
  read_head(&info, file);
  out->width = info.image_width;
  out->height = info.image_height;
  out->format = info.num_components == 1 ? MH_IMAGE_GREY : MH_IMAGE_RGB;
  out->orientation = jpeg_orientation(file);
  jpeg_destroy_decompress(&info);
  return MH_OK;
}

static void read_picture(j_decompress_ptr info, mh_image *out, uint8_t *pixels, uint64_t *n) {
  info->out_color_space = out->format == MH_IMAGE_GREY ? JCS_GRAYSCALE : JCS_RGB;
  info->scale_num = 1;
  info->scale_denom = image_divisor(info->image_width, info->image_height, out->width, out->height);
  jpeg_calc_output_dimensions(info);
  const uint64_t row = (uint64_t)info->output_width * out->format;
  const uint64_t size = row * info->output_height;
  if (size > *n) fail((j_common_ptr)info, MH_E_FULL);
  jpeg_start_decompress(info);
  if (info->output_components != (int)out->format) fail((j_common_ptr)info, MH_E_UNSUPPORTED);
  while (info->output_scanline < info->output_height) {
    JSAMPROW next = pixels + info->output_scanline * row;
    jpeg_read_scanlines(info, &next, 1);
  }
  out->width = info->output_width;
  out->height = info->output_height;
  *n = size;
  // Reads on to the mark that ends the picture; a file without one makes it warn.
  jpeg_finish_decompress(info);
}

int32_t jpeg_decode(mh_bytes file, mh_image *out, uint8_t *pixels, uint64_t *n) {
  struct jpeg_decompress_struct info;
  struct jpeg_progress_mgr progress;
  failure caught;
  mh_image result = *out;
  uint64_t length = *n;
  memset(&info, 0, sizeof info);
  memset(&progress, 0, sizeof progress);
  progress.progress_monitor = on_progress;
  catch_errors(&caught);
  info.err = &caught.errors;
  if (setjmp(caught.jump) != 0) {
    jpeg_destroy_decompress(&info);
    return caught.status;
  }
  jpeg_create_decompress(&info);
  info.mem->max_memory_to_use = MEMORY_MAX;
  info.progress = &progress;
  read_head(&info, file);
  read_picture(&info, &result, pixels, &length);
  jpeg_destroy_decompress(&info);
  out->width = result.width;
  out->height = result.height;
  out->orientation = jpeg_orientation(file);
  *n = length;
  return MH_OK;
}

/* Writes into the host's buffer and nowhere else. */
static void begin_output(j_compress_ptr info) { (void)info; }

/* The library asks for more room as soon as the last byte is taken, though perhaps nothing is to follow: what does goes to
 * the spill, and then the file did not fit. */
typedef struct destination {
  struct jpeg_destination_mgr table;
  JOCTET spill[64];
  int is_spilling;
} destination;

static boolean out_of_room(j_compress_ptr info) {
  destination *output = (destination *)info->dest;
  if (output->is_spilling) fail((j_common_ptr)info, MH_E_FULL);
  output->is_spilling = 1;
  output->table.next_output_byte = output->spill;
  output->table.free_in_buffer = sizeof output->spill;
  return TRUE;
}
static void end_output(j_compress_ptr info) { (void)info; }

/* The Exif block that says how the picture has to be turned. */
static void write_orientation(j_compress_ptr info, uint32_t orientation) {
  const JOCTET block[] = {'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, '*', 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3,
                          0,   0,   0,   1,   0, (JOCTET)orientation, 0, 0, 0, 0, 0, 0};
  if (orientation != 1) jpeg_write_marker(info, JPEG_APP0 + 1, block, sizeof block);
}

static void write_picture(j_compress_ptr info, const mh_image *image, const uint8_t *pixels, uint32_t quality) {
  info->image_width = image->width;
  info->image_height = image->height;
  info->input_components = (int)image->format;
  info->in_color_space = image->format == MH_IMAGE_GREY ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(info);
  jpeg_set_quality(info, (int)quality, TRUE);
  jpeg_start_compress(info, TRUE);
  write_orientation(info, image->orientation);
  const uint64_t row = (uint64_t)image->width * image->format;
  while (info->next_scanline < info->image_height) {
    // The library does not write to the rows that it takes.
    JSAMPROW next = (JSAMPROW)(uintptr_t)(pixels + info->next_scanline * row);
    jpeg_write_scanlines(info, &next, 1);
  }
  jpeg_finish_compress(info);
}

int32_t jpeg_encode(const mh_image *image, mh_bytes pixels, uint32_t quality, uint8_t *file, uint64_t *n) {
  struct jpeg_compress_struct info;
  destination output = {
      .table = {.next_output_byte = file, .free_in_buffer = (size_t)*n,
                .init_destination = begin_output, .empty_output_buffer = out_of_room, .term_destination = end_output}};
  failure caught;
  if (*n == 0) return MH_E_FULL;
  memset(&info, 0, sizeof info);
  catch_errors(&caught);
  info.err = &caught.errors;
  if (setjmp(caught.jump) != 0) {
    jpeg_destroy_compress(&info);
    return caught.status;
  }
  jpeg_create_compress(&info);
  info.dest = &output.table;
  write_picture(&info, image, pixels.p, quality);
  if (!output.is_spilling) {
    *n -= output.table.free_in_buffer;
  } else if (output.table.free_in_buffer < sizeof output.spill) {
    jpeg_destroy_compress(&info);
    return MH_E_FULL;
  }
  jpeg_destroy_compress(&info);
  return MH_OK;
}
