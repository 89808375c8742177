--- The picture in a hover, in its colours: |K| of Neovim itself and `:CuteAnalyzer hover`.
---
--- The server's hover has the picture in characters. Which window shows it, and what other servers say beside
--- it, is Neovim's; so the same picture is requested with colours, and its lines are found in the float.
local ansi = require("cute-analyzer.ansi")
local ask = require("cute-analyzer.request")

local M = {}

local group = vim.api.nvim_create_augroup("cute_analyzer.hover", { clear = true })

--- As large as the server draws pictures in hovers.
local ROWS, COLUMNS = 6, 12

--- How often a float is looked for that is not open yet, and after how many milliseconds.
local TRIES, PAUSE = 40, 25

--- The first row of these lines in a buffer.
---@param bufnr integer
---@param lines string[]
---@return integer? 0-based
local function row_of(bufnr, lines)
  local all = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  for first = 1, #all - #lines + 1 do
    local same = true
    for offset, line in ipairs(lines) do
      -- Neovim takes blanks at the ends of lines away.
      same = same and vim.trim(all[first + offset - 1]) == vim.trim(line)
    end
    if same then
      return first - 1
    end
  end
end

--- Colours the picture where a float shows it; looks again later where none does yet.
---@param lines string[]
---@param marks cute_analyzer.Mark[]
---@param try? integer
local function colour(lines, marks, try)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local bufnr = vim.api.nvim_win_get_buf(window)
    local is_float = vim.api.nvim_win_get_config(window).relative ~= ""
    local row = is_float and row_of(bufnr, lines)
    if row then
      ansi.colour(bufnr, row, marks)
      return
    end
  end
  if (try or 1) < TRIES then
    vim.defer_fn(function()
      colour(lines, marks, (try or 1) + 1)
    end, PAUSE)
  end
end

--- Follows the hovers of a buffer that the client was attached to.
---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  vim.api.nvim_create_autocmd("LspRequest", {
    group = group,
    buffer = bufnr,
    desc = "cute-analyzer: colour the picture of a hover",
    callback = function(event)
      local request = event.data.request
      local asked = event.data.client_id == client.id and request.method == "textDocument/hover"
      if not asked or request.type ~= "pending" then
        return
      end
      local params = vim.tbl_extend("force", ask.place(client), { format = "ansi", rows = ROWS, columns = COLUMNS })
      ask.request(client, "cute/picture", params, bufnr, function(_, drawn)
        if type(drawn) == "table" and drawn.picture then
          local lines, marks = ansi.parse(drawn.picture)
          if #marks > 0 then
            colour(lines, marks)
          end
        end
      end)
    end,
  })
end

return M
