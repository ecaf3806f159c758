#define _POSIX_C_SOURCE 200809L

#include "cpostgres.h"

#include <errno.h>
#include <late_library.h>
#include <poll.h>
#include <postgresql/libpq-fe.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define MH_POSTGRES_FUNCTIONS(X)                                                                                       \
  X(PQconninfoParse)                                                                                                   \
  X(PQconninfoFree)                                                                                                    \
  X(PQconnectStartParams)                                                                                              \
  X(PQconnectPoll)                                                                                                     \
  X(PQsocket)                                                                                                          \
  X(PQstatus)                                                                                                          \
  X(PQtransactionStatus)                                                                                               \
  X(PQerrorMessage)                                                                                                    \
  X(PQpass)                                                                                                            \
  X(PQparameterStatus)                                                                                                 \
  X(PQsetErrorVerbosity)                                                                                               \
  X(PQsetNoticeProcessor)                                                                                              \
  X(PQfinish)                                                                                                          \
  X(PQsetnonblocking)                                                                                                  \
  X(PQsendQuery)                                                                                                       \
  X(PQflush)                                                                                                           \
  X(PQconsumeInput)                                                                                                    \
  X(PQisBusy)                                                                                                          \
  X(PQsendQueryParams)                                                                                                 \
  X(PQsetSingleRowMode)                                                                                                \
  X(PQgetResult)                                                                                                       \
  X(PQclear)                                                                                                           \
  X(PQresultStatus)                                                                                                    \
  X(PQresultErrorField)                                                                                                \
  X(PQntuples)                                                                                                         \
  X(PQnfields)                                                                                                         \
  X(PQfname)                                                                                                           \
  X(PQftype)                                                                                                           \
  X(PQgetisnull)                                                                                                       \
  X(PQgetvalue)                                                                                                        \
  X(PQgetlength)

/* The headers' types, so that the compiler checks every call as if the library were linked. */
static struct {
#define X(name) __typeof__(name) *name##_;
  MH_POSTGRES_FUNCTIONS(X)
#undef X
} library;

#define X(name) {#name, (void **)&library.name##_},
static const clinux_late_function functions[] = {MH_POSTGRES_FUNCTIONS(X)};
#undef X
static clinux_late_library late = CLINUX_LATE_LIBRARY("libpq.so.5", functions, NULL);

const char *mh_postgres_load(void) { return clinux_load_library(&late); }

static PGconn *handle(const mh_postgres *connection) { return (PGconn *)connection; }
static PGresult *outcome(const mh_postgres_result *result) { return (PGresult *)result; }

