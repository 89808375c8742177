--- Tests by name, reported in the Test Anything Protocol; the exit code says whether all passed.
local M = {}

local count, failed = 0, 0

---@param name string
---@param test fun()
function M.test(name, test)
  count = count + 1
  local ok, err = xpcall(test, debug.traceback)
  failed = failed + (ok and 0 or 1)
  io.stdout:write(("%s %d - %s\n"):format(ok and "ok" or "not ok", count, name))
  if not ok then
    io.stdout:write("    " .. tostring(err):gsub("\n", "\n    ") .. "\n")
  end
end

--- Fails unless both are equal in depth.
function M.equal(actual, expected)
  if not vim.deep_equal(actual, expected) then
    error(("expected %s, got %s"):format(vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

--- Waits for a condition and returns its value; fails when it does not come.
---@generic T
---@param what string
---@param condition fun(): T?
---@return T
function M.wait(what, condition)
  local value
  if not vim.wait(20000, function()
    value = condition()
    return value and true or false
  end, 10) then
    error("waited in vain for " .. what, 2)
  end
  return value
end

--- The actions of `:CuteAnalyzer` that were run, with what each was given.
---@type table<string, table<string, true>>
M.ran = {}

--- Runs `:CuteAnalyzer`, and notes what.
---@param action string
---@param argument? string
function M.run(action, argument)
  M.ran[action] = M.ran[action] or {}
  M.ran[action][argument or ""] = true
  vim.cmd("CuteAnalyzer " .. action .. (argument and " " .. argument or ""))
end

--- Fails unless every action that is completed was run, with everything that is completed for it.
function M.all_ran()
  local actions = vim.fn.getcompletion("CuteAnalyzer ", "cmdline")
  assert(#actions > 0, "nothing is completed")
  for _, action in ipairs(actions) do
    assert(M.ran[action], action .. " was never run")
    for _, argument in ipairs(vim.fn.getcompletion("CuteAnalyzer " .. action .. " ", "cmdline")) do
      assert(M.ran[action][argument], action .. " was never run with " .. argument)
    end
  end
end

function M.finish()
  io.stdout:write(("1..%d\n"):format(count))
  io.stdout:flush()
  os.exit(failed == 0 and count > 0 and 0 or 1)
end

--- The plugin's folder.
M.root = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h")

--- Loads the plugin as a user's runtimepath would.
function M.load_plugin()
  vim.opt.runtimepath:prepend(M.root)
  vim.cmd("filetype on")
  vim.cmd.runtime("plugin/cute-analyzer.lua")
end

return M
