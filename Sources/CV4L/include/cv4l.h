/* Cameras for Swift: libv4l2's variadic ioctl, its structs with unions and its numbers as functions with plain types.
 *
 * The library is loaded when the first camera is opened: a machine without a camera need not have it installed. A camera
 * belongs to one thread at a time. Functions return 0 or more when they worked, otherwise -errno. */
#ifndef METERHOST_CV4L_H
#define METERHOST_CV4L_H

#include <stdint.h>

typedef struct mh_camera mh_camera;

/* Loads the library; NULL when it can be used, otherwise what is wrong with it (valid until this thread's next call). Call
 * it, with success, before mh_camera_open; any thread may. */
const char *mh_v4l_load(void);

/* What a device says of itself. */
typedef struct mh_camera_description {
  /* Ended by a zero. */
  char card[32];
  char driver[16];
  /* It takes pictures, and hands them over as this file wants them. */
  int captures;
} mh_camera_description;

/* Asks a device file; needs no library. -ENOTTY: no such device at all. */
int mh_camera_describe(const char *path, mh_camera_description *out);

/* Opens a camera. With `converts`, the library offers formats that it makes from the camera's own. */
int mh_camera_open(const char *path, int converts, mh_camera **out);
/* Stops it and gives it back. */
void mh_camera_close(mh_camera *camera);

/* The picture formats of cameras that are read here (linux/videodev2.h). */
uint32_t mh_camera_yuyv(void);
uint32_t mh_camera_grey(void);
uint32_t mh_camera_mjpeg(void);
uint32_t mh_camera_jpeg(void);
/* Planes of luma and colour: what the library makes of all else. */
uint32_t mh_camera_yuv420(void);

/* Sizes of pictures: equal ends where there is one size only. */
typedef struct mh_camera_sizes {
  uint32_t least_width, most_width, step_width;
  uint32_t least_height, most_height, step_height;
} mh_camera_sizes;

/* The camera's formats and the sizes of one, by number from 0; 1 when there are no more. */
int mh_camera_format_at(mh_camera *camera, uint32_t index, uint32_t *pixel_format);
int mh_camera_sizes_at(mh_camera *camera, uint32_t pixel_format, uint32_t index, mh_camera_sizes *out);

/* How pictures come. */
typedef struct mh_camera_format {
  uint32_t pixel_format;
  uint32_t width, height;
  /* Bytes from one row to the next; 0 for compressed pictures. */
  uint32_t row;
  /* The most bytes of a picture. */
  uint32_t size;
} mh_camera_format;

/* Asks for a format; the camera answers with what it does, which may be another one. */
int mh_camera_set_format(mh_camera *camera, mh_camera_format *format);

/* Lets pictures come into `count` buffers. */
int mh_camera_start(mh_camera *camera, uint32_t count);

/* What another thread ends mh_camera_wait with: a descriptor, or -errno. */
int mh_camera_wake_open(void);
void mh_camera_wake(int descriptor);
void mh_camera_wake_close(int descriptor);

/* Waits for a picture: 1 when there is one, 0 when the time is over, 2 when it was woken. */
int mh_camera_wait(mh_camera *camera, int wake, int timeout_ms);

/* One picture in the camera's memory. */
typedef struct mh_camera_picture {
  const uint8_t *bytes;
  uint32_t count;
  /* The camera says that it is not whole. */
  int is_damaged;
  /* When it was taken, nanoseconds of CLOCK_MONOTONIC; 0 when the camera uses another clock. */
  uint64_t moment;
  uint32_t buffer;
} mh_camera_picture;

/* Takes the next picture: 1 when there is one, 0 when there is none yet. It stays in place until it is given back. */
int mh_camera_take(mh_camera *camera, mh_camera_picture *out);
int mh_camera_give_back(mh_camera *camera, const mh_camera_picture *picture);

#endif
