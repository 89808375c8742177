--- A language server inside Neovim (`cmd` as a function), which answers as a test tells it to.
local M = {}

---@class cute_analyzer.TestServer
---@field hints table[] what `textDocument/inlayHint` answers
---@field pictures table<string, string> what `cute/picture` answers for a form
---@field cells? integer how many cells it says that a picture has, where no size is asked for
---@field lenses table[]
---@field closed table[] the reports of closed files
---@field selected table? the instance that was chosen
---@field asked table<string, integer> how often each request came
---@field capabilities table
---@field start fun(dispatchers: table): table to be given as `cmd`

---@param hints table[]
---@return cute_analyzer.TestServer
function M.new(hints)
  local server = {
    hints = hints,
    pictures = {},
    lenses = {},
    ran = {},
    closed = {},
    version = "0.1.0",
    asked = {},
    capabilities = {
      codeLensProvider = {},
      executeCommandProvider = { commands = { "cute.selectInstance" } },
      inlayHintProvider = true,
      hoverProvider = true,
      textDocumentSync = 2,
    },
  }
  local answers = {
    initialize = function()
      return { capabilities = server.capabilities, serverInfo = { name = "cute-analyzer", version = server.version } }
    end,
    ["cute/picture"] = function(params)
      local picture = server.pictures[params.format]
      local cells = params.rows and params.rows * params.columns or server.cells
      return picture and { format = params.format, picture = picture, cells = cells } or vim.NIL
    end,
    ["cute/layoutAt"] = function()
      return { kind = "Layout", value = "(_4,_8):(_1,_4)" }
    end,
    ["cute/explain"] = function()
      return { summary = "a layout", sections = { { title = "properties", lines = { "size 32" } } } }
    end,
    ["cute/run"] = function(params)
      local device = params.device == "cuda" and "cuda" or "cpu"
      local why = "asked for " .. params.device
      return { subject = "(4,8):(1,4)", device = device, why = why, agrees = true, lines = { "all agree" } }
    end,
    ["cute/instances"] = function()
      local instances, labels = { "first", "second" }, { "M=8", "M=4" }
      return {
        { ["function"] = "host", instances = instances, labels = labels, chosen = 0, here = false },
        { ["function"] = "kernel", instances = instances, labels = labels, chosen = 0, here = true },
      }
    end,
    ["cute/selectInstance"] = function(params)
      server.selected = params
      return vim.NIL
    end,
    ["workspace/diagnostic"] = function()
      return { items = server.closed }
    end,
    ["textDocument/codeLens"] = function()
      return server.lenses
    end,
    ["workspace/executeCommand"] = function(params)
      server.ran[#server.ran + 1] = params
      return params.command == "cute.checkWorkspace" and { files = 1, errors = 1, warnings = 0 } or vim.NIL
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
    --- Ends as a process does that is killed.
    function server.crash()
      closing = true
      dispatchers.on_exit(0, 9)
    end
    return {
      request = function(method, params, callback)
        server.asked[method] = (server.asked[method] or 0) + 1
        local answer = answers[method]
        vim.schedule(function()
          callback(nil, answer and answer(params) or nil)
        end)
        return true, 1
      end,
      notify = function(method, params)
        server.told = { method = method, params = params }
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
