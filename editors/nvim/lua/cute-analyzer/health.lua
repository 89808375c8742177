--- `:checkhealth cute-analyzer`
local config = require("cute-analyzer.config")

local M = {}

local function check_neovim()
  if vim.fn.has("nvim-0.10") == 1 then
    vim.health.ok("Neovim " .. tostring(vim.version()))
  else
    vim.health.error("Neovim 0.10 or later is needed")
  end
end

local function check_server()
  local cmd = config.command()
  if type(cmd) == "function" then
    vim.health.info("the server is a Lua function")
    return
  end
  local path = vim.fn.exepath(cmd[1])
  if path == "" then
    vim.health.error(("cannot run `%s`"):format(cmd[1]), {
      "put cute-analyzer on $PATH",
      'or set vim.g.cute_analyzer = { cmd = { "/path/to/cute-analyzer", "lsp" } }',
    })
    return
  end
  local run = vim.system({ path, "--version" }, { text = true, timeout = 5000 }):wait()
  local said = vim.trim(run.stdout or "")
  local version = said:match("^cute%-analyzer (%S+)$")
  local old = version and config.outdated(version)
  if old then
    vim.health.warn(("%s: %s"):format(path, old))
  elseif version then
    vim.health.ok(("%s: %s"):format(path, said))
  else
    local what = run.code == 0 and ("says it is %q"):format(said) or ("ended with code %d"):format(run.code)
    vim.health.error(("%s --version %s: that is not cute-analyzer"):format(path, what), {
      "install cute-analyzer again, or correct vim.g.cute_analyzer.cmd",
    })
  end
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = config.NAME })
  if #clients == 0 then
    vim.health.info("not running; it starts with a file of type " .. table.concat(config.options().filetypes, ", "))
  end
  for _, client in ipairs(clients) do
    local buffers = vim.tbl_count(client.attached_buffers)
    vim.health.ok(("running in %s, %d buffer(s)"):format(client.config.root_dir or "no project", buffers))
  end
end

function M.check()
  vim.health.start("cute-analyzer")
  check_neovim()
  check_server()
  check_clients()
end

return M
