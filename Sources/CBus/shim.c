#define _GNU_SOURCE

#include "cbus.h"

#include <late_library.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Of libdbus's headers, what is used: one of them stands in a folder that only pkg-config can name, and its flags would link
 * the library. These are of its stable interface; errors are asked for nowhere, so that DBusError is not needed. */
typedef struct DBusConnection DBusConnection;
typedef struct DBusMessage DBusMessage;
typedef struct DBusMessageIter DBusMessageIter;
typedef struct DBusError DBusError;
typedef uint32_t dbus_bool_t;

_Static_assert(sizeof(mh_bus_cursor) >= 14 * sizeof(void *), "DBusMessageIter has eleven pointers and numbers");

#define MH_BUS_FUNCTIONS(X)                                                                                            \
  X(dbus_bool_t, dbus_threads_init_default, (void))                                                                    \
  X(void, dbus_connection_set_change_sigpipe, (dbus_bool_t))                                                           \
  X(DBusConnection *, dbus_connection_open_private, (const char *, DBusError *))                                       \
  X(void, dbus_connection_close, (DBusConnection *))                                                                   \
  X(void, dbus_connection_unref, (DBusConnection *))                                                                   \
  X(dbus_bool_t, dbus_connection_get_is_connected, (DBusConnection *))                                                 \
  X(dbus_bool_t, dbus_connection_get_is_authenticated, (DBusConnection *))                                             \
  X(dbus_bool_t, dbus_connection_has_messages_to_send, (DBusConnection *))                                             \
  X(dbus_bool_t, dbus_connection_get_unix_fd, (DBusConnection *, int *))                                               \
  X(void, dbus_connection_set_exit_on_disconnect, (DBusConnection *, dbus_bool_t))                                     \
  X(void, dbus_connection_set_max_message_size, (DBusConnection *, long))                                              \
  X(void, dbus_connection_set_max_message_unix_fds, (DBusConnection *, long))                                          \
  X(void, dbus_connection_set_max_received_size, (DBusConnection *, long))                                             \
  X(dbus_bool_t, dbus_connection_read_write, (DBusConnection *, int))                                                  \
  X(DBusMessage *, dbus_connection_pop_message, (DBusConnection *))                                                    \
  X(dbus_bool_t, dbus_connection_send, (DBusConnection *, DBusMessage *, uint32_t *))                                  \
  X(DBusMessage *, dbus_message_new_method_call, (const char *, const char *, const char *, const char *))             \
  X(DBusMessage *, dbus_message_new_method_return, (DBusMessage *))                                                    \
  X(DBusMessage *, dbus_message_new_error, (DBusMessage *, const char *, const char *))                                \
  X(DBusMessage *, dbus_message_new_signal, (const char *, const char *, const char *))                                \
  X(void, dbus_message_unref, (DBusMessage *))                                                                         \
  X(void, dbus_message_set_auto_start, (DBusMessage *, dbus_bool_t))                                                   \
  X(int, dbus_message_get_type, (DBusMessage *))                                                                       \
  X(uint32_t, dbus_message_get_reply_serial, (DBusMessage *))                                                          \
  X(dbus_bool_t, dbus_message_get_no_reply, (DBusMessage *))                                                           \
  X(const char *, dbus_message_get_sender, (DBusMessage *))                                                            \
  X(const char *, dbus_message_get_path, (DBusMessage *))                                                              \
  X(const char *, dbus_message_get_interface, (DBusMessage *))                                                         \
  X(const char *, dbus_message_get_member, (DBusMessage *))                                                            \
  X(const char *, dbus_message_get_error_name, (DBusMessage *))                                                        \
  X(void, dbus_message_iter_init_append, (DBusMessage *, DBusMessageIter *))                                           \
  X(dbus_bool_t, dbus_message_iter_append_basic, (DBusMessageIter *, int, const void *))                               \
  X(dbus_bool_t, dbus_message_iter_open_container, (DBusMessageIter *, int, const char *, DBusMessageIter *))          \
  X(dbus_bool_t, dbus_message_iter_close_container, (DBusMessageIter *, DBusMessageIter *))                            \
  X(dbus_bool_t, dbus_message_iter_init, (DBusMessage *, DBusMessageIter *))                                           \
  X(int, dbus_message_iter_get_arg_type, (DBusMessageIter *))                                                          \
  X(dbus_bool_t, dbus_message_iter_next, (DBusMessageIter *))                                                          \
  X(void, dbus_message_iter_recurse, (DBusMessageIter *, DBusMessageIter *))                                           \
  X(void, dbus_message_iter_get_basic, (DBusMessageIter *, void *))                                                    \
  X(dbus_bool_t, dbus_validate_path, (const char *, DBusError *))                                                      \
  X(dbus_bool_t, dbus_validate_utf8, (const char *, DBusError *))

