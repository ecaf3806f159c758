#include "include/import/json.h"

#include <string.h>

enum {
  VALUE, VALUE_OR_CLOSE, KEY, KEY_OR_CLOSE, COLON, COMMA, WHOLE, STRING, ESCAPE, HEX, NUMBER, LITERAL, BROKEN
};

void mh_json_start(mh_json *json) { memset(json, 0, sizeof *json); }

int mh_json_is_whole(const mh_json *json) { return json->state == WHOLE; }

static int is_blank(uint8_t c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

static mh_json_token broken(mh_json *json) {
  json->state = BROKEN;
  return MH_JSON_BAD;
}

static void put(mh_json *json, uint8_t c) {
  if (json->length < MH_JSON_TEXT_MAX)
    json->text[json->length++] = (char)c;
  else
    json->is_cut = 1;
}

/* A character that a \u escape names, as UTF-8; a surrogate without its other half is U+FFFD. */
static void put_code(mh_json *json, uint32_t code) {
  if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
  if (code < 0x80) {
    put(json, (uint8_t)code);
    return;
  }
  if (code < 0x800) {
    put(json, (uint8_t)(0xc0 | code >> 6));
  } else {
    if (code < 0x10000) {
      put(json, (uint8_t)(0xe0 | code >> 12));
    } else {
      put(json, (uint8_t)(0xf0 | code >> 18));
      put(json, (uint8_t)(0x80 | (code >> 12 & 0x3f)));
    }
    put(json, (uint8_t)(0x80 | (code >> 6 & 0x3f)));
  }
  put(json, (uint8_t)(0x80 | (code & 0x3f)));
}

static void end_high(mh_json *json) {
  if (json->high != 0) put_code(json, 0xfffd);
  json->high = 0;
}

static void after_value(mh_json *json) { json->state = json->depth == 0 ? WHOLE : COMMA; }

static mh_json_token open_level(mh_json *json, int is_object) {
  if (json->depth == MH_JSON_DEPTH_MAX) return broken(json);
  json->objects = json->objects << 1 | (uint64_t)is_object;
  json->depth += 1;
  json->state = is_object ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
  return is_object ? MH_JSON_OBJECT : MH_JSON_ARRAY;
}

static mh_json_token close_level(mh_json *json, int is_object) {
  if (json->depth == 0 || (int)(json->objects & 1) != is_object) return broken(json);
  json->objects >>= 1;
  json->depth -= 1;
  after_value(json);
  return is_object ? MH_JSON_OBJECT_END : MH_JSON_ARRAY_END;
}

static void begin_text(mh_json *json, int state, int is_key) {
  json->length = 0;
  json->is_cut = 0;
  json->high = 0;
  json->is_key = (uint8_t)is_key;
  json->state = (uint8_t)state;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static int is_number(const char *p, uint32_t n) {
  uint32_t i = n > 0 && p[0] == '-' ? 1 : 0, start = i;
  while (i < n && p[i] >= '0' && p[i] <= '9') i++;
  if (i == start || (p[start] == '0' && i - start > 1)) return 0;
  if (i < n && p[i] == '.') {
    start = ++i;
    while (i < n && p[i] >= '0' && p[i] <= '9') i++;
    if (i == start) return 0;
  }
  if (i < n && (p[i] == 'e' || p[i] == 'E')) {
    i++;
    if (i < n && (p[i] == '+' || p[i] == '-')) i++;
    start = i;
    while (i < n && p[i] >= '0' && p[i] <= '9') i++;
    if (i == start) return 0;
  }
  return i == n;
}

static mh_json_token end_number(mh_json *json) {
  if (json->is_cut || !is_number(json->text, json->length)) return broken(json);
  after_value(json);
  return MH_JSON_NUMBER;
}

static mh_json_token literal_byte(mh_json *json, uint8_t c) {
  static const struct {
    const char *word;
    mh_json_token token;
  } words[] = {{"true", MH_JSON_TRUE}, {"false", MH_JSON_FALSE}, {"null", MH_JSON_NULL}};
  put(json, c);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    size_t n = strlen(words[i].word);
    if (json->length > n || memcmp(words[i].word, json->text, json->length) != 0) continue;
    if (json->length < n) return MH_JSON_MORE;
    after_value(json);
    return words[i].token;
  }
  return broken(json);
}

static int begin_value(mh_json *json, uint8_t c, mh_json_token *token) {
  *token = MH_JSON_MORE;
  if (c == '{' || c == '[') {
    *token = open_level(json, c == '{');
  } else if (c == '"') {
    begin_text(json, STRING, 0);
  } else if (c == '-' || (c >= '0' && c <= '9')) {
    begin_text(json, NUMBER, 0);
    put(json, c);
  } else if (c == 't' || c == 'f' || c == 'n') {
    begin_text(json, LITERAL, 0);
    put(json, c);
  } else {
    *token = broken(json);
  }
  return *token != MH_JSON_MORE;
}

/* A byte between tokens. */
static mh_json_token between(mh_json *json, uint8_t c) {
  mh_json_token token = MH_JSON_MORE;
  if (is_blank(c)) return token;
  switch (json->state) {
    case VALUE_OR_CLOSE:
      if (c == ']') return close_level(json, 0);
      begin_value(json, c, &token);
      return token;
    case VALUE: begin_value(json, c, &token); return token;
    case KEY_OR_CLOSE:
      if (c == '}') return close_level(json, 1);
      if (c != '"') return broken(json);
      begin_text(json, STRING, 1);
      return token;
    case KEY:
      if (c != '"') return broken(json);
      begin_text(json, STRING, 1);
      return token;
    case COLON:
      if (c != ':') return broken(json);
      json->state = VALUE;
      return token;
    case COMMA:
      if (c == ']' || c == '}') return close_level(json, c == '}');
      if (c != ',') return broken(json);
      json->state = (json->objects & 1) != 0 ? KEY : VALUE;
      return token;
    default: return broken(json);
  }
}

static int escaped(mh_json *json, uint8_t c) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (c == 'u') {
    json->state = HEX;
    json->hex_left = 4;
    json->code = 0;
    return 1;
  }
  const char *found = c == 0 ? NULL : strchr(from, c);
  if (found == NULL) return 0;
  end_high(json);
  put(json, (uint8_t)to[found - from]);
  json->state = STRING;
  return 1;
}

