// Raw strings, R"delimiter(content)delimiter": the two tokens that are not regular.

#include "tree_sitter/alloc.h"
#include "tree_sitter/parser.h"

#include <string.h>

// In the order of `externals` in the C++ grammar.
enum Token { DELIMITER, CONTENT };

// A delimiter has at most so many characters ([lex.string]).
enum { LONGEST = 16 };

// The delimiter of the raw string that is open; empty outside of one.
typedef struct {
  int32_t text[LONGEST];
  unsigned length;
} Open;

static bool may_be_in_delimiter(int32_t c) {
  switch (c) {
    case '(': case ')': case '\\': case ' ': case '\t': case '\v': case '\f': case '\r': case '\n':
      return false;
    default:
      return true;
  }
}

// Passes over the delimiter of the open string, as far as it stands here.
static bool pass_delimiter(const Open *open, TSLexer *lexer) {
  for (unsigned i = 0; i < open->length; i++) {
    if (lexer->eof(lexer) || lexer->lookahead != open->text[i]) return false;
    lexer->advance(lexer, false);
  }
  return true;
}

// An empty delimiter is no token: the grammar has a form without one.
static bool scan_opening(Open *open, TSLexer *lexer) {
  while (!lexer->eof(lexer) && may_be_in_delimiter(lexer->lookahead)) {
    if (open->length == LONGEST) return false;
    open->text[open->length++] = lexer->lookahead;
    lexer->advance(lexer, false);
  }
  return open->length > 0 && !lexer->eof(lexer) && lexer->lookahead == '(';
}

static bool scan_closing(Open *open, TSLexer *lexer) {
  if (!pass_delimiter(open, lexer)) return false;
  open->length = 0;
  return true;
}

// Up to the parenthesis in front of the closing delimiter, or to the end of the text.
static bool scan_content(const Open *open, TSLexer *lexer) {
  while (!lexer->eof(lexer)) {
    if (lexer->lookahead != ')') {
      lexer->advance(lexer, false);
      continue;
    }
    lexer->mark_end(lexer);
    lexer->advance(lexer, false);
    // What was passed in vain has no parenthesis in it, so the search goes on behind it.
    if (pass_delimiter(open, lexer) && lexer->lookahead == '"') return true;
  }
  lexer->mark_end(lexer);
  return true;
}

void *tree_sitter_cute_cuda_external_scanner_create(void) {
  return ts_calloc(1, sizeof(Open));
}

void tree_sitter_cute_cuda_external_scanner_destroy(void *open) {
  ts_free(open);
}

unsigned tree_sitter_cute_cuda_external_scanner_serialize(void *payload, char *buffer) {
  const Open *open = payload;
  unsigned size = open->length * (unsigned)sizeof open->text[0];
  memcpy(buffer, open->text, size);
  return size;
}

void tree_sitter_cute_cuda_external_scanner_deserialize(void *payload, const char *buffer, unsigned size) {
  Open *open = payload;
  if (size > sizeof open->text) size = 0;
  open->length = size / (unsigned)sizeof open->text[0];
  if (size > 0) memcpy(open->text, buffer, size);
}

bool tree_sitter_cute_cuda_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  Open *open = payload;
  // Both at once are asked for in recovery from an error only.
  if (valid[DELIMITER] && valid[CONTENT]) return false;
  if (valid[CONTENT]) {
    lexer->result_symbol = CONTENT;
    return scan_content(open, lexer);
  }
  if (!valid[DELIMITER]) return false;
  lexer->result_symbol = DELIMITER;
  return open->length > 0 ? scan_closing(open, lexer) : scan_opening(open, lexer);
}
