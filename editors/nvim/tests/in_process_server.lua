--- A language server inside Neovim (`cmd` as a function), which answers as a test tells it to.
local M = {}

---@class cute_analyzer.TestServer
---@field hints table[] what `textDocument/inlayHint` answers
---@field asked table<string, integer> how often each request came
---@field capabilities table
---@field start fun(dispatchers: table): table to be given as `cmd`

---@param hints table[]
---@return cute_analyzer.TestServer
function M.new(hints)
  local server = {
    hints = hints,
    asked = {},
    capabilities = { inlayHintProvider = true, hoverProvider = true, textDocumentSync = 2 },
  }
  local answers = {
    initialize = function()
      return { capabilities = server.capabilities }
    end,
    ["textDocument/inlayHint"] = function()
      return server.hints
    end,
    ["textDocument/hover"] = function()
      return { contents = { kind = "markdown", value = "a layout" } }
    end,
  }
  function server.start(dispatchers)
    server.dispatchers = dispatchers
    local closing = false
    return {
      request = function(method, _, callback)
        server.asked[method] = (server.asked[method] or 0) + 1
        local answer = answers[method]
        vim.schedule(function()
          callback(nil, answer and answer() or nil)
        end)
        return true, 1
      end,
      notify = function(method)
        if method == "exit" then
          closing = true
          dispatchers.on_exit(0, 0)
        end
        return true
      end,
      is_closing = function()
        return closing
      end,
      terminate = function()
        closing = true
      end,
    }
  end
  return server
end

---@param row integer
---@param character integer
---@param label string | table[]
function M.hint(row, character, label)
  return { position = { line = row, character = character }, label = label, paddingLeft = true }
end

return M