static int hex_digit(mh_json *json, uint8_t c) {
  int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
  if (digit < 0) return 0;
  json->code = (uint16_t)(json->code << 4 | digit);
  if (--json->hex_left > 0) return 1;
  json->state = STRING;
  if (json->high != 0 && json->code >= 0xdc00 && json->code <= 0xdfff) {
    put_code(json, 0x10000u + ((uint32_t)(json->high - 0xd800) << 10) + (uint32_t)(json->code - 0xdc00));
    json->high = 0;
    return 1;
  }
  end_high(json);
  if (json->code >= 0xd800 && json->code <= 0xdbff)
    json->high = json->code;
  else
    put_code(json, json->code);
  return 1;
}

static mh_json_token string_bytes(mh_json *json, const uint8_t **at, const uint8_t *end) {
  const uint8_t *p = *at;
  while (p < end && *p != '"' && *p != '\\' && *p >= 0x20) {
    if (json->high != 0) end_high(json);
    put(json, *p++);
  }
  *at = p;
  if (p == end) return MH_JSON_MORE;
  *at = p + 1;
  if (*p < 0x20) return broken(json);
  if (*p == '\\') {
    json->state = ESCAPE;
    return MH_JSON_MORE;
  }
  end_high(json);
  if (json->is_key)
    json->state = COLON;
  else
    after_value(json);
  return json->is_key ? MH_JSON_KEY : MH_JSON_STRING;
}

mh_json_token mh_json_next(mh_json *json, const uint8_t **at, const uint8_t *end) {
  while (*at < end) {
    mh_json_token token = MH_JSON_MORE;
    uint8_t c = **at;
    switch (json->state) {
      case BROKEN: return MH_JSON_BAD;
      case STRING: token = string_bytes(json, at, end); break;
      case ESCAPE:
        *at += 1;
        if (!escaped(json, c)) return broken(json);
        break;
      case HEX:
        *at += 1;
        if (!hex_digit(json, c)) return broken(json);
        break;
      case NUMBER:
        if ((c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-') {
          *at += 1;
          put(json, c);
        } else {
          token = end_number(json);
        }
        break;
      case LITERAL:
        *at += 1;
        token = literal_byte(json, c);
        break;
      default:
        *at += 1;
        token = between(json, c);
    }
    if (token != MH_JSON_MORE) return token;
  }
  return json->state == BROKEN ? MH_JSON_BAD : MH_JSON_MORE;
}
