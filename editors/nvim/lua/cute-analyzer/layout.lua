--- `:CuteLayout`: a split with the picture of the layout under the cursor, which follows the cursor.
local ansi = require("cute-analyzer.ansi")
local ask = require("cute-analyzer.request")

local M = {}

--- The rest of the cursor after which the split follows, in milliseconds.
local REST = 60

local autocommands = vim.api.nvim_create_augroup("cute_analyzer.layout", { clear = true })

---@type integer?
local shown_in = nil
local timer = nil
local asked = 0

--- The window of the split, where it is open.
---@return integer?
function M.window()
  local window = shown_in and vim.fn.bufwinid(shown_in) or -1
  return window ~= -1 and window or nil
end

--- Writes a picture into the split.
---@param text string
local function show(text)
  if not (shown_in and vim.api.nvim_buf_is_valid(shown_in)) then
    return
  end
  local lines, marks = ansi.parse(text)
  vim.bo[shown_in].modifiable = true
  vim.api.nvim_buf_set_lines(shown_in, 0, -1, false, lines)
  vim.bo[shown_in].modifiable = false
  ansi.colour(shown_in, 0, marks)
end

--- Asks for a picture that fits the split; what is shown stays where there is none.
---@param client vim.lsp.Client
---@param bufnr integer
---@param subject table
---@param complains? boolean
local function draw(client, bufnr, subject, complains)
  local window = M.window()
  if not window then
    return
  end
  asked = asked + 1
  local mine = asked
  local params = vim.tbl_extend("force", subject, {
    format = "ansi",
    operands = true,
    rows = math.max(4, vim.api.nvim_win_get_height(window) - 8),
    columns = math.max(4, math.floor(vim.api.nvim_win_get_width(window) / 4)),
  })
  ask.request(client, "cute/picture", params, bufnr, function(err, result)
    if mine ~= asked then
      return
    end
    if type(result) == "table" and result.picture then
      show(result.picture)
    elseif complains then
      ask.say(err and err.message or "this has no picture", vim.log.levels.WARN)
    end
  end)
end

--- Shows the layout under the cursor of the current window.
local function follow()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = bufnr ~= shown_in and ask.clients(bufnr)[1]
  if client and M.window() then
    draw(client, bufnr, ask.place(client))
  end
end

local function follow_soon()
  if timer then
    timer:stop()
  end
  timer = vim.defer_fn(follow, REST)
end

--- Closes the split.
function M.close()
  local window = M.window()
  vim.api.nvim_clear_autocmds({ group = autocommands })
  if window then
    vim.api.nvim_win_close(window, true)
  end
  shown_in = nil
end

--- Opens the split beside the current window, which stays the current one.
local function open()
  if M.window() then
    return
  end
  local source = vim.api.nvim_get_current_win()
  vim.cmd("botright vertical new")
  shown_in = vim.api.nvim_get_current_buf()
  local window = vim.api.nvim_get_current_win()
  vim.bo[shown_in].buftype = "nofile"
  vim.bo[shown_in].bufhidden = "wipe"
  vim.bo[shown_in].swapfile = false
  vim.bo[shown_in].modifiable = false
  vim.bo[shown_in].filetype = "cute-layout"
  vim.wo[window].wrap = false
  vim.wo[window].number = false
  vim.wo[window].relativenumber = false
  vim.wo[window].signcolumn = "no"
  vim.keymap.set("n", "q", M.close, { buffer = shown_in, desc = "close the layout" })
  vim.api.nvim_set_current_win(source)
  vim.api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI", "BufEnter", "TextChanged", "TextChangedI" }, {
    group = autocommands,
    callback = follow_soon,
  })
end

--- Shows the layout at a place until the cursor moves.
---@param place table a `TextDocumentPositionParams`
function M.show_place(place)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = ask.clients(bufnr)[1]
  if client then
    open()
    draw(client, bufnr, place, true)
  end
end

--- Shows an expression, or the layout under the cursor from now on; without an expression a second
--- call closes the split.
---@param expression? string
function M.show(expression)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = ask.clients(bufnr)[1] or ask.clients()[1]
  if not expression and M.window() then
    M.close()
  elseif not client then
    ask.say("is not running; open a CUDA source first", vim.log.levels.WARN)
  else
    open()
    if expression then
      vim.api.nvim_clear_autocmds({ group = autocommands })
      draw(client, bufnr, { expression = expression }, true)
    else
      follow()
    end
  end
end

return M
