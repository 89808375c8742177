if vim.g.loaded_cute_analyzer then
  return
end
vim.g.loaded_cute_analyzer = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.notify("cute-analyzer: Neovim 0.10 or later is needed", vim.log.levels.WARN)
  return
end

---@class cute_analyzer.Action
---@field run fun(argument: string?)
---@field arguments? string[] what can be completed

local function at_cursor(name)
  return function(argument)
    require("cute-analyzer.cursor")[name](argument)
  end
end

local function server(name)
  return function()
    require("cute-analyzer")[name]()
  end
end

---@type table<string, cute_analyzer.Action>
local actions = {
  assume = { run = at_cursor("assume") },
  check = { run = server("check") },
  copy = { run = at_cursor("copy"), arguments = { "cute", "svg", "text", "tikz" } },
  explain = { run = at_cursor("explain") },
  hints = {
    run = function(argument)
      local wanted = ({ on = true, off = false })[argument]
      require("cute-analyzer").hints(wanted)
    end,
    arguments = { "off", "on" },
  },
  hover = { run = at_cursor("hover") },
  instance = { run = at_cursor("instance") },
  log = { run = server("log") },
  restart = { run = server("restart") },
  run = { run = at_cursor("run"), arguments = { "cpu", "cuda" } },
  start = { run = server("begin") },
  status = {
    run = function()
      require("cute-analyzer.status").say()
    end,
  },
  stop = { run = server("stop") },
}

local function complete(lead, line)
  local words = vim.split(line, "%s+")
  local names = vim.tbl_keys(actions)
  table.sort(names)
  local choices = #words > 2 and (actions[words[2]] or {}).arguments or #words <= 2 and names or {}
  return vim.tbl_filter(function(choice)
    return vim.startswith(choice, lead)
  end, choices)
end

vim.api.nvim_create_user_command("CuteLayout", function(command)
  require("cute-analyzer.layout").show(command.args ~= "" and command.args or nil)
end, { nargs = "*", desc = "cute-analyzer: the layout under the cursor in a split, or an expression" })

vim.api.nvim_create_user_command("CuteAnalyzer", function(command)
  local action = actions[command.fargs[1]]
  if action then
    local argument = command.args:match("^%S+%s+(.+)$")
    action.run(argument)
  else
    vim.notify("cute-analyzer: no such action: " .. command.fargs[1], vim.log.levels.ERROR)
  end
end, {
  nargs = "+",
  complete = complete,
  desc = "cute-analyzer: what is done with the layout under the cursor, and with the server",
})

require("cute-analyzer").enable()
