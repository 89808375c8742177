--- What the user chose, and the client configuration that follows from it.
local M = {}

--- The name of the client; other servers' answers are shown beside ours under it.
M.NAME = "cute_analyzer"

--- The version of this plugin; a server that is older may lack what it asks for.
M.VERSION = "0.1.0"

--- The section under which the server asks for its settings.
local SECTION = "cute-analyzer"

---@class cute_analyzer.Options
---@field enable? boolean start by itself on the file types below (default true)
---@field cmd? string[] the server's command (default: found, see |cute-analyzer-server|)
---@field filetypes? string[] where to start (default cuda, cpp, c, rust, python)
---@field root_markers? string[] what names the root of a project
---@field code_lenses? boolean show which instance of a function is shown, and what can be run (default true)
---@field inlay_hints? boolean draw the layout at the end of each binding (default true)
---@field settings? table the server's settings (default none), see |cute-analyzer-settings|
---@field on_attach? fun(client: vim.lsp.Client, bufnr: integer)

---@type cute_analyzer.Options
local DEFAULTS = {
  enable = true,
  filetypes = { "cuda", "cpp", "c", "rust", "python" },
  root_markers = { "compile_commands.json", ".clangd", "CMakeLists.txt", ".git" },
  code_lenses = true,
  inlay_hints = true,
  settings = {},
}

---@type cute_analyzer.Options
local from_setup = {}

--- Remembers what `setup()` was given; it wins over `vim.g.cute_analyzer`.
---@param options? cute_analyzer.Options
function M.remember(options)
  from_setup = options or {}
end

--- The options in force.
---@return cute_analyzer.Options
function M.options()
  local global = vim.g.cute_analyzer
  if type(global) == "function" then
    global = global()
  end
  if type(global) ~= "table" then
    global = { enable = global ~= false }
  end
  return vim.tbl_deep_extend("force", DEFAULTS, global, from_setup)
end

--- The binary that a checkout of the project has built, when this plugin is used from one.
---@return string?
local function built_in_checkout()
  local here = debug.getinfo(1, "S").source:sub(2)
  local plugin = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fn.resolve(vim.fn.fnamemodify(here, ":p")))))
  local built = vim.fs.joinpath(vim.fs.dirname(vim.fs.dirname(plugin)), "target", "release", "cute-analyzer")
  return vim.fn.executable(built) == 1 and built or nil
end

--- The command that starts the server: the user's, else the one on $PATH, else a checkout's.
---@return string[]
function M.command()
  local chosen = M.options().cmd
  if chosen then
    return chosen
  end
  if vim.fn.executable("cute-analyzer") == 1 then
    return { "cute-analyzer", "lsp" }
  end
  return { built_in_checkout() or "cute-analyzer", "lsp" }
end

--- Neovim calls CUDA `cuda`, other editors `cuda-cpp`.
---@param filetype string
---@return string
function M.language_id(filetype)
  return filetype == "cuda" and "cuda-cpp" or filetype
end

--- The buffers of each client, for one that ends by itself.
---@type table<integer, table<integer, true>>
local buffers_of = {}

--- Clients that have answered, or are stopped on purpose: their end is expected.
---@type table<integer, true>
local known = {}

--- Lets go of what is known of a client's buffers: it is stopped on purpose.
---@param client_id integer
function M.dismiss(client_id)
  buffers_of[client_id] = nil
  known[client_id] = true
end

--- What to say where a server is older than this plugin; nothing where it is not.
---@param version string? what the server says of itself
---@return string?
function M.outdated(version)
  local theirs = version and vim.version.parse(version)
  if theirs and vim.version.lt(theirs, assert(vim.version.parse(M.VERSION))) then
    return ("the server is version %s, older than this plugin (%s): install it again; commands may not work"):format(
      version,
      M.VERSION
    )
  end
end

---@param client vim.lsp.Client
---@param result table the answer to `initialize`
local function greet(client, result)
  known[client.id] = true
  require("cute-analyzer.hints").take_over(client)
  local old = M.outdated(vim.tbl_get(result, "serverInfo", "version"))
  if old then
    vim.notify_once("cute-analyzer: " .. old, vim.log.levels.WARN)
  end
end

---@param code integer
---@param signal integer
---@param client_id integer
local function on_exit(code, signal, client_id)
  local buffers = vim.tbl_keys(buffers_of[client_id] or {})
  local answered = known[client_id]
  buffers_of[client_id], known[client_id] = nil, nil
  if vim.v.exiting == vim.NIL then
    vim.schedule(function()
      if answered then
        require("cute-analyzer").ended(code, signal, buffers)
      else
        require("cute-analyzer").never_answered()
      end
    end)
  end
end

--- Further capabilities of this client: Neovim 0.10 takes them instead of its defaults, later ones add them.
---@return table
function M.capabilities()
  local own = { experimental = { cuteStatus = true } }
  if vim.fn.has("nvim-0.11") == 1 then
    return own
  end
  return vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(), own)
end

--- The client's configuration, in the shape of `vim.lsp.Config`.
---@return table
function M.lsp_config()
  local options = M.options()
  local hints = require("cute-analyzer.hints")
  return {
    name = M.NAME,
    cmd = M.command(),
    filetypes = options.filetypes,
    root_markers = options.root_markers,
    settings = { [SECTION] = options.settings },
    get_language_id = function(_, filetype)
      return M.language_id(filetype)
    end,
    handlers = vim.tbl_extend("force", hints.handlers(), require("cute-analyzer.status").handlers()),
    capabilities = M.capabilities(),
    on_init = greet,
    on_exit = on_exit,
    on_attach = function(client, bufnr)
      buffers_of[client.id] = buffers_of[client.id] or {}
      buffers_of[client.id][bufnr] = true
      hints.attach(client, bufnr, options.inlay_hints)
      require("cute-analyzer.hover").attach(client, bufnr)
      require("cute-analyzer.cursor").register()
      if options.code_lenses then
        require("cute-analyzer.lenses").attach(client, bufnr)
      end
      if options.on_attach then
        options.on_attach(client, bufnr)
      end
    end,
  }
end

return M
