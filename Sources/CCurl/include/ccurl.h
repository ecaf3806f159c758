/* libcurl for Swift: its variadic setters and getters as functions with one type each, its macros as constants. */
#ifndef METERHOST_CCURL_H
#define METERHOST_CCURL_H

#include <curl/curl.h>
#include <stddef.h>

static inline CURLcode mh_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode mh_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode mh_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode mh_curl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode mh_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode mh_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

/* Body and header callbacks share one signature. */
typedef size_t (*mh_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode mh_curl_set_callback(CURL *handle, CURLoption option, mh_curl_data_callback callback) {
  return curl_easy_setopt(handle, option, callback);
}

static inline CURLcode mh_curl_response_code(CURL *handle, long *code) {
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, code);
}
static inline CURLcode mh_curl_private(CURL *handle, void **context) {
  return curl_easy_getinfo(handle, CURLINFO_PRIVATE, (char **)context);
}
/* Connections that this transfer had to open: 0 when it reused one. */
static inline CURLcode mh_curl_new_connections(CURL *handle, long *count) {
  return curl_easy_getinfo(handle, CURLINFO_NUM_CONNECTS, count);
}

/* The next finished transfer and its result; false when there is none. The union inside CURLMsg stays in C. */
static inline int mh_curl_next_done(CURLM *multi, CURL **handle, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    *handle = message->easy_handle;
    *result = message->data.result;
    return 1;
  }
  return 0;
}

static inline CURLMcode mh_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode mh_curl_multi_poll(CURLM *multi, int timeout_ms) {
  int ready = 0;
  return curl_multi_poll(multi, NULL, 0, timeout_ms, &ready);
}

static inline const char *mh_curl_error(CURLcode code) { return curl_easy_strerror(code); }

#endif
