---@brief
---
--- https://pypi.org/project/cute-analyzer
---
--- Layouts of CuTe / CUTLASS sources, evaluated: hints, hovers, findings with numbers. It runs beside clangd.
---
--- The configuration of nvim-lspconfig (`lsp/cute_analyzer.lua` there), for Neovim 0.11 or newer. The plugin in
--- `editors/nvim` adds pictures, a panel and commands.

---@type vim.lsp.Config
return {
  cmd = { "cute-analyzer", "lsp" },
  filetypes = { "cuda", "cpp", "c", "rust", "python" },
  root_markers = { "compile_commands.json", ".clangd", "CMakeLists.txt", ".git" },
  get_language_id = function(_, filetype)
    return filetype == "cuda" and "cuda-cpp" or filetype
  end,
}
