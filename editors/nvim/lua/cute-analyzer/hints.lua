--- Inlay hints of this server, drawn by itself.
---
--- Neovim (to 0.12.4 at least) marks a line as drawn for a document version when the first of several
--- servers answers, and never draws what a second one sends later: beside clangd one side's hints are
--- lost. Its switch is per buffer, for all servers at once, too. So this client's hints have their
--- own request, namespace and switch, and Neovim's own machinery is told that the server has none.
local ask = require("cute-analyzer.request")

local M = {}

local namespace = vim.api.nvim_create_namespace("cute_analyzer.hints")
local group = vim.api.nvim_create_augroup("cute_analyzer.hints", { clear = true })

--- Buffers whose hints are wanted, with the client that gives them.
---@type table<integer, integer>
local shown = {}

--- The byte column of a character offset in the client's encoding, at most the length of the line.
---@param line string
---@param character integer
---@param encoding string `utf-8`, `utf-16` or `utf-32`
---@return integer
function M.byte_column(line, character, encoding)
  if encoding == "utf-8" then
    return math.min(character, #line)
  end
  if vim.fn.has("nvim-0.11") == 1 then
    return vim.str_byteindex(line, encoding, character, false)
  end
  local utf32_length, utf16_length = vim.str_utfindex(line)
  local utf16 = encoding == "utf-16"
  return vim.str_byteindex(line, math.min(character, utf16 and utf16_length or utf32_length), utf16)
end

---@param hint table an LSP `InlayHint`
---@return string
local function text_of(hint)
  local label = hint.label
  if type(label) == "table" then
    label = table.concat(vim.tbl_map(function(part)
      return part.value
    end, label))
  end
  return (hint.paddingLeft and " " or "") .. label .. (hint.paddingRight and " " or "")
end

---@param bufnr integer
---@param hints table[]
---@param encoding string
local function draw(bufnr, hints, encoding)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for _, hint in ipairs(hints) do
    local row = hint.position.line
    local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]
    if line then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, row, M.byte_column(line, hint.position.character, encoding), {
        virt_text = { { text_of(hint), "LspInlayHint" } },
        virt_text_pos = "inline",
        hl_mode = "combine",
      })
    end
  end
end

--- Asks for the hints of a buffer and draws them, unless the text has changed meanwhile (the change
--- asks again).
---@param bufnr integer
local function refresh(bufnr)
  local client = shown[bufnr] and vim.lsp.get_client_by_id(shown[bufnr])
  if not client or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(bufnr),
    range = {
      start = { line = 0, character = 0 },
      ["end"] = { line = vim.api.nvim_buf_line_count(bufnr), character = 0 },
    },
  }
  ask.request(client, "textDocument/inlayHint", params, bufnr, function(err, result)
    local current = vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_changedtick(bufnr) == tick
    if not err and current and shown[bufnr] then
      draw(bufnr, result or {}, client.offset_encoding)
    end
  end)
end

--- Handlers of the client: the server says that its hints changed.
---@return table<string, function>
function M.handlers()
  return {
    ["workspace/inlayHint/refresh"] = function(_, _, ctx)
      for bufnr, client in pairs(shown) do
        if client == ctx.client_id then
          refresh(bufnr)
        end
      end
      return vim.NIL
    end,
  }
end

--- Keeps Neovim's own inlay hints from asking this client as well.
---@param client vim.lsp.Client
function M.take_over(client)
  client.server_capabilities.inlayHintProvider = nil
end

--- Shows or hides the hints of a buffer.
---@param bufnr integer
---@param client_id integer? the client that gives them; none hides them
function M.show(bufnr, client_id)
  shown[bufnr] = client_id
  if client_id then
    refresh(bufnr)
  elseif vim.api.nvim_buf_is_loaded(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
end

--- Whether the hints of a buffer are shown.
---@param bufnr integer
---@return boolean
function M.is_shown(bufnr)
  return shown[bufnr] ~= nil
end

--- What is drawn in a buffer: 0-based row and byte column, text.
---@param bufnr integer
---@return { row: integer, column: integer, text: string }[]
function M.drawn(bufnr)
  return vim.tbl_map(function(mark)
    return { row = mark[2], column = mark[3], text = mark[4].virt_text[1][1] }
  end, vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true }))
end

--- Follows a buffer that the client was attached to.
---@param client vim.lsp.Client
---@param bufnr integer
---@param wanted boolean
function M.attach(client, bufnr, wanted)
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  vim.api.nvim_create_autocmd("LspNotify", {
    group = group,
    buffer = bufnr,
    callback = function(event)
      local changed = event.data.method == "textDocument/didChange" or event.data.method == "textDocument/didOpen"
      if changed and event.data.client_id == shown[bufnr] then
        refresh(bufnr)
      end
    end,
  })
  vim.api.nvim_create_autocmd("LspDetach", {
    group = group,
    buffer = bufnr,
    callback = function(event)
      if event.data.client_id == shown[bufnr] then
        M.show(bufnr, nil)
      end
    end,
  })
  if wanted then
    M.show(bufnr, client.id)
  end
end

return M
