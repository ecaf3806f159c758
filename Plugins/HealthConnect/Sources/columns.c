/* The names of columns out of the text of CREATE TABLE. */
#include "include/database.h"

#include <string.h>

typedef struct token {
  /* 0: the end; 'w' a word; 'q' a quoted one; else the character. */
  char kind;
  uint32_t at, n;
} token;

typedef struct lexer {
  const char *p;
  uint32_t n, at;
} lexer;

static int is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || (c & 0x80) != 0;
}

static void skip_blanks(lexer *in) {
  for (;;) {
    const char *p = in->p + in->at;
    uint32_t left = in->n - in->at;
    if (left >= 1 && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r' || *p == '\f')) {
      in->at += 1;
    } else if (left >= 2 && p[0] == '-' && p[1] == '-') {
      while (in->at < in->n && in->p[in->at] != '\n') in->at += 1;
    } else if (left >= 2 && p[0] == '/' && p[1] == '*') {
      in->at += 2;
      while (in->at < in->n && !(in->p[in->at - 1] == '*' && in->p[in->at] == '/')) in->at += 1;
      if (in->at < in->n) in->at += 1;
    } else {
      return;
    }
  }
}

static token next(lexer *in) {
  skip_blanks(in);
  token t = {0, in->at, 0};
  if (in->at >= in->n) return t;
  char c = in->p[in->at++];
  char close = c == '[' ? ']' : c;
  if (c == '"' || c == '\'' || c == '`' || c == '[') {
    t.kind = 'q';
    t.at = in->at;
    while (in->at < in->n && in->p[in->at] != close) in->at += 1;
    t.n = in->at - t.at;
    if (in->at < in->n) in->at += 1;
    return t;
  }
  t.kind = is_word(c) ? 'w' : c;
  while (t.kind == 'w' && in->at < in->n && is_word(in->p[in->at])) in->at += 1;
  t.n = in->at - t.at;
  return t;
}

static int is(const lexer *in, token t, const char *word) {
  if (t.kind != 'w' || t.n != strlen(word)) return 0;
  for (uint32_t i = 0; i < t.n; i++)
    if ((in->p[t.at + i] & ~32) != word[i]) return 0;
  return 1;
}

static int is_constraint(const lexer *in, token t) {
  return is(in, t, "CONSTRAINT") || is(in, t, "PRIMARY") || is(in, t, "UNIQUE") || is(in, t, "CHECK") || is(in, t, "FOREIGN");
}

/* One column up to its comma: whether it is kept in the row, and whether it is the row's id. The token that ended it. */
static token read_column(lexer *in, columns *out, token name) {
  int depth = 0, is_generated = 0, is_stored = 0, is_integer = 0, is_primary = 0, is_first = 1;
  token t;
  for (;;) {
    t = next(in);
    if (t.kind == 0 || (depth == 0 && (t.kind == ',' || t.kind == ')'))) break;
    if (t.kind == '(') depth += 1;
    if (t.kind == ')') depth -= 1;
    if (depth == 0) {
      if (is_first) is_integer = is(in, t, "INTEGER");
      is_generated |= is(in, t, "AS") || is(in, t, "GENERATED");
      is_stored |= is(in, t, "STORED");
      is_primary |= is(in, t, "PRIMARY");
    }
    is_first = 0;
  }
  if ((is_generated && !is_stored) || out->n == COLUMNS_MAX) return t;
  if (is_integer && is_primary) out->alias = out->n;
  out->names[out->n].at = name.at;
  out->names[out->n].n = name.n;
  out->n += 1;
  return t;
}

int columns_read(const char *sql, uint32_t n, columns *out) {
  lexer in = {sql, n, 0};
  token t = next(&in);
  out->n = 0;
  out->alias = UINT32_MAX;
  while (t.kind != 0 && t.kind != '(') t = next(&in);
  while (t.kind == '(' || t.kind == ',') {
    t = next(&in);
    if (is_constraint(&in, t)) {
      for (int depth = 0; t.kind != 0 && !(depth == 0 && t.kind == ')'); t = next(&in)) depth += t.kind == '(' ? 1 : t.kind == ')' ? -1 : 0;
      break;
    }
    if (t.kind != 'w' && t.kind != 'q') return 0;
    t = read_column(&in, out, t);
  }
  /* WITHOUT ROWID is another kind of tree. */
  for (t = next(&in); t.kind != 0; t = next(&in))
    if (is(&in, t, "WITHOUT")) return 0;
  return out->n > 0;
}
