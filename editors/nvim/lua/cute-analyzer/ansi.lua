--- Text with ANSI colours as lines and marks: what a terminal would show, in a buffer.
local M = {}

local namespace = vim.api.nvim_create_namespace("cute_analyzer.colours")

---@class cute_analyzer.Mark
---@field row integer 0-based
---@field from integer byte column
---@field to integer
---@field fg? string `#rrggbb`
---@field bg? string

--- One escape sequence applied to the colours in force: reset, or a 24-bit colour.
---@param codes string
---@param colours { fg: string?, bg: string? }
local function apply(codes, colours)
  if codes == "" or codes == "0" then
    colours.fg, colours.bg = nil, nil
    return
  end
  local ground, red, green, blue = codes:match("^([34]8);2;(%d+);(%d+);(%d+)$")
  if ground then
    local colour = ("#%02x%02x%02x"):format(tonumber(red), tonumber(green), tonumber(blue))
    colours[ground == "38" and "fg" or "bg"] = colour
  end
end

--- Lines without escape sequences, and which bytes of them have colours.
---@param text string
---@return string[] lines, cute_analyzer.Mark[] marks
function M.parse(text)
  local lines, marks = {}, {}
  local colours = {}
  for row, line in ipairs(vim.split((text:gsub("\n$", "")), "\n", { plain = true })) do
    local plain, position = {}, 1
    local length = 0
    while position <= #line do
      local from, to, codes = line:find("\27%[([%d;]*)m", position)
      local piece = line:sub(position, (from or #line + 1) - 1)
      if piece ~= "" then
        if colours.fg or colours.bg then
          marks[#marks + 1] = { row = row - 1, from = length, to = length + #piece, fg = colours.fg, bg = colours.bg }
        end
        plain[#plain + 1] = piece
        length = length + #piece
      end
      if codes then
        apply(codes, colours)
      end
      position = (to or #line) + 1
    end
    lines[row] = table.concat(plain)
  end
  return lines, marks
end

--- A highlight group of these colours.
---@param mark cute_analyzer.Mark
---@return string
local function group(mark)
  local name = ("CuteAnalyzer_%s_%s"):format(mark.fg or "", mark.bg or ""):gsub("#", "")
  vim.api.nvim_set_hl(0, name, { fg = mark.fg, bg = mark.bg })
  return name
end

--- Colours the lines of a buffer from a row on.
---@param bufnr integer
---@param first integer 0-based row of the first line
---@param marks cute_analyzer.Mark[]
function M.colour(bufnr, first, marks)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, first, -1)
  for _, mark in ipairs(marks) do
    vim.api.nvim_buf_set_extmark(bufnr, namespace, first + mark.row, mark.from, {
      end_col = mark.to,
      hl_group = group(mark),
    })
  end
end

--- What is coloured in a buffer: 0-based row, byte columns.
---@param bufnr integer
---@return { row: integer, from: integer, to: integer, group: string }[]
function M.coloured(bufnr)
  return vim.tbl_map(function(mark)
    return { row = mark[2], from = mark[3], to = mark[4].end_col, group = mark[4].hl_group }
  end, vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true }))
end

return M
