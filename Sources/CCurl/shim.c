#include "ccurl.h"

#include <dlfcn.h>
#include <late_library.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#define MH_CURL_FUNCTIONS(X)                                                                                           \
  X(curl_global_init)                                                                                                  \
  X(curl_easy_init)                                                                                                    \
  X(curl_easy_cleanup)                                                                                                 \
  X(curl_easy_setopt)                                                                                                  \
  X(curl_easy_perform)                                                                                                 \
  X(curl_easy_getinfo)                                                                                                 \
  X(curl_easy_recv)                                                                                                    \
  X(curl_easy_send)                                                                                                    \
  X(curl_easy_strerror)                                                                                                \
  X(curl_slist_append)                                                                                                 \
  X(curl_slist_free_all)                                                                                               \
  X(curl_multi_init)                                                                                                   \
  X(curl_multi_cleanup)                                                                                                \
  X(curl_multi_add_handle)                                                                                             \
  X(curl_multi_remove_handle)                                                                                          \
  X(curl_multi_perform)                                                                                                \
  X(curl_multi_wakeup)                                                                                                 \
  X(curl_multi_setopt)                                                                                                 \
  X(curl_multi_poll)                                                                                                   \
  X(curl_multi_info_read)

/* The headers' types, so that the compiler checks every call as if the library were linked. */
static struct {
#define X(name) __typeof__(name) *name##_;
  MH_CURL_FUNCTIONS(X)
#undef X
} library;

#define X(name) {#name, (void **)&library.name##_},
static const clinux_late_function functions[] = {MH_CURL_FUNCTIONS(X)};
#undef X

static const char *ready(void *object) {
  /* OpenSSL frees its locks when the process exits, while the thread of a transport may still use them: a process would die
   * after its work was done. OPENSSL_init_crypto(3) with OPENSSL_INIT_NO_ATEXIT leaves that to the kernel. It must come
   * before any other use; a libcurl without OpenSSL has no such function. */
  int (*init)(unsigned long long, const void *);
  *(void **)&init = dlsym(object, "OPENSSL_init_crypto");
  if (init != NULL) init(0x00080000, NULL);
  const CURLcode code = library.curl_global_init_(CURL_GLOBAL_DEFAULT);
  return code == CURLE_OK ? NULL : library.curl_easy_strerror_(code);
}

static clinux_late_library late = CLINUX_LATE_LIBRARY("libcurl.so.4", functions, ready);

const char *mh_curl_load(void) { return clinux_load_library(&late); }

CURL *mh_curl_new(void) { return library.curl_easy_init_(); }

void mh_curl_free(CURL *handle) { library.curl_easy_cleanup_(handle); }

CURLcode mh_curl_perform(CURL *handle) { return library.curl_easy_perform_(handle); }

CURLcode mh_curl_set_long(CURL *handle, CURLoption option, long value) {
  return library.curl_easy_setopt_(handle, option, value);
}

CURLcode mh_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return library.curl_easy_setopt_(handle, option, value);
}

CURLcode mh_curl_set_string(CURL *handle, CURLoption option, const char *value) {
  return library.curl_easy_setopt_(handle, option, value);
}

CURLcode mh_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return library.curl_easy_setopt_(handle, option, value);
}

CURLcode mh_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return library.curl_easy_setopt_(handle, option, value);
}

CURLcode mh_curl_set_callback(CURL *handle, CURLoption option, mh_curl_data_callback callback) {
  return library.curl_easy_setopt_(handle, option, callback);
}

CURLcode mh_curl_set_before_request(CURL *handle, curl_prereq_callback callback, void *context) {
  const CURLcode code = library.curl_easy_setopt_(handle, CURLOPT_PREREQFUNCTION, callback);
  return code != CURLE_OK ? code : library.curl_easy_setopt_(handle, CURLOPT_PREREQDATA, context);
}

CURLcode mh_curl_set_open_socket(CURL *handle, curl_opensocket_callback callback, void *context) {
  const CURLcode code = library.curl_easy_setopt_(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
  return code != CURLE_OK ? code : library.curl_easy_setopt_(handle, CURLOPT_OPENSOCKETDATA, context);
}

CURLcode mh_curl_response_code(CURL *handle, long *code) {
  return library.curl_easy_getinfo_(handle, CURLINFO_RESPONSE_CODE, code);
}

CURLcode mh_curl_active_socket(CURL *handle, curl_socket_t *socket) {
  return library.curl_easy_getinfo_(handle, CURLINFO_ACTIVESOCKET, socket);
}

CURLcode mh_curl_connection_ends(CURL *handle, struct mh_curl_ends *ends) {
  memset(ends, 0, sizeof *ends);
  CURLcode code = library.curl_easy_getinfo_(handle, CURLINFO_PRIMARY_IP, &ends->peer);
  if (code == CURLE_OK) code = library.curl_easy_getinfo_(handle, CURLINFO_PRIMARY_PORT, &ends->peer_port);
  if (code == CURLE_OK) code = library.curl_easy_getinfo_(handle, CURLINFO_LOCAL_IP, &ends->here);
  if (code == CURLE_OK) code = library.curl_easy_getinfo_(handle, CURLINFO_LOCAL_PORT, &ends->here_port);
  return code;
}

CURLcode mh_curl_send(CURL *handle, const void *bytes, size_t count, size_t *sent) {
  return library.curl_easy_send_(handle, bytes, count, sent);
}

CURLcode mh_curl_receive(CURL *handle, void *bytes, size_t count, size_t *received) {
  return library.curl_easy_recv_(handle, bytes, count, received);
}

void mh_curl_limit_silence(curl_socket_t socket, unsigned milliseconds) {
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

const char *mh_curl_error(CURLcode code) { return library.curl_easy_strerror_(code); }

struct curl_slist *mh_curl_list_append(struct curl_slist *list, const char *text) {
  return library.curl_slist_append_(list, text);
}

void mh_curl_list_free(struct curl_slist *list) { library.curl_slist_free_all_(list); }

CURLM *mh_curl_multi_new(void) { return library.curl_multi_init_(); }

void mh_curl_multi_free(CURLM *multi) { library.curl_multi_cleanup_(multi); }

CURLMcode mh_curl_multi_add(CURLM *multi, CURL *handle) { return library.curl_multi_add_handle_(multi, handle); }

CURLMcode mh_curl_multi_remove(CURLM *multi, CURL *handle) { return library.curl_multi_remove_handle_(multi, handle); }

CURLMcode mh_curl_multi_perform(CURLM *multi) {
  int running = 0;
  return library.curl_multi_perform_(multi, &running);
}

CURLMcode mh_curl_multi_wakeup(CURLM *multi) { return library.curl_multi_wakeup_(multi); }

CURLMcode mh_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return library.curl_multi_setopt_(multi, option, value);
}

CURLMcode mh_curl_multi_poll(CURLM *multi, int timeout_ms) {
  int ready = 0;
  return library.curl_multi_poll_(multi, NULL, 0, timeout_ms, &ready);
}

CURLMcode mh_curl_multi_poll_also(CURLM *multi, struct curl_waitfd *also, unsigned count, int timeout_ms) {
  int ready = 0;
  return library.curl_multi_poll_(multi, also, count, timeout_ms, &ready);
}

int mh_curl_multi_next_done(CURLM *multi, CURL **handle, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = library.curl_multi_info_read_(multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    *handle = message->easy_handle;
    *result = message->data.result;
    return 1;
  }
  return 0;
}