static struct {
#define X(result, name, parameters) result(*name##_) parameters;
  MH_BUS_FUNCTIONS(X)
#undef X
} library;

#define X(result, name, parameters) {#name, (void **)&library.name##_},
static const clinux_late_function functions[] = {MH_BUS_FUNCTIONS(X)};
#undef X

static const char *ready(void *object) {
  (void)object;
  if (!library.dbus_threads_init_default_()) return "no memory";
  /* What a signal does is the program's to decide; the library sends with MSG_NOSIGNAL. */
  library.dbus_connection_set_change_sigpipe_(0);
  return NULL;
}

static clinux_late_library late = CLINUX_LATE_LIBRARY("libdbus-1.so.3", functions, ready);

const char *mh_bus_load(void) { return clinux_load_library(&late); }

static DBusConnection *connection(mh_bus *bus) { return (DBusConnection *)bus; }
static DBusMessage *content(mh_bus_message *message) { return (DBusMessage *)message; }
static DBusMessageIter *place(mh_bus_cursor *cursor) { return (DBusMessageIter *)cursor; }

int mh_bus_wake_open(void) {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
}

void mh_bus_wake(int descriptor) { eventfd_write(descriptor, 1); }

void mh_bus_wake_close(int descriptor) { close(descriptor); }

int mh_bus_is_path(const char *text) { return (int)library.dbus_validate_path_(text, NULL); }

int mh_bus_is_text(const char *text) { return (int)library.dbus_validate_utf8_(text, NULL); }

mh_bus *mh_bus_open(const char *address) {
  enum { most = 4 << 20 };
  DBusConnection *bus = library.dbus_connection_open_private_(address, NULL);
  if (bus == NULL) return NULL;
  library.dbus_connection_set_exit_on_disconnect_(bus, 0);
  library.dbus_connection_set_max_message_size_(bus, most);
  library.dbus_connection_set_max_received_size_(bus, most);
  library.dbus_connection_set_max_message_unix_fds_(bus, 0);
  return (mh_bus *)bus;
}

void mh_bus_close(mh_bus *bus) {
  library.dbus_connection_close_(connection(bus));
  library.dbus_connection_unref_(connection(bus));
}

int mh_bus_is_open(mh_bus *bus) { return (int)library.dbus_connection_get_is_connected_(connection(bus)); }

void mh_bus_wait(mh_bus *bus, int wake, int timeout_ms) {
  int descriptor = -1;
  if (!library.dbus_connection_get_is_authenticated_(connection(bus)) ||
      !library.dbus_connection_get_unix_fd_(connection(bus), &descriptor)) {
    /* Only the library knows whether its greeting waits to be read or written. */
    library.dbus_connection_read_write_(connection(bus), timeout_ms < 50 ? timeout_ms : 50);
    return;
  }
  const short wanted = library.dbus_connection_has_messages_to_send_(connection(bus)) ? POLLIN | POLLOUT : POLLIN;
  struct pollfd ready[2] = {{.fd = descriptor, .events = wanted}, {.fd = wake, .events = POLLIN}};
  poll(ready, 2, timeout_ms);
  eventfd_t count;
  if (ready[1].revents != 0) eventfd_read(wake, &count);
  library.dbus_connection_read_write_(connection(bus), 0);
}

mh_bus_message *mh_bus_next(mh_bus *bus) {
  return (mh_bus_message *)library.dbus_connection_pop_message_(connection(bus));
}

uint32_t mh_bus_send(mh_bus *bus, mh_bus_message *message) {
  uint32_t number = 0;
  return library.dbus_connection_send_(connection(bus), content(message), &number) ? number : 0;
}

mh_bus_message *mh_bus_new_call(const char *destination, const char *path, const char *interface, const char *member) {
  DBusMessage *message = library.dbus_message_new_method_call_(destination, path, interface, member);
  /* To ask for a service must not start it. */
  if (message != NULL) library.dbus_message_set_auto_start_(message, 0);
  return (mh_bus_message *)message;
}

