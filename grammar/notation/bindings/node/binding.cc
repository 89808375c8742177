// The grammar as a Node.js addon: a language that `tree-sitter` of npm takes.

#include <napi.h>

typedef struct TSLanguage TSLanguage;

extern "C" TSLanguage *tree_sitter_cute();

// Marks the pointer as a language; `tree-sitter` refuses others.
static const napi_type_tag LANGUAGE_TYPE_TAG = {0x8AF2E5212AD58ABF, 0xD5006CAD83ABBA16};

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  auto language = Napi::External<TSLanguage>::New(env, tree_sitter_cute());
  language.TypeTag(&LANGUAGE_TYPE_TAG);
  exports["language"] = language;
  return exports;
}

NODE_API_MODULE(tree_sitter_cute_binding, Init)
