--- Code lenses of this server alone: which instance of a function is shown, and what can be run.
---
--- Neovim switches the lenses of all servers of a buffer at once, until 0.12; so ours are requested
--- by ourselves there. |vim.lsp.codelens.run()| runs them as any other.
local ask = require("cute-analyzer.request")

local M = {}

local group = vim.api.nvim_create_augroup("cute_analyzer.lenses", { clear = true })

--- The rest in typing after which lenses are requested, in milliseconds.
local REST = 300

--- Where Neovim 0.12 keeps whether lenses are on for a whole buffer.
local SWITCH = "_lsp_enabled_codelens"

--- Switches the lenses of a client off when it leaves a buffer. Neovim 0.12 does so only where lenses are on for
--- the whole buffer, and else asks the client that is gone at every edit, which fails.
---@param client vim.lsp.Client
---@param bufnr integer
local function let_go(client, bufnr)
  vim.api.nvim_create_autocmd("LspDetach", {
    group = group,
    buffer = bufnr,
    desc = "cute-analyzer: switch the lenses of the server off",
    callback = function(event)
      if event.data.client_id ~= client.id then
        return false
      end
      if vim.lsp.get_client_by_id(client.id) then
        local switch = vim.b[bufnr][SWITCH]
        vim.b[bufnr][SWITCH] = true -- luacheck: ignore 122
        vim.lsp.codelens.enable(false, { bufnr = bufnr, client_id = client.id })
        vim.b[bufnr][SWITCH] = switch -- luacheck: ignore 122
      end
      return true -- it is done with
    end,
  })
end

---@param client vim.lsp.Client
---@param bufnr integer
local function refresh(client, bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) or client.is_stopped and vim.lsp.client_is_stopped(client.id) then
    return
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  ask.request(client, "textDocument/codeLens", params, bufnr, function(err, result)
    if not err and vim.api.nvim_buf_is_loaded(bufnr) then
      local context = { client_id = client.id, bufnr = bufnr, method = "textDocument/codeLens" }
      vim.lsp.codelens.on_codelens(nil, result or {}, context)
    end
  end)
end

--- Follows a buffer that the client was attached to.
---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = bufnr, client_id = client.id })
    let_go(client, bufnr)
    return
  end
  local timer
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  vim.api.nvim_create_autocmd({ "LspNotify", "LspRequest" }, {
    group = group,
    buffer = bufnr,
    callback = function(event)
      local data = event.data
      local request = data.request
      -- A command may have changed what a lens says.
      local ran = request and request.method == "workspace/executeCommand" and request.type == "complete"
      local changed = data.method == "textDocument/didChange" or data.method == "textDocument/didOpen"
      if data.client_id == client.id and (ran or changed) then
        if timer then
          timer:stop()
        end
        timer = vim.defer_fn(function()
          refresh(client, bufnr)
        end, changed and REST or 0)
      end
    end,
  })
  refresh(client, bufnr)
end

return M
