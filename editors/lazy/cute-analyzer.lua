-- The plugin for lazy.nvim: copy this file to `lua/plugins/`, and put the path of your checkout in.
return {
  dir = "/path/to/cute-analyzer/editors/nvim",
  ft = { "cuda", "cpp", "c", "rust", "python" },
}
