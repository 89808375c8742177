; What stands left of `=` is a name that the rest of the text uses.

(source_file) @local.scope

(assertion
  left: (path . (identifier) @local.definition .)
  "=")

(path (identifier) @local.reference)
