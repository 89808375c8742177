if vim.g.loaded_cute_analyzer then
  return
end
vim.g.loaded_cute_analyzer = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.notify("cute-analyzer: Neovim 0.10 or later is needed", vim.log.levels.WARN)
  return
end

---@type table<string, fun(argument: string?)>
local actions = {
  hints = function(argument)
    local wanted = ({ on = true, off = false })[argument]
    require("cute-analyzer").hints(wanted)
  end,
  hover = function()
    require("cute-analyzer").hover()
  end,
  log = function()
    require("cute-analyzer").log()
  end,
  restart = function()
    require("cute-analyzer").restart()
  end,
  start = function()
    require("cute-analyzer").start()
  end,
  stop = function()
    require("cute-analyzer").stop()
  end,
}

local function complete(lead, line)
  local words = vim.split(line, "%s+")
  local choices = #words > 2 and (words[2] == "hints" and { "on", "off" } or {}) or vim.tbl_keys(actions)
  table.sort(choices)
  return vim.tbl_filter(function(choice)
    return vim.startswith(choice, lead)
  end, choices)
end

vim.api.nvim_create_user_command("CuteAnalyzer", function(command)
  local action = actions[command.fargs[1]]
  if action then
    action(command.fargs[2])
  else
    vim.notify("cute-analyzer: no such action: " .. command.fargs[1], vim.log.levels.ERROR)
  end
end, { nargs = "+", complete = complete, desc = "cute-analyzer: hints, hover, log, restart, start, stop" })

require("cute-analyzer").enable()
