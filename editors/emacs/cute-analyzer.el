;;; cute-analyzer.el --- eglot starts cute-analyzer for CUDA sources -*- lexical-binding: t -*-
;; Eglot talks to one server a buffer: in these buffers it is cute-analyzer in the place of clangd.
(add-to-list 'auto-mode-alist '("\\.cuh?\\'" . c++-mode))
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((c++-mode c++-ts-mode) . ("cute-analyzer" "lsp"))))
;; Then `M-x eglot' in a source, or for every one:
;; (add-hook 'c++-mode-hook #'eglot-ensure)
