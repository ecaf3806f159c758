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
/* The next finished transfer and its result; false when there is none. The union inside CURLMsg stays in C. */
int mh_curl_multi_next_done(CURLM *multi, CURL **handle, CURLcode *result);

#endif