int mh_postgres_parse(const char *text, mh_postgres_option option, void *context) {
  PQconninfoOption *options = library.PQconninfoParse_(text, NULL);
  if (options == NULL) return 0;
  for (PQconninfoOption *each = options; each->keyword != NULL; each++)
    if (each->val != NULL) option(each->keyword, each->val, context);
  library.PQconninfoFree_(options);
  return 1;
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* What the server has to say outside of answers would go to standard error. */
static void drop_notice(void *context, const char *message) {
  (void)context;
  (void)message;
}

/* PQconnectdb has no way to make the server's SQLSTATE part of a refusal's message, so it is done step by step. */
static void connect_until(PGconn *connection, int64_t deadline) {
  PostgresPollingStatusType step = PGRES_POLLING_WRITING;
  while (step != PGRES_POLLING_OK && step != PGRES_POLLING_FAILED) {
    const int64_t left = deadline - now_ms();
    struct pollfd ready = {.fd = library.PQsocket_(connection),
                           .events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT};
    if (left <= 0) return;
    const int count = poll(&ready, 1, (int)left);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    step = library.PQconnectPoll_(connection);
  }
}

mh_postgres *mh_postgres_connect(const char *text, int timeout_ms) {
  /* Before dbname: what the text may say otherwise. After it: what it may not. */
  const char *const keywords[] = {"keepalives_idle", "tcp_user_timeout", "fallback_application_name", "dbname",
                                  "client_encoding", NULL};
  const char *const values[] = {"30", "30000", "meterhost", text, "UTF8", NULL};
  PGconn *connection = library.PQconnectStartParams_(keywords, values, 1);
  if (connection == NULL) return NULL;
  library.PQsetErrorVerbosity_(connection, PQERRORS_VERBOSE);
  library.PQsetNoticeProcessor_(connection, drop_notice, NULL);
  if (library.PQstatus_(connection) != CONNECTION_BAD) connect_until(connection, now_ms() + timeout_ms);
  /* So that a server that takes nothing is no call without end. */
  library.PQsetnonblocking_(connection, 1);
  return (mh_postgres *)connection;
}

void mh_postgres_close(mh_postgres *connection) { library.PQfinish_(handle(connection)); }

int mh_postgres_is_open(const mh_postgres *connection) {
  return library.PQstatus_(handle(connection)) == CONNECTION_OK;
}

int mh_postgres_in_transaction(const mh_postgres *connection) {
  switch (library.PQtransactionStatus_(handle(connection))) {
  case PQTRANS_IDLE: return 0;
  case PQTRANS_UNKNOWN: return -1;
  default: return 1;
  }
}

const char *mh_postgres_message(const mh_postgres *connection) { return library.PQerrorMessage_(handle(connection)); }

const char *mh_postgres_password(const mh_postgres *connection) {
  const char *password = library.PQpass_(handle(connection));
  return password == NULL ? "" : password;
}

const char *mh_postgres_setting(const mh_postgres *connection, const char *name) {
  return library.PQparameterStatus_(handle(connection), name);
}

/* Waits until the server has taken all or says something; 0 when it does neither. */
static int wait_for_server(PGconn *connection, short events, int silence_ms) {
  struct pollfd ready = {.fd = library.PQsocket_(connection), .events = events};
  /* Lost already, which the next call tells. */
  if (ready.fd < 0) return 1;
  const int64_t deadline = now_ms() + silence_ms;
  for (;;) {
    const int64_t left = silence_ms < 0 ? -1 : deadline - now_ms();
    const int count = silence_ms >= 0 && left <= 0 ? 0 : poll(&ready, 1, (int)left);
    if (count < 0 && errno == EINTR) continue;
    return count > 0;
  }
}

/* libpq has no such thing as giving up: it finds the connection lost. */
static void give_up(PGconn *connection) { shutdown(library.PQsocket_(connection), SHUT_RDWR); }

static PGresult *next_result(PGconn *connection, int silence_ms) {
  int left;
  while ((left = library.PQflush_(connection)) > 0) {
    if (!wait_for_server(connection, POLLIN | POLLOUT, silence_ms)) give_up(connection);
    /* It may wait until we have taken what it says. */
    if (!library.PQconsumeInput_(connection)) break;
  }
  while (library.PQisBusy_(connection)) {
    if (!wait_for_server(connection, POLLIN, silence_ms)) give_up(connection);
    if (!library.PQconsumeInput_(connection)) break;
  }
  return library.PQgetResult_(connection);
}

mh_postgres_result *mh_postgres_run(mh_postgres *connection, const char *sql, int silence_ms) {
  if (!library.PQsendQuery_(handle(connection), sql)) return NULL;
  PGresult *last = NULL, *next;
  while ((next = next_result(handle(connection), silence_ms)) != NULL) {
    library.PQclear_(last);
    last = next;
  }
  return (mh_postgres_result *)last;
}

int mh_postgres_send(mh_postgres *connection, const char *sql, int count, const uint32_t *types,
                     const char *const *values, const int *lengths) {
  enum { most = 16 };
  int formats[most];
  if (count > most) return 0;
  for (int index = 0; index < most; index++) formats[index] = 1;
  if (!library.PQsendQueryParams_(handle(connection), sql, count, types, values, lengths, formats, 1)) return 0;
  library.PQsetSingleRowMode_(handle(connection));
  return 1;
}

mh_postgres_result *mh_postgres_next(mh_postgres *connection, int silence_ms) {
  return (mh_postgres_result *)next_result(handle(connection), silence_ms);
}

void mh_postgres_cancel(mh_postgres *connection, int silence_ms) {
  /* To ask the server to stop takes another connection, for whose end libpq waits without a limit. */
  give_up(handle(connection));
  PGresult *result;
  while ((result = next_result(handle(connection), silence_ms)) != NULL) library.PQclear_(result);
}

void mh_postgres_free(mh_postgres_result *result) { library.PQclear_(outcome(result)); }

int mh_postgres_status(const mh_postgres_result *result) {
  switch (library.PQresultStatus_(outcome(result))) {
  case PGRES_SINGLE_TUPLE:
  case PGRES_TUPLES_OK: return 2;
  case PGRES_COMMAND_OK: return 1;
  default: return 0;
  }
}

static const char *field(const mh_postgres_result *result, int code) {
  const char *text = library.PQresultErrorField_(outcome(result), code);
  return text == NULL ? "" : text;
}

const char *mh_postgres_sqlstate(const mh_postgres_result *result) { return field(result, PG_DIAG_SQLSTATE); }

const char *mh_postgres_primary(const mh_postgres_result *result) { return field(result, PG_DIAG_MESSAGE_PRIMARY); }

int mh_postgres_rows(const mh_postgres_result *result) { return library.PQntuples_(outcome(result)); }

int mh_postgres_columns(const mh_postgres_result *result) { return library.PQnfields_(outcome(result)); }

const char *mh_postgres_name(const mh_postgres_result *result, int column) {
  return library.PQfname_(outcome(result), column);
}

uint32_t mh_postgres_type(const mh_postgres_result *result, int column) {
  return library.PQftype_(outcome(result), column);
}

const char *mh_postgres_value(const mh_postgres_result *result, int row, int column, int *length) {
  if (library.PQgetisnull_(outcome(result), row, column)) return NULL;
  *length = library.PQgetlength_(outcome(result), row, column);
  return library.PQgetvalue_(outcome(result), row, column);
}
