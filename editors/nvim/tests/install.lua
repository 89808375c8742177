--- The first hint of somebody who has the program on $PATH and the plugin on 'runtimepath', and no more:
---   CUTE_SOURCE=sgemm_1.cu nvim -u NONE --headless -l tests/install.lua
package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local tap = require("tap")

local source = assert(os.getenv("CUTE_SOURCE"), "CUTE_SOURCE names no source")
tap.load_plugin()
tap.test("a source of CUTLASS has hints, with nothing configured", function()
  vim.cmd.edit(source)
  local bufnr = vim.api.nvim_get_current_buf()
  local drawn = tap.wait("a hint", function()
    local drawn = require("cute-analyzer.hints").drawn(bufnr)
    return #drawn > 0 and drawn
  end)
  local client = vim.lsp.get_clients({ name = "cute_analyzer" })[1]
  tap.equal(client.config.cmd, { "cute-analyzer", "lsp" })
  assert(#drawn > 10, #drawn .. " hints")
end)
tap.finish()
