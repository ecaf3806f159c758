#include "cv4l.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <late_library.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libv4l2.h>

#define MH_V4L_FUNCTIONS(X)                                                                                            \
  X(v4l2_fd_open)                                                                                                      \
  X(v4l2_close)                                                                                                        \
  X(v4l2_ioctl)                                                                                                        \
  X(v4l2_mmap)                                                                                                         \
  X(v4l2_munmap)

/* The headers' types, so that the compiler checks every call as if the library were linked. */
static struct {
#define X(name) __typeof__(name) *name##_;
  MH_V4L_FUNCTIONS(X)
#undef X
} library;

#define X(name) {#name, (void **)&library.name##_},
static const clinux_late_function functions[] = {MH_V4L_FUNCTIONS(X)};
#undef X

static const char *ready(void *object) {
  // It writes to standard error what its functions return anyway.
  FILE **log = (FILE **)dlsym(object, "v4l2_log_file");
  if (log != NULL && *log == NULL) *log = fopen("/dev/null", "we");
  return NULL;
}

static clinux_late_library late = CLINUX_LATE_LIBRARY("libv4l2.so.0", functions, ready);

const char *mh_v4l_load(void) { return clinux_load_library(&late); }

#define BUFFERS_MAX 8u

struct mh_camera {
  int descriptor;
  int streams;
  uint32_t n_buffers;
  struct {
    void *start;
    size_t length;
  } buffers[BUFFERS_MAX];
};

/* The request of a struct, tried again when a signal interrupts it. */
static int ask(mh_camera *camera, unsigned long request, void *argument) {
  int result;
  do result = library.v4l2_ioctl_(camera->descriptor, request, argument);
  while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : result;
}

/* Not every file of a camera gives pictures, and not everything that gives pictures is a camera: codecs do. */
static int captures(const struct v4l2_capability *capability) {
  const uint32_t can =
      capability->capabilities & V4L2_CAP_DEVICE_CAPS ? capability->device_caps : capability->capabilities;
  return (can & (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE)) != 0 && (can & V4L2_CAP_STREAMING) != 0 &&
         (can & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE)) == 0;
}