mh_bus_message *mh_bus_new_answer(mh_bus_message *call) {
  return (mh_bus_message *)library.dbus_message_new_method_return_(content(call));
}

mh_bus_message *mh_bus_new_error(mh_bus_message *call, const char *name) {
  return (mh_bus_message *)library.dbus_message_new_error_(content(call), name, NULL);
}

mh_bus_message *mh_bus_new_signal(const char *path, const char *interface, const char *member) {
  return (mh_bus_message *)library.dbus_message_new_signal_(path, interface, member);
}

void mh_bus_free(mh_bus_message *message) { library.dbus_message_unref_(content(message)); }

int mh_bus_kind(mh_bus_message *message) { return library.dbus_message_get_type_(content(message)); }

uint32_t mh_bus_reply_to(mh_bus_message *message) { return library.dbus_message_get_reply_serial_(content(message)); }

int mh_bus_wants_answer(mh_bus_message *message) { return !library.dbus_message_get_no_reply_(content(message)); }

const char *mh_bus_sender(mh_bus_message *message) { return library.dbus_message_get_sender_(content(message)); }

const char *mh_bus_path(mh_bus_message *message) { return library.dbus_message_get_path_(content(message)); }

const char *mh_bus_interface(mh_bus_message *message) { return library.dbus_message_get_interface_(content(message)); }

const char *mh_bus_member(mh_bus_message *message) { return library.dbus_message_get_member_(content(message)); }

const char *mh_bus_error_name(mh_bus_message *message) {
  return library.dbus_message_get_error_name_(content(message));
}

void mh_bus_append_to(mh_bus_message *message, mh_bus_cursor *cursor) {
  library.dbus_message_iter_init_append_(content(message), place(cursor));
}

int mh_bus_append_text(mh_bus_cursor *cursor, int type, const char *text) {
  return (int)library.dbus_message_iter_append_basic_(place(cursor), type, &text);
}

int mh_bus_append_number(mh_bus_cursor *cursor, int type, uint64_t number) {
  union {
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
  } value;
  switch (type) {
  case 'y': value.one = (uint8_t)number; break;
  case 'n':
  case 'q': value.two = (uint16_t)number; break;
  case 'b': value.four = number != 0; break;
  case 'i':
  case 'u': value.four = (uint32_t)number; break;
  default: value.eight = number; break;
  }
  return (int)library.dbus_message_iter_append_basic_(place(cursor), type, &value);
}

int mh_bus_append_open(mh_bus_cursor *cursor, int type, const char *signature, mh_bus_cursor *inside) {
  return (int)library.dbus_message_iter_open_container_(place(cursor), type, signature, place(inside));
}

int mh_bus_append_close(mh_bus_cursor *cursor, mh_bus_cursor *inside) {
  return (int)library.dbus_message_iter_close_container_(place(cursor), place(inside));
}

int mh_bus_read(mh_bus_message *message, mh_bus_cursor *cursor) {
  return (int)library.dbus_message_iter_init_(content(message), place(cursor));
}

int mh_bus_type(mh_bus_cursor *cursor) { return library.dbus_message_iter_get_arg_type_(place(cursor)); }

int mh_bus_advance(mh_bus_cursor *cursor) { return (int)library.dbus_message_iter_next_(place(cursor)); }

void mh_bus_enter(mh_bus_cursor *cursor, mh_bus_cursor *inside) {
  library.dbus_message_iter_recurse_(place(cursor), place(inside));
}

const char *mh_bus_text(mh_bus_cursor *cursor) {
  const char *text = NULL;
  switch (mh_bus_type(cursor)) {
  case 's':
  case 'o':
  case 'g': library.dbus_message_iter_get_basic_(place(cursor), &text); break;
  default: break;
  }
  return text;
}

uint64_t mh_bus_number(mh_bus_cursor *cursor) {
  uint64_t eight = 0;
  uint32_t four = 0;
  uint16_t two = 0;
  uint8_t one = 0;
  switch (mh_bus_type(cursor)) {
  case 'y': library.dbus_message_iter_get_basic_(place(cursor), &one); return one;
  case 'n':
  case 'q': library.dbus_message_iter_get_basic_(place(cursor), &two); return two;
  case 'b':
  case 'i':
  case 'u': library.dbus_message_iter_get_basic_(place(cursor), &four); return four;
  case 'x':
  case 't': library.dbus_message_iter_get_basic_(place(cursor), &eight); return eight;
  default: return 0;
  }
}
