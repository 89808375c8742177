--- The notation in comments, where the parsers are installed:
---   CUTE_PARSERS=folder nvim -u NONE --headless -l tests/notation.lua
--- The folder has parser/cute.so and parser/python.so.
package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local tap = require("tap")
local test, equal = tap.test, tap.equal

vim.opt.runtimepath:append(assert(os.getenv("CUTE_PARSERS"), "CUTE_PARSERS names no folder"))
tap.load_plugin()

local source = {
  "# cute: assume ldA % 8 == 0",
  "layout = make_layout()  # ((2,2),4):((1,8),2)",
  "# prose (in parentheses) stays prose",
}

test("layouts and directives in comments are the notation, prose is not", function()
  local bufnr = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, source)
  local parser = vim.treesitter.get_parser(bufnr, "python")
  parser:parse(true)
  local rows = {}
  local injected = assert(parser:children().cute, "no injection")
  for _, tree in pairs(injected:trees()) do
    rows[#rows + 1] = (tree:root():range())
  end
  table.sort(rows)
  equal(rows, { 0, 1 })
end)

test("the notation is highlighted", function()
  local text = "((2,2),4):((1,8),2)"
  local root = vim.treesitter.get_string_parser(text, "cute"):parse()[1]:root()
  assert(not root:has_error(), text)
  local query = assert(vim.treesitter.query.get("cute", "highlights"))
  local captured = {}
  for id in query:iter_captures(root, text) do
    captured[query.captures[id]] = true
  end
  assert(captured["number"] and captured["operator"] and captured["punctuation.bracket"], vim.inspect(captured))
end)

tap.finish()
