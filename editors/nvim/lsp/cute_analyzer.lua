---@brief
--- cute-analyzer: layouts of CuTe / CUTLASS sources, evaluated.
--- Neovim 0.11+ finds this file by its name: `vim.lsp.enable("cute_analyzer")`.
--- With the plugin on the runtimepath nothing needs to be called; |cute-analyzer|.
return require("cute-analyzer.config").lsp_config()