/* A device file and nothing else; links are followed, because udev names cameras by them. Does not wait. */
static int open_device(const char *path, int mode, struct v4l2_capability *capability) {
  const int descriptor = open(path, mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  struct stat facts;
  int error = fstat(descriptor, &facts) < 0 ? -errno : S_ISCHR(facts.st_mode) ? 0 : -ENOTTY;
  memset(capability, 0, sizeof *capability);
  if (error == 0 && ioctl(descriptor, VIDIOC_QUERYCAP, capability) < 0)
    error = errno == ENODEV || errno == EBUSY ? -errno : -ENOTTY;
  if (error == 0) return descriptor;
  close(descriptor);
  return error;
}

int mh_camera_describe(const char *path, mh_camera_description *out) {
  struct v4l2_capability capability;
  const int descriptor = open_device(path, O_RDONLY, &capability);
  if (descriptor < 0) return descriptor;
  close(descriptor);
  memset(out, 0, sizeof *out);
  memcpy(out->card, capability.card, sizeof out->card - 1);
  memcpy(out->driver, capability.driver, sizeof out->driver - 1);
  out->captures = captures(&capability);
  return 0;
}

int mh_camera_open(const char *path, int converts, mh_camera **out) {
  struct v4l2_capability capability;
  const int descriptor = open_device(path, O_RDWR, &capability);
  if (descriptor < 0) return descriptor;
  if (!captures(&capability)) {
    close(descriptor);
    return -ENOTTY;
  }
  mh_camera *camera = calloc(1, sizeof *camera);
  if (camera == NULL) {
    close(descriptor);
    return -ENOMEM;
  }
  camera->descriptor = descriptor;
  if (library.v4l2_fd_open_(descriptor, converts ? 0 : V4L2_DISABLE_CONVERSION) < 0) {
    const int error = -errno;
    close(descriptor);
    free(camera);
    return error;
  }
  *out = camera;
  return 0;
}

void mh_camera_close(mh_camera *camera) {
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  if (camera->streams) ask(camera, VIDIOC_STREAMOFF, &type);
  for (uint32_t i = 0; i < camera->n_buffers; i++)
    library.v4l2_munmap_(camera->buffers[i].start, camera->buffers[i].length);
  library.v4l2_close_(camera->descriptor);
  free(camera);
}

uint32_t mh_camera_yuyv(void) { return V4L2_PIX_FMT_YUYV; }
uint32_t mh_camera_grey(void) { return V4L2_PIX_FMT_GREY; }
uint32_t mh_camera_mjpeg(void) { return V4L2_PIX_FMT_MJPEG; }
uint32_t mh_camera_jpeg(void) { return V4L2_PIX_FMT_JPEG; }
uint32_t mh_camera_yuv420(void) { return V4L2_PIX_FMT_YUV420; }

int mh_camera_format_at(mh_camera *camera, uint32_t index, uint32_t *pixel_format) {
  struct v4l2_fmtdesc format = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  const int error = ask(camera, VIDIOC_ENUM_FMT, &format);
  if (error < 0) return error == -EINVAL ? 1 : error;
  *pixel_format = format.pixelformat;
  return 0;
}

int mh_camera_sizes_at(mh_camera *camera, uint32_t pixel_format, uint32_t index, mh_camera_sizes *out) {
  struct v4l2_frmsizeenum size = {.index = index, .pixel_format = pixel_format};
  const int error = ask(camera, VIDIOC_ENUM_FRAMESIZES, &size);
  // A camera without the call has one size, which it says when a format is set.
  if (error < 0) return error == -EINVAL || error == -ENOTTY ? 1 : error;
  if (size.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
    *out = (mh_camera_sizes){size.discrete.width,  size.discrete.width,  1,
                             size.discrete.height, size.discrete.height, 1};
    return 0;
  }
  // All sizes are one entry.
  if (index > 0) return 1;
  *out = (mh_camera_sizes){size.stepwise.min_width,  size.stepwise.max_width,  size.stepwise.step_width,
                           size.stepwise.min_height, size.stepwise.max_height, size.stepwise.step_height};
  return 0;
}

int mh_camera_set_format(mh_camera *camera, mh_camera_format *wanted) {
  struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  format.fmt.pix.width = wanted->width;
  format.fmt.pix.height = wanted->height;
  format.fmt.pix.pixelformat = wanted->pixel_format;
  format.fmt.pix.field = V4L2_FIELD_NONE;
  const int error = ask(camera, VIDIOC_S_FMT, &format);
  if (error < 0) return error;
  *wanted = (mh_camera_format){.pixel_format = format.fmt.pix.pixelformat,
                               .width = format.fmt.pix.width,
                               .height = format.fmt.pix.height,
                               .row = format.fmt.pix.bytesperline,
                               .size = format.fmt.pix.sizeimage};
  return 0;
}

static int map_buffer(mh_camera *camera, uint32_t index) {
  struct v4l2_buffer buffer = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  int error = ask(camera, VIDIOC_QUERYBUF, &buffer);
  if (error < 0) return error;
  void *start = library.v4l2_mmap_(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, camera->descriptor,
                                   buffer.m.offset);
  if (start == MAP_FAILED) return -errno;
  camera->buffers[index].start = start;
  camera->buffers[index].length = buffer.length;
  camera->n_buffers = index + 1;
  error = ask(camera, VIDIOC_QBUF, &buffer);
  return error < 0 ? error : 0;
}

int mh_camera_start(mh_camera *camera, uint32_t count) {
  struct v4l2_requestbuffers request = {
      .count = count, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  int error = ask(camera, VIDIOC_REQBUFS, &request);
  if (error < 0) return error;
  if (request.count < 2) return -ENOMEM;
  for (uint32_t i = 0; i < request.count && i < BUFFERS_MAX; i++)
    if ((error = map_buffer(camera, i)) < 0) return error;
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  if ((error = ask(camera, VIDIOC_STREAMON, &type)) < 0) return error;
  camera->streams = 1;
  return 0;
}

int mh_camera_wake_open(void) {
  const int descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  return descriptor < 0 ? -errno : descriptor;
}

void mh_camera_wake(int descriptor) { eventfd_write(descriptor, 1); }

void mh_camera_wake_close(int descriptor) { close(descriptor); }

int mh_camera_wait(mh_camera *camera, int wake, int timeout_ms) {
  struct pollfd both[] = {{camera->descriptor, POLLIN, 0}, {wake, POLLIN, 0}};
  const int ready = poll(both, 2, timeout_ms);
  if (ready < 0) return errno == EINTR ? 0 : -errno;
  if (both[1].revents != 0) return 2;
  // An error is a picture too: taking it says which.
  return both[0].revents != 0;
}

int mh_camera_take(mh_camera *camera, mh_camera_picture *out) {
  struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  const int error = ask(camera, VIDIOC_DQBUF, &buffer);
  if (error < 0) return error == -EAGAIN ? 0 : error;
  if (buffer.index >= camera->n_buffers) return -EPROTO;
  const size_t length = camera->buffers[buffer.index].length;
  const int is_monotonic = (buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  const uint64_t nanoseconds =
      (uint64_t)buffer.timestamp.tv_sec * 1000000000u + (uint64_t)buffer.timestamp.tv_usec * 1000u;
  *out = (mh_camera_picture){.bytes = camera->buffers[buffer.index].start,
                             .count = buffer.bytesused < length ? buffer.bytesused : (uint32_t)length,
                             .is_damaged = (buffer.flags & V4L2_BUF_FLAG_ERROR) != 0,
                             .moment = is_monotonic ? nanoseconds : 0,
                             .buffer = buffer.index};
  return 1;
}

int mh_camera_give_back(mh_camera *camera, const mh_camera_picture *picture) {
  struct v4l2_buffer buffer = {
      .index = picture->buffer, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  const int error = ask(camera, VIDIOC_QBUF, &buffer);
  return error < 0 ? error : 0;
}
