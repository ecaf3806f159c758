/* libcurl for Swift: its variadic setters and getters as functions with one type each, its macros as constants.
 *
 * The library is loaded when the first transfer needs it: it brings thirty others along (TLS, Kerberos, LDAP), which cost
 * a command that sends nothing a third of its time. */
#ifndef METERHOST_CCURL_H
#define METERHOST_CCURL_H

#include <curl/curl.h>
#include <stddef.h>

/* Loads and initialises the library; NULL when it can be used, otherwise what is wrong with it (valid until this thread's
 * next call). Call it, with success, before any other function; any thread may. */
const char *mh_curl_load(void);

CURL *mh_curl_new(void);
void mh_curl_free(CURL *handle);
/* One transfer to its end, on the calling thread. */
CURLcode mh_curl_perform(CURL *handle);
CURLcode mh_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode mh_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value);
CURLcode mh_curl_set_string(CURL *handle, CURLoption option, const char *value);
CURLcode mh_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode mh_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);

/* Body and header callbacks share one signature. */
typedef size_t (*mh_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
CURLcode mh_curl_set_callback(CURL *handle, CURLoption option, mh_curl_data_callback callback);

/* `callback` hears, with `context`, both ends of the connection before each request is written to it. */
CURLcode mh_curl_set_before_request(CURL *handle, curl_prereq_callback callback, void *context);
/* Every new connection gets its socket from `callback`: its descriptor, or CURL_SOCKET_BAD. */
CURLcode mh_curl_set_open_socket(CURL *handle, curl_opensocket_callback callback, void *context);

CURLcode mh_curl_response_code(CURL *handle, long *code);
const char *mh_curl_error(CURLcode code);

/* Of a handle with CURLOPT_CONNECT_ONLY that has connected and was not removed from its multi handle: */
/* the socket of its connection; */
CURLcode mh_curl_active_socket(CURL *handle, curl_socket_t *socket);
/* both ends of it, as numbers; the texts belong to the handle; */
struct mh_curl_ends {
  const char *peer, *here;
  long peer_port, here_port;
};
CURLcode mh_curl_connection_ends(CURL *handle, struct mh_curl_ends *ends);
/* and bytes over it, which wait for nothing: CURLE_AGAIN when none can travel now. Send the same bytes from the same place then. */
CURLcode mh_curl_send(CURL *handle, const void *bytes, size_t count, size_t *sent);
CURLcode mh_curl_receive(CURL *handle, void *bytes, size_t count, size_t *received);
/* How long bytes sent over a TCP socket may stay unacknowledged before the kernel ends the connection (TCP_USER_TIMEOUT). */
void mh_curl_limit_silence(curl_socket_t socket, unsigned milliseconds);

struct curl_slist *mh_curl_list_append(struct curl_slist *list, const char *text);
void mh_curl_list_free(struct curl_slist *list);

CURLM *mh_curl_multi_new(void);
void mh_curl_multi_free(CURLM *multi);
CURLMcode mh_curl_multi_add(CURLM *multi, CURL *handle);
CURLMcode mh_curl_multi_remove(CURLM *multi, CURL *handle);
CURLMcode mh_curl_multi_perform(CURLM *multi);
CURLMcode mh_curl_multi_wakeup(CURLM *multi);
CURLMcode mh_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode mh_curl_multi_poll(CURLM *multi, int timeout_ms);
/* The same, which also ends when one of some other sockets is ready. */
CURLMcode mh_curl_multi_poll_also(CURLM *multi, struct curl_waitfd *also, unsigned count, int timeout_ms);
/* The next finished transfer and its result; false when there is none. The union inside CURLMsg stays in C. */
int mh_curl_multi_next_done(CURLM *multi, CURL **handle, CURLcode *result);

#endif
