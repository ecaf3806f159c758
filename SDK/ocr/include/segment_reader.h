/* Reads rows of seven-segment digits in grey pictures.
 *
 * Plain C11, no library but libc's memory functions, no allocation: everything lives in memory that the caller gives at
 * load and keeps as long as the reader is used. One thread at a time. The same picture gives the same bits on every
 * processor: the vector code of AVX2 and NEON adds up in the order of the plain code.
 */
#ifndef METERHOST_SEGMENT_READER_H
#define METERHOST_SEGMENT_READER_H

#include <meterhost/draft/ocr.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct segment_reader segment_reader;

/* Where the memory of a reader must begin. */
#define SEGMENT_READER_ALIGNMENT 64u
/* The most memory that any weights ask for. */
#define SEGMENT_READER_MEMORY_MAX 33554432u

/* What is wrong with a file of weights. Negative, as the driver functions' results are. */
typedef enum segment_status {
  SEGMENT_OK = 0,
  /* An argument is missing, or the memory is too small or not aligned. */
  SEGMENT_E_ARGUMENT = -1,
  /* The bytes end too early, or go on after the end. */
  SEGMENT_E_LENGTH = -2,
  /* Not a file of weights, or of a version that this reader does not know. */
  SEGMENT_E_FORMAT = -3,
  /* The checksum contradicts the bytes. */
  SEGMENT_E_CHECKSUM = -4,
  /* A size above the reader's limits. */
  SEGMENT_E_LIMIT = -5,
  /* Layers that do not fit each other, the picture or the characters. */
  SEGMENT_E_SHAPE = -6,
  /* A number that is not finite, or far beyond what training gives. */
  SEGMENT_E_NUMBER = -7,
} segment_status;

/* Checks the whole file and says how much memory a reader of it needs. The bytes need no alignment. */
segment_status segment_reader_size(const uint8_t *bytes, size_t n, size_t *size);

/* Builds a reader in `memory` (size bytes, aligned to SEGMENT_READER_ALIGNMENT). The bytes of the file are not needed
 * afterwards. */
segment_status segment_reader_load(void *memory, size_t size, const uint8_t *bytes, size_t n, segment_reader **reader);

/* A flag of this reader alone, beside those of the contract: rows are also texts where their digits are drawn as no segment
 * display draws them. For whoever asks whether there is a row, and not what it shows. */
#define SEGMENT_READER_TYPE 0x80000000u

/* Reads n rows (1 to MH_OCR_ROWS_MAX) of a frame; the boxes are in pixels, may be loose, and may reach beyond the frame.
 * With MH_OCR_FRAME_STILL in frame->flags each row is looked at from twelve sides that vote. frame->overlay and
 * frame->boxes are not used. Fills everything of `out` but struct_size. MH_E_ARG for a frame that contradicts itself or
 * a box that is no rectangle (not finite, without area); then `out` is untouched. */
int32_t segment_reader_read(segment_reader *reader, const mh_ocr_frame *frame, const mh_ocr_box *boxes, uint32_t n,
                            mh_ocr_reading *out);

/* The confidence from which the weights' training found no wrong text in one look, and in a vote. */
float segment_reader_floor(const segment_reader *reader, uint32_t flags);

#ifdef __cplusplus
}
#endif
#endif
