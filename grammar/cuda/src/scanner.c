// The tokens that are not regular: the two of raw strings, R"delimiter(content)delimiter", and the `<` that
// surely opens a list of template arguments.

#include "tree_sitter/alloc.h"
#include "tree_sitter/parser.h"

#include <string.h>

// In the order of `externals` in the C++ grammar, and in ours.
enum Token { DELIMITER, CONTENT, OPENING_ANGLE };

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

// Characters behind a `<` among which the `>` that closes it is looked for.
enum { FURTHEST = 4096 };

// How many `<` may be open behind one.
enum { DEEPEST = 256 };

static bool is_in_word(int32_t c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_space(int32_t c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// A walk over the text behind a `<`.
typedef struct {
  TSLexer *lexer;
  int32_t before;
  unsigned passed;
} Walk;

static void step(Walk *walk) {
  walk->before = walk->lexer->lookahead;
  walk->passed++;
  walk->lexer->advance(walk->lexer, false);
}

static bool is_over(const Walk *walk) {
  return walk->passed >= FURTHEST || walk->lexer->eof(walk->lexer);
}

// Passes over a comment whose first slash was passed, if it is one.
static void pass_comment(Walk *walk) {
  TSLexer *lexer = walk->lexer;
  if (lexer->lookahead == '/') {
    while (!is_over(walk) && lexer->lookahead != '\n') step(walk);
  } else if (lexer->lookahead == '*') {
    step(walk);
    while (!is_over(walk) && !(walk->before == '*' && lexer->lookahead == '/')) step(walk);
    step(walk);
    walk->before = ' ';
  }
}

// Passes over a string or a character.
static void pass_quoted(Walk *walk, int32_t quote) {
  TSLexer *lexer = walk->lexer;
  step(walk);
  while (!is_over(walk) && lexer->lookahead != quote && lexer->lookahead != '\n') {
    if (lexer->lookahead == '\\') step(walk);
    step(walk);
  }
  step(walk);
}

// Whether what stands behind the closing `>` goes on as behind a name with its arguments.
static bool goes_on(Walk *walk) {
  TSLexer *lexer = walk->lexer;
  // `a<b, c>d`
  if (is_in_word(lexer->lookahead)) return false;
  while (!is_over(walk) && (lexer->lookahead == '>' || is_space(lexer->lookahead))) step(walk);
  switch (lexer->lookahead) {
    case '-': case '+': case '!': case '~': case '"': case '\'':
      return false;
    default:
      return !(lexer->lookahead >= '0' && lexer->lookahead <= '9');
  }
}

// A `<` right behind a name, with the `>` that closes it, and nothing between that a comparison would have and
// a list of arguments would not.
static bool scan_opening_angle(TSLexer *lexer) {
  Walk walk = {lexer, ' ', 0};
  step(&walk);
  lexer->mark_end(lexer);
  if (lexer->lookahead == '<' || lexer->lookahead == '=') return false;
  unsigned angles = 1;
  unsigned brackets = 0;
  while (!is_over(&walk)) {
    int32_t c = lexer->lookahead;
    // Lists of arguments inside one another: no source has as many, and each is looked through for each.
    if (angles > DEEPEST) return false;
    switch (c) {
      case '(': case '[': case '{':
        brackets++;
        break;
      case ')': case ']': case '}':
        if (brackets == 0) return false;
        brackets--;
        break;
      case '"':
        pass_quoted(&walk, c);
        continue;
      case '\'':
        // `1'000`
        if (is_in_word(walk.before)) break;
        pass_quoted(&walk, c);
        continue;
      case '/':
        step(&walk);
        pass_comment(&walk);
        continue;
      case '#':
        return false;
      case ';':
        if (brackets == 0) return false;
        break;
      case '&': case '|':
        if (brackets == 0 && walk.before == c) return false;
        break;
      case '<':
        if (brackets > 0) break;
        // `1 << 2` and `N < 4`
        if (is_space(walk.before)) {
          step(&walk);
          if (lexer->lookahead == '<') step(&walk);
          else if (!is_space(lexer->lookahead) && lexer->lookahead != '=') angles++;
          continue;
        }
        angles++;
        break;
      case '>':
        if (brackets > 0 || walk.before == '-') break;
        step(&walk);
        if (--angles == 0) return goes_on(&walk);
        continue;
      default:
        break;
    }
    step(&walk);
  }
  return false;
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
  if (valid[OPENING_ANGLE] && lexer->lookahead == '<') {
    lexer->result_symbol = OPENING_ANGLE;
    return scan_opening_angle(lexer);
  }
  if (!valid[DELIMITER]) return false;
  lexer->result_symbol = DELIMITER;
  return open->length > 0 ? scan_closing(open, lexer) : scan_opening(open, lexer);
}
