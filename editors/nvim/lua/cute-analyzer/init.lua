--- Starts and stops the language server; no layout knowledge lives here.
local ask = require("cute-analyzer.request")
local config = require("cute-analyzer.config")
local hints = require("cute-analyzer.hints")

local M = {}

--- Where a newcomer reads what to do.
local INSTALL = ":help cute-analyzer-server says how to get it"

local modern, clients, say, count = ask.modern, ask.clients, ask.say, ask.count

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

--- Starts the server for buffers once the one that ended is gone: Neovim would attach them to it.
---@param buffers integer[]
---@param tries? integer
local function start_when_gone(buffers, tries)
  if #clients() > 0 and (tries or 0) < 100 then
    vim.defer_fn(function()
      start_when_gone(buffers, (tries or 0) + 1)
    end, 20)
    return
  end
  for _, bufnr in ipairs(buffers) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      M.start(bufnr)
    end
  end
end

--- How often a server that ends by itself is started again, within how many milliseconds.
local MOST, WITHIN = 4, 3 * 60 * 1000

---@type integer[] when servers ended by themselves
local ends = {}

--- Whether a server that ended now is started again.
---@param now integer milliseconds
---@return boolean
function M.starts_again(now)
  ends = vim.tbl_filter(function(time)
    return now - time < WITHIN
  end, ends)
  ends[#ends + 1] = now
  return #ends <= MOST
end

--- What was started ended before it answered: it is not our server.
function M.never_answered()
  local cmd = client_config().cmd
  local name = type(cmd) == "table" and cmd[1] or "the server"
  say(("`%s` ended before it answered; :checkhealth cute-analyzer says more"):format(name), vim.log.levels.ERROR)
end

--- The server ended by itself: it is started for the same buffers, unless it ends all the time.
---@param code integer
---@param signal integer
---@param buffers integer[]
function M.ended(code, signal, buffers)
  if #buffers == 0 or (code == 0 and signal == 0) then
    return
  end
  if not M.starts_again(vim.uv.now()) then
    say(
      ("the server ended %d times and is not started again; :CuteAnalyzer log says why"):format(MOST + 1),
      vim.log.levels.ERROR
    )
    return
  end
  say(("the server ended (code %d, signal %d); it is started again"):format(code, signal), vim.log.levels.WARN)
  start_when_gone(buffers)
end

--- Starts the server on request: a failure is reported every time.
function M.begin()
  if not M.start() then
    say("was not started; :checkhealth cute-analyzer says why", vim.log.levels.WARN)
  end
end

--- Stops the server.
---@return integer[] buffers that it was attached to
function M.stop()
  ends = {}
  local buffers = {}
  for _, client in ipairs(clients()) do
    config.dismiss(client.id)
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
  start_when_gone(buffers)
end

--- Switches the hints of the current buffer.
---@param wanted? boolean default: the opposite of now
function M.hints(wanted)
  local client, bufnr = ask.attached()
  if not client then
    return
  end
  if wanted == nil then
    wanted = not hints.is_shown(bufnr)
  end
  hints.show(bufnr, wanted and client.id or nil)
end

--- Shows what was found in closed files, and all findings in the quickfix window.
---@param client vim.lsp.Client
---@param bufnr integer
local function list_findings(client, bufnr)
  -- Neovim fetches the findings of open buffers only.
  ask.request(client, "workspace/diagnostic", { previousResultIds = {} }, bufnr, function(_, report)
    for _, found in ipairs(report and report.items or {}) do
      if found.items and not vim.api.nvim_buf_is_loaded(vim.uri_to_bufnr(found.uri)) then
        local published = { uri = found.uri, diagnostics = found.items }
        vim.lsp.diagnostic.on_publish_diagnostics(nil, published, { client_id = client.id })
      end
    end
    vim.diagnostic.setqflist({ title = "cute-analyzer" })
  end)
end

--- Has the server check the closed files of the workspace.
function M.check()
  local client, bufnr = ask.attached()
  if not client then
    return
  end
  -- With a token of ours the answer comes when all is checked; Neovim shows the progress.
  local command = { command = "cute.checkWorkspace", workDoneToken = "cute.checkWorkspace/own" }
  ask.request(client, "workspace/executeCommand", command, bufnr, function(err, tally)
    if err then
      say(err.message, vim.log.levels.WARN)
      return
    end
    local errors, warnings = count(tally.errors, "error"), count(tally.warnings, "warning")
    say(("%s and %s in %s"):format(errors, warnings, count(tally.files, "closed file")))
    list_findings(client, bufnr)
  end)
end

--- Opens the log in which Neovim keeps what the server wrote to its standard error.
function M.log()
  vim.cmd.tabnew(require("vim.lsp.log").get_filename())
end

return M
