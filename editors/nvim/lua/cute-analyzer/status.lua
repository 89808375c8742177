--- What the server knows of each buffer, for a status line: `cute/status`.
local ask = require("cute-analyzer.request")

local M = {}

---@class cute_analyzer.Status
---@field state string `analysing` or `ready`
---@field values? integer how many names have a value
---@field findings? integer
---@field limits? string[] the limits that were reached, in words

--- By buffer.
---@type table<integer, cute_analyzer.Status>
local known = {}

--- Takes a notification; what was known of the version before is said until the new one is known.
---@param status table
function M.take(status)
  local bufnr = vim.uri_to_bufnr(status.uri)
  local before = status.state == "analysing" and known[bufnr] or {}
  known[bufnr] = vim.tbl_extend("force", before, status)
  vim.api.nvim_exec_autocmds("User", { pattern = "CuteAnalyzerStatus", modeline = false, data = { buf = bufnr } })
end

--- The handlers of the client.
---@return table<string, function>
function M.handlers()
  return {
    ["cute/status"] = function(_, status)
      M.take(status)
    end,
  }
end

--- The state of a buffer in a few words; empty where the server does not serve it.
---@param bufnr? integer default: the current one
---@return string
function M.text(bufnr)
  local status = known[(bufnr and bufnr ~= 0) and bufnr or vim.api.nvim_get_current_buf()]
  if not status then
    return ""
  elseif not status.values then
    return "reading"
  end
  local numbers = ask.count(status.values, "value") .. ", " .. ask.count(status.findings or 0, "finding")
  if status.state == "analysing" then
    return numbers .. ", updating"
  end
  local limits = #(status.limits or {})
  return limits > 0 and numbers .. ", " .. ask.count(limits, "limit") .. " reached" or numbers
end

--- The limits that were reached in a buffer, in words.
---@param bufnr? integer default: the current one
---@return string[]
function M.limits(bufnr)
  local status = known[(bufnr and bufnr ~= 0) and bufnr or vim.api.nvim_get_current_buf()]
  return status and status.limits or {}
end

--- Says the state of the current buffer, and the limits that were reached.
function M.say()
  if ask.attached() then
    local lines = { M.text() }
    vim.list_extend(lines, M.limits())
    ask.say(table.concat(lines, "\n"))
  end
end

return M
