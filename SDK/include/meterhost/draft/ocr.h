/* DRAFT: reading a meter's display with a camera (rule R17). Not part of the frozen contract; the id carries the word
 * draft, and driver.h does not include this file (rule R4).
 *
 * The host owns the camera, the person's overlay and the decision over several frames. The driver says where the rows
 * of its meters' displays lie, what it reads in one frame, and what agreed texts mean. Every function is called on one
 * thread, in a worker.
 */
#ifndef METERHOST_OCR_H
#define METERHOST_OCR_H

#include "../output.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of mh_driver.extension. */
#define MH_EXT_OCR_DRAFT "meterhost.ocr/1-draft"

/* The most rows of a display, characters of a row (bytes of its text, which is ASCII), and areas of glare. */
#define MH_OCR_ROWS_MAX 8u
#define MH_OCR_TEXT_MAX 16u
#define MH_OCR_GLARE_MAX 16u
/* The widest and highest frame, in pixels. */
#define MH_OCR_SIDE_MAX 4096u

/* What a row shows. */
/* The measured value of a meter with one; the driver decides what it is. */
#define MH_OCR_ROLE_VALUE 1u
#define MH_OCR_ROLE_SYSTOLIC 2u
#define MH_OCR_ROLE_DIASTOLIC 3u
#define MH_OCR_ROLE_PULSE 4u
#define MH_OCR_ROLE_OXYGEN_SATURATION 5u

/* Flags of a row. */
/* The display may leave it empty. */
#define MH_OCR_ROW_OPTIONAL 0x1u
/* The display switches it on and off: an empty row does not contradict a text of another frame. */
#define MH_OCR_ROW_BLINKS 0x2u

/* A rectangle. In a layout: fractions of the overlay, from its upper left corner. In a frame: pixels; it may reach
 * beyond the frame. */
typedef struct mh_ocr_box {
  float x;
  float y;
  float width;
  float height;
} mh_ocr_box;

typedef struct mh_ocr_row {
  uint16_t role;
  uint16_t flags;
  uint32_t reserved;
  mh_ocr_box box;
  /* The characters that it can show, out of "0123456789.-LoHiEr" and the space. Constant. */
  mh_str characters;
} mh_ocr_row;

/* A meter's display. The rows are constant and live as long as the process. */
typedef struct mh_ocr_layout {
  uint32_t struct_size;
  uint32_t n_rows;
  /* Width over height of the overlay. */
  float aspect;
  uint32_t reserved;
  const mh_ocr_row *rows;
  /* The asset that holds the overlay's drawing (SVG). */
  mh_str overlay;
} mh_ocr_layout;

/* Flags of a frame. */
/* A photograph that stands alone: the driver takes the time to look at each row from several sides. */
#define MH_OCR_FRAME_STILL 0x1u
/* Read the rows of `boxes` instead of the meter's own: measuring a labelled set. */
#define MH_OCR_FRAME_BOXES 0x2u

/* One picture: 8-bit grey, upright, rows of `stride` bytes from the top. The bytes hold at least
 * (height - 1) * stride + width. */
typedef struct mh_ocr_frame {
  uint32_t struct_size;
  uint32_t flags;
  uint32_t width;
  uint32_t height;
  uint32_t stride;
  uint32_t n_boxes;
  /* Where the overlay lies, in pixels; not used with MH_OCR_FRAME_BOXES. */
  mh_ocr_box overlay;
  /* With MH_OCR_FRAME_BOXES: the rows, in pixels. */
  const mh_ocr_box *boxes;
  mh_bytes pixels;
} mh_ocr_frame;

/* How a row was found. */
/* Nothing is lit. */
#define MH_OCR_STATE_EMPTY 1u
/* text holds what was read, sure or not: look at the confidence. */
#define MH_OCR_STATE_TEXT 2u
/* Something is there that must not be believed: out of the picture, covered by glare, cut off, half lit. text may hold
 * what it would be if it were one, for measuring only; confidence is 0. */
#define MH_OCR_STATE_UNREADABLE 3u

/* What was read in one row. */
typedef struct mh_ocr_row_reading {
  uint16_t state;
  uint16_t length;
  /* That the whole text is right, 0 to 1. */
  float confidence;
  char text[MH_OCR_TEXT_MAX];
  /* That each character is right, 0 to 1. */
  float characters[MH_OCR_TEXT_MAX];
  /* Where the row was found: x and y of the corners, clockwise from the upper left, in pixels of the frame. */
  float corners[8];
} mh_ocr_row_reading;

/* What the person can do so that it reads better. */
#define MH_OCR_ADVICE_NONE 0u
/* Hold still, or wait for focus. */
#define MH_OCR_ADVICE_BLUR 1u
/* Tilt the meter: light is reflected. */
#define MH_OCR_ADVICE_GLARE 2u
/* Bring the display into the overlay. */
#define MH_OCR_ADVICE_ALIGN 3u
/* More light. */
#define MH_OCR_ADVICE_DARK 4u

/* What was read in one frame. */
typedef struct mh_ocr_reading {
  uint32_t struct_size;
  uint32_t advice;
  uint32_t n_rows;
  uint32_t n_glare;
  /* How sharp the rows are: 0 nothing can be told apart, 1 sharp. */
  float sharpness;
  /* The part of the rows' area that is saturated by reflected light, 0 to 1. */
  float glare;
  mh_ocr_row_reading rows[MH_OCR_ROWS_MAX];
  /* Areas of reflected light over or beside the rows, in pixels. */
  mh_ocr_box areas[MH_OCR_GLARE_MAX];
} mh_ocr_reading;

/* What texts mean. */
/* A row that has to be there is missing: go on looking. */
#define MH_OCR_INCOMPLETE 1u
/* A reading: the sink holds its records. */
#define MH_OCR_VALID 2u
/* The display shows something else than a reading: a self-test, an error code, a range no meter shows, remains of
 * another picture. */
#define MH_OCR_NOT_A_VALUE 3u
/* No display of this meter shows this. */
#define MH_OCR_WRONG_METER 4u
/* It would be a reading in the meter's other unit. */
#define MH_OCR_OTHER_UNIT 5u

/* The agreed text of a row; empty when the row is. */
typedef struct mh_ocr_text {
  mh_str text;
} mh_ocr_text;

/* `meter` is the id of an OCR peripheral of this driver's registry entry. */
typedef struct mh_ocr {
  uint32_t struct_size;
  uint32_t reserved;
  /* Called once before the others: takes what it needs of the driver's assets. MH_E_NOT_FOUND for an asset that is
   * missing, MH_E_PROTOCOL for one that is not what it should be. */
  int32_t (*load)(void);
  /* MH_E_NOT_FOUND for a meter that this driver does not know. */
  int32_t (*layout)(uint32_t meter, mh_ocr_layout *out);
  /* Reads one frame. out->struct_size is the host's; n_rows is the layout's, or n_boxes. MH_E_ARG for a frame that
   * contradicts itself. */
  int32_t (*recognize)(uint32_t meter, const mh_ocr_frame *frame, mh_ocr_reading *out);
  /* What the texts of all rows, in the layout's order, mean in `unit` (metrics.h; MH_UNIT_NONE: the meter's default).
   * Pure: the same texts give the same verdict and records. A record has MH_TIME_NONE and MH_IDENT_LIVE. */
  int32_t (*interpret)(uint32_t meter, uint16_t unit, const mh_ocr_text *rows, uint32_t n_rows, uint32_t *verdict,
                       mh_sink *sink);
} mh_ocr;

#ifdef __cplusplus
}
#endif
#endif
