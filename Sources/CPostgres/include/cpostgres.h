/* libpq for Swift: the calls that the receiver makes, over opaque handles.
 *
 * The library is loaded when a receiver is told to store in PostgreSQL: a gateway, and a receiver that stores in SQLite,
 * need not have it installed. */
#ifndef METERHOST_CPOSTGRES_H
#define METERHOST_CPOSTGRES_H

#include <stddef.h>
#include <stdint.h>

typedef struct mh_postgres mh_postgres;
typedef struct mh_postgres_result mh_postgres_result;

enum {
  MH_POSTGRES_INT2 = 21,
  MH_POSTGRES_INT4 = 23,
  MH_POSTGRES_INT8 = 20,
  MH_POSTGRES_TEXT = 25,
  MH_POSTGRES_BYTEA = 17,
  MH_POSTGRES_INT8_LIST = 1016,
  MH_POSTGRES_TEXT_LIST = 1009,
};

/* Loads the library; NULL when it can be used, otherwise what is wrong with it (valid until this thread's next call).
 * Call it, with success, before any other function; any thread may. */
const char *mh_postgres_load(void);

/* What a connection text says, by the names of libpq's options. */
typedef void (*mh_postgres_option)(const char *keyword, const char *value, void *context);

/* Reads a connection text without connecting; 0 when it is none. The reason stays here: it quotes the text, and with it
 * what may be a password. */
int mh_postgres_parse(const char *text, mh_postgres_option option, void *context);

/* Connects; NULL only without memory. Ask mh_postgres_is_open next. */
mh_postgres *mh_postgres_connect(const char *text, int timeout_ms);
void mh_postgres_close(mh_postgres *connection);
int mh_postgres_is_open(const mh_postgres *connection);
/* 1 in a transaction, 0 outside, -1 when the connection has gone. */
int mh_postgres_in_transaction(const mh_postgres *connection);
/* The last failure, with the server's SQLSTATE in it where there is one. */
const char *mh_postgres_message(const mh_postgres *connection);
/* The password that was used, wherever it came from; never NULL. */
const char *mh_postgres_password(const mh_postgres *connection);
/* A setting that the server reports, such as server_encoding; NULL when it does not. */
const char *mh_postgres_setting(const mh_postgres *connection, const char *name);

/* A server that owes something and says nothing for silence_ms is given up: the connection is lost then. Below 0 it is waited for
 * without end. */

/* Statements without arguments, one after the other; the last one's result, NULL where they cannot be sent. */
mh_postgres_result *mh_postgres_run(mh_postgres *connection, const char *sql, int silence_ms);
/* Sends one statement, whose rows then come one by one out of mh_postgres_next. Arguments are in binary form, NULL for
 * null. 0 when it cannot be sent. */
int mh_postgres_send(mh_postgres *connection, const char *sql, int count, const uint32_t *types,
                     const char *const *values, const int *lengths);
/* The next result of what was sent, NULL after the last. */
mh_postgres_result *mh_postgres_next(mh_postgres *connection, int silence_ms);
/* Gives up what was sent, and the connection with it. */
void mh_postgres_cancel(mh_postgres *connection, int silence_ms);

void mh_postgres_free(mh_postgres_result *result);
/* 0: the statement failed; 1: it is done; 2: there are rows, and more may follow. */
int mh_postgres_status(const mh_postgres_result *result);
/* The five characters of the failure's SQLSTATE, "" where the server sent none. */
const char *mh_postgres_sqlstate(const mh_postgres_result *result);
/* The failure in one line, without the values that the server quotes in its detail. */
const char *mh_postgres_primary(const mh_postgres_result *result);
int mh_postgres_rows(const mh_postgres_result *result);
int mh_postgres_columns(const mh_postgres_result *result);
const char *mh_postgres_name(const mh_postgres_result *result, int column);
uint32_t mh_postgres_type(const mh_postgres_result *result, int column);
/* The bytes of a value, in binary form; NULL for null. */
const char *mh_postgres_value(const mh_postgres_result *result, int row, int column, int *length);

#endif
