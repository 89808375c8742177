; extends

; Directives: `// cute: assume ldA % 8 == 0`

((comment) @injection.content
  (#match? @injection.content "^//[/!]?[ \t]*cute:[^:]")
  (#offset! @injection.content 0 2 0 0)
  (#set! injection.language "cute"))

; Shapes and layouts, alone in their comment: `// (MMA,MMA_M,MMA_K)`, `// ((2,2),4):((1,8),2)`.
; Words need punctuation between them, so that prose in parentheses stays prose.

((comment) @injection.content
  (#match? @injection.content "^//[/!]?[ \t]*[(]+[A-Za-z0-9_?]+([ \t]*[)]*[ \t]*[,:@][ \t]*[(]*[A-Za-z0-9_?]+)*[)]+[ \t]*$")
  (#offset! @injection.content 0 2 0 0)
  (#set! injection.language "cute"))
