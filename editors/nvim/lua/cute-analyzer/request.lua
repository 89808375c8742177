--- Asking the server: what differs between versions of Neovim, in one place.
local config = require("cute-analyzer.config")

local M = {}

M.modern = vim.fn.has("nvim-0.11") == 1

--- The running clients, those of one buffer when it is given.
---@param bufnr? integer
---@return vim.lsp.Client[]
function M.clients(bufnr)
  return vim.lsp.get_clients({ name = config.NAME, bufnr = bufnr })
end

---@param message string
---@param level? integer
function M.say(message, level)
  vim.notify("cute-analyzer: " .. message, level or vim.log.levels.INFO)
end

--- A number of things: `1 value`, `2 values`.
---@param number integer
---@param what string
---@return string
function M.count(number, what)
  return ("%d %s%s"):format(number, what, number == 1 and "" or "s")
end

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param bufnr integer
---@param handler fun(err: table?, result: any)
function M.request(client, method, params, bufnr, handler)
  if M.modern then
    client:request(method, params, handler, bufnr)
  else
    client.request(method, params, handler, bufnr)
  end
end

--- The place of the cursor of a window.
---@param client vim.lsp.Client
---@param window? integer
---@return table
function M.place(client, window)
  return vim.lsp.util.make_position_params(window or 0, client.offset_encoding)
end

--- The client of the current buffer; where there is none, it is said what to do.
---@return vim.lsp.Client? client
---@return integer bufnr
function M.attached()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = M.clients(bufnr)[1]
  if not client then
    M.say("is not running for this buffer; :checkhealth cute-analyzer says more", vim.log.levels.WARN)
  end
  return client, bufnr
end

--- Asks about the place under the cursor; says why where it has no answer.
---@param method string
---@param more table
---@param use fun(result: any)
function M.at_cursor(method, more, use)
  local client, bufnr = M.attached()
  if not client then
    return
  end
  local params = vim.tbl_extend("force", M.place(client), more)
  M.request(client, method, params, bufnr, function(err, result)
    if err then
      M.say(err.message, vim.log.levels.WARN)
    elseif result == nil or result == vim.NIL then
      M.say("no layout with known sizes is under the cursor")
    else
      use(result)
    end
  end)
end

return M
