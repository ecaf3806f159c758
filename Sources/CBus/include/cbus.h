/* libdbus for Swift: a private connection to a message bus, and messages to and from it, over opaque handles.
 *
 * The library is loaded when somebody asks whether bluetoothd runs: a machine without D-Bus need not have it installed.
 * A connection and its messages belong to one thread at a time. What comes from the bus has passed libdbus's checks of form;
 * nothing is known of its content. What is sent must be valid already, because libdbus ends the process over names and text
 * that are not: mh_bus_is_path and mh_bus_is_text ask. */
#ifndef METERHOST_CBUS_H
#define METERHOST_CBUS_H

#include <stdint.h>

typedef struct mh_bus mh_bus;
typedef struct mh_bus_message mh_bus_message;

/* A place in a message's content. */
typedef struct {
  void *reserved[16];
} mh_bus_cursor;

/* Kinds of message: the numbers of the D-Bus specification, "Message Format". */
enum {
  MH_BUS_CALL = 1,
  MH_BUS_ANSWER = 2,
  MH_BUS_ERROR = 3,
  MH_BUS_SIGNAL = 4,
};

/* Loads the library; NULL when it can be used, otherwise what is wrong with it (valid until this thread's next call).
 * Call it, with success, before any other function; any thread may. */
const char *mh_bus_load(void);

/* What another thread ends mh_bus_wait with: a descriptor, or -errno. Close it when neither uses it any more. */
int mh_bus_wake_open(void);
void mh_bus_wake(int descriptor);
void mh_bus_wake_close(int descriptor);

/* Whether a path of an object, or text, may be sent. */
int mh_bus_is_path(const char *text);
int mh_bus_is_text(const char *text);

/* Connects, without a word to the bus yet; NULL when there is none at this address. */
mh_bus *mh_bus_open(const char *address);
void mh_bus_close(mh_bus *bus);
int mh_bus_is_open(mh_bus *bus);
/* Sends what waits to be sent, and takes what has arrived, when the first of it does; at most this long. A wake descriptor
 * of -1 is none. */
void mh_bus_wait(mh_bus *bus, int wake, int timeout_ms);
/* The next message that has arrived, to be freed; NULL when there is none. */
mh_bus_message *mh_bus_next(mh_bus *bus);
/* Queues a message, which stays the caller's; its number, 0 without memory. */
uint32_t mh_bus_send(mh_bus *bus, mh_bus_message *message);

mh_bus_message *mh_bus_new_call(const char *destination, const char *path, const char *interface, const char *member);
mh_bus_message *mh_bus_new_answer(mh_bus_message *call);
mh_bus_message *mh_bus_new_error(mh_bus_message *call, const char *name);
mh_bus_message *mh_bus_new_signal(const char *path, const char *interface, const char *member);
void mh_bus_free(mh_bus_message *message);

int mh_bus_kind(mh_bus_message *message);
uint32_t mh_bus_reply_to(mh_bus_message *message);
/* Whether its sender waits for an answer. */
int mh_bus_wants_answer(mh_bus_message *message);
/* Valid as long as the message; NULL where it has none. */
const char *mh_bus_sender(mh_bus_message *message);
const char *mh_bus_path(mh_bus_message *message);
const char *mh_bus_interface(mh_bus_message *message);
const char *mh_bus_member(mh_bus_message *message);
const char *mh_bus_error_name(mh_bus_message *message);

/* Where content is appended. Each returns 0 without memory. Types are D-Bus's type codes, as 's' and 'o'; a number has the low
 * bits of its type. */
void mh_bus_append_to(mh_bus_message *message, mh_bus_cursor *cursor);
int mh_bus_append_text(mh_bus_cursor *cursor, int type, const char *text);
int mh_bus_append_number(mh_bus_cursor *cursor, int type, uint64_t number);
/* A container: 'a' with the signature of its elements, 'v' with that of its content, 'e' with NULL. */
int mh_bus_append_open(mh_bus_cursor *cursor, int type, const char *signature, mh_bus_cursor *inside);
int mh_bus_append_close(mh_bus_cursor *cursor, mh_bus_cursor *inside);

/* The first argument; 0 when there is none. */
int mh_bus_read(mh_bus_message *message, mh_bus_cursor *cursor);
/* D-Bus's type code of what is here; 0 after the last. */
int mh_bus_type(mh_bus_cursor *cursor);
/* Goes on; 0 after the last. */
int mh_bus_advance(mh_bus_cursor *cursor);
/* Into the container that is here. */
void mh_bus_enter(mh_bus_cursor *cursor, mh_bus_cursor *inside);
/* The text that is here (types 's', 'o' and 'g'), valid as long as the message; NULL for anything else. */
const char *mh_bus_text(mh_bus_cursor *cursor);
/* The number or truth that is here (types 'y', 'b', 'n', 'q', 'i', 'u', 'x' and 't'); 0 for anything else. */
uint64_t mh_bus_number(mh_bus_cursor *cursor);

#endif
