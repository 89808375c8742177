--- Starts and stops the language server; no layout knowledge lives here.
local config = require("cute-analyzer.config")
local hints = require("cute-analyzer.hints")

local M = {}

--- Where a newcomer reads what to do.
local INSTALL = ":help cute-analyzer-server says how to get it"

local modern = vim.fn.has("nvim-0.11") == 1

--- The running clients, those of one buffer when it is given.
---@param bufnr? integer
---@return vim.lsp.Client[]
local function clients(bufnr)
  return vim.lsp.get_clients({ name = config.NAME, bufnr = bufnr })
end

---@param message string
---@param level integer
local function say(message, level)
  vim.notify("cute-analyzer: " .. message, level)
end

--- The client's configuration, with what the user gave to `vim.lsp.config` where that exists.
---@return table
local function client_config()
  return modern and vim.deepcopy(vim.lsp.config[config.NAME]) or config.lsp_config()
end

--- Whether the server can be started; says once what to do when not.
---@param cmd string[] | function
---@return boolean
local function startable(cmd)
  if type(cmd) == "function" or vim.fn.executable(cmd[1]) == 1 then
    return true
  end
  vim.notify_once(("cute-analyzer: cannot run `%s`; %s"):format(cmd[1], INSTALL), vim.log.levels.WARN)
  return false
end

--- Starts the server for a buffer, or attaches it to the one that runs for the same project.
---@param bufnr? integer default: the current one
---@return integer? client_id
function M.start(bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  local client = client_config()
  if not startable(client.cmd) then
    return nil
  end
  local file = vim.api.nvim_buf_get_name(bufnr)
  client.root_dir = vim.fs.root(bufnr, client.root_markers) or (file ~= "" and vim.fs.dirname(file) or nil)
  return vim.lsp.start(client, { bufnr = bufnr })
end

--- Starts the server by itself on its file types; called once by the plugin.
function M.enable()
  local group = vim.api.nvim_create_augroup("cute_analyzer.start", { clear = true })
  local options = config.options()
  if not options.enable then
    return
  end
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = options.filetypes,
    desc = "cute-analyzer: start the language server",
    callback = function(event)
      if vim.bo[event.buf].buftype ~= "" then
        return
      end
      if not modern then
        M.start(event.buf)
      elseif startable(client_config().cmd) then
        vim.lsp.enable(config.NAME)
        return true -- from here on Neovim starts it by itself
      end
    end,
  })
end

--- Changes options; not needed for the defaults. What runs keeps its options until a restart.
---@param options? cute_analyzer.Options
function M.setup(options)
  config.remember(options)
  if modern then
    vim.lsp.config(config.NAME, config.lsp_config())
  end
  M.enable()
end

--- Stops the server.
---@return integer[] buffers that it was attached to
function M.stop()
  local buffers = {}
  for _, client in ipairs(clients()) do
    vim.list_extend(buffers, vim.tbl_keys(client.attached_buffers))
    if modern then
      client:stop()
    else
      client.stop()
    end
  end
  return buffers
end

--- Stops the server, waits until it is gone, and starts it for the same buffers.
function M.restart()
  local buffers = M.stop()
  if #buffers == 0 then
    buffers = { vim.api.nvim_get_current_buf() }
  end
  local tries = 0
  local function start_when_gone()
    tries = tries + 1
    if #clients() > 0 and tries < 100 then
      vim.defer_fn(start_when_gone, 20)
      return
    end
    for _, bufnr in ipairs(buffers) do
      if vim.api.nvim_buf_is_loaded(bufnr) then
        M.start(bufnr)
      end
    end
  end
  start_when_gone()
end

--- Shows what this server alone says about the place under the cursor; with several servers Neovim
--- 0.10 shows only the last answer.
function M.hover()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = clients(bufnr)[1]
  if not client then
    say("is not running for this buffer", vim.log.levels.WARN)
    return
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local function show(err, result)
    if err or not result or not result.contents then
      say(err and err.message or "nothing is known here", vim.log.levels.INFO)
      return
    end
    local lines = vim.lsp.util.convert_input_to_markdown_lines(result.contents)
    vim.lsp.util.open_floating_preview(lines, "markdown", { focus_id = "cute_analyzer.hover" })
  end
  if modern then
    client:request("textDocument/hover", params, show, bufnr)
  else
    client.request("textDocument/hover", params, show, bufnr)
  end
end

--- Switches the hints of the current buffer.
---@param wanted? boolean default: the opposite of now
function M.hints(wanted)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = clients(bufnr)[1]
  if wanted == nil then
    wanted = not hints.is_shown(bufnr)
  end
  hints.show(bufnr, wanted and client and client.id or nil)
end

--- Opens the log in which Neovim keeps what the server wrote to its standard error.
function M.log()
  vim.cmd.tabnew(require("vim.lsp.log").get_filename())
end

return M
