--- The recipe files for nvim-lspconfig and lazy.nvim, as those take them, with the real server:
---   CUTE_ANALYZER=path/to/cute-analyzer nvim -u NONE --headless -l tests/recipes.lua
--- Neither plugin is fetched: each recipe is put where the plugin puts it, and loaded by what Neovim has for it.
package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local tap = require("tap")
local test, equal, wait = tap.test, tap.equal, tap.wait

local server = vim.fn.fnamemodify(assert(os.getenv("CUTE_ANALYZER"), "CUTE_ANALYZER names no server"), ":p")
vim.fn.setenv("PATH", vim.fs.dirname(server) .. ":" .. vim.env.PATH)
local recipes = vim.fs.dirname(tap.root)
local examples = vim.fs.joinpath(vim.fs.dirname(recipes), "examples")

--- What the server answers to a hover on `columns` in examples/wrong.cu.
local function hover_on_columns(bufnr)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
    local column = line:find("columns = make_layout", 1, true)
    if column then
      local answers = vim.lsp.buf_request_sync(bufnr, "textDocument/hover", {
        textDocument = vim.lsp.util.make_text_document_params(bufnr),
        position = { line = row - 1, character = column - 1 },
      }, 20000)
      local _, answer = next(answers or {})
      return answer and answer.result and answer.result.contents.value
    end
  end
end

local function client(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr })[1]
end

test("nvim-lspconfig: its file starts the server, without the plugin", function()
  vim.cmd("filetype on")
  local recipe = vim.fs.joinpath(recipes, "lspconfig", "cute_analyzer.lua")
  local config = dofile(recipe)
  equal(config.cmd, { "cute-analyzer", "lsp" })
  if vim.lsp.enable then
    -- As nvim-lspconfig has it: a folder of 'runtimepath' with `lsp/NAME.lua`.
    local folder = vim.fn.tempname()
    vim.fn.mkdir(vim.fs.joinpath(folder, "lsp"), "p")
    assert(vim.uv.fs_copyfile(recipe, vim.fs.joinpath(folder, "lsp", "cute_analyzer.lua")))
    vim.opt.runtimepath:prepend(folder)
    vim.lsp.enable("cute_analyzer")
    vim.cmd.edit(vim.fs.joinpath(examples, "wrong.cu"))
    wait("the client", function()
      return client(0) and client(0).initialized
    end)
    vim.opt.runtimepath:remove(folder)
  else
    vim.cmd.edit(vim.fs.joinpath(examples, "wrong.cu"))
    assert(vim.list_contains(config.filetypes, vim.bo.filetype), vim.bo.filetype)
    local root = vim.fs.root(0, config.root_markers)
    local start = vim.tbl_extend("force", config, { name = "cute_analyzer", root_dir = root })
    assert(vim.lsp.start(start))
    wait("the client", function()
      return client(0) and client(0).initialized
    end)
  end
  equal(vim.fn.exists(":CuteAnalyzer"), 0)
  local said = wait("the hover", function()
    return hover_on_columns(0)
  end)
  assert(said:find("(_4,_3):(_3,_1)", 1, true), said)
  if vim.lsp.enable then
    vim.lsp.enable("cute_analyzer", false)
  end
  for _, running in ipairs(vim.lsp.get_clients()) do
    running.stop(running, true)
  end
  wait("the end of the server", function()
    return #vim.lsp.get_clients() == 0
  end)
  vim.cmd("%bwipeout!")
end)

test("lazy.nvim: its file loads the plugin with the first source", function()
  local spec = dofile(vim.fs.joinpath(recipes, "lazy", "cute-analyzer.lua"))
  assert(spec.dir:find("/editors/nvim$"), spec.dir)
  local known = { dir = true, ft = true }
  for key in pairs(spec) do
    assert(known[key], key .. " is not an option that this test knows")
  end
  -- What lazy.nvim does with `ft`: the folder is put on 'runtimepath' at the first such file, its `plugin/` is sourced,
  -- and the event is given again.
  vim.api.nvim_create_autocmd("FileType", {
    pattern = spec.ft,
    once = true,
    callback = function(event)
      vim.opt.runtimepath:prepend(tap.root)
      vim.cmd.runtime({ "plugin/cute-analyzer.lua", bang = true })
      vim.schedule(function()
        vim.api.nvim_exec_autocmds("FileType", { buffer = event.buf, modeline = false })
      end)
    end,
  })
  equal(vim.fn.exists(":CuteAnalyzer"), 0)
  vim.cmd.edit(vim.fs.joinpath(examples, "wrong.cu"))
  local bufnr = vim.api.nvim_get_current_buf()
  wait("the hints", function()
    return vim.fn.exists(":CuteAnalyzer") == 2 and #require("cute-analyzer.hints").drawn(bufnr) > 0
  end)
end)

tap.finish()
