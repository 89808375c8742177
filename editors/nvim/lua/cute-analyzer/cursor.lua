--- What is done with the layout under the cursor; each asks the server and shows its answer.
local ask = require("cute-analyzer.request")

local M = {}

--- What can be copied: the request, its parameters, and where the text is in the answer.
local COPIES = {
  cute = { "cute/layoutAt", {}, "value" },
  svg = { "cute/picture", { format = "svg", operands = true }, "picture" },
  text = { "cute/picture", { format = "text", operands = true }, "picture" },
  tikz = { "cute/picture", { format = "tikz", operands = true }, "picture" },
}

--- A picture of MANY_CELLS is copied only when the user confirms, or its first SOME rows and columns.
local MANY_CELLS, SOME = 1000, 16

---@param text string
local function to_register(text)
  vim.fn.setreg('"', text)
  pcall(vim.fn.setreg, "+", text)
  ask.say(("copied %d bytes"):format(#text))
end

--- Copies what the server answered under a key. A picture of many cells is copied only when that is confirmed: all of
--- it, or a smaller one.
local function take(result, key, smaller)
  local text = result[key]
  if (result.cells or 0) < MANY_CELLS then
    to_register(text)
    return
  end
  local some = ("the first %d rows and columns"):format(SOME)
  vim.ui.select({ ("%d characters"):format(#text), some }, {
    prompt = ("The picture has %d cells: copy"):format(result.cells),
  }, function(_, choice)
    if choice == 1 then
      to_register(text)
    elseif choice == 2 then
      smaller({ rows = SOME, columns = SOME }, function(part)
        to_register(part[key])
      end)
    end
  end)
end

--- Copies the layout into the unnamed register, and into the clipboard where there is one.
---@param form? string `cute`, `svg`, `text` or `tikz`
function M.copy(form)
  local copy = COPIES[form or "cute"]
  if not copy then
    ask.say("cannot copy as " .. form .. "; as " .. table.concat(vim.tbl_keys(COPIES), ", "), vim.log.levels.WARN)
    return
  end
  ask.at_cursor(copy[1], copy[2], function(result)
    take(result, copy[3], function(size, done)
      ask.at_cursor(copy[1], vim.tbl_extend("force", copy[2], size), done)
    end)
  end)
end

--- What lenses and actions of the server name, and only the client can do: to show an answer.
local COMMANDS = {
  ["cute.explain"] = function(place)
    M.explain(place)
  end,
  ["cute.picture"] = function(place)
    require("cute-analyzer.layout").show_place(place)
  end,
  ["cute.copyAs"] = function(what, client, bufnr)
    local function copied(more, done)
      local arguments = { vim.tbl_extend("force", what, more) }
      local params = { command = "cute.copyAs", arguments = arguments }
      ask.request(client, "workspace/executeCommand", params, bufnr, function(err, result)
        if type(result) == "table" and result.text then
          done(result)
        else
          ask.say(err and err.message or "this has no picture", vim.log.levels.WARN)
        end
      end)
    end
    copied({}, function(result)
      take(result, "text", copied)
    end)
  end,
}

--- Takes these commands over from the server; called once by the plugin.
function M.register()
  for name, run in pairs(COMMANDS) do
    vim.lsp.commands[name] = function(command, context) -- luacheck: ignore 122
      local client = vim.lsp.get_client_by_id(context.client_id)
      if client then
        run((command.arguments or {})[1] or {}, client, context.bufnr or vim.api.nvim_get_current_buf())
      end
    end
  end
end

--- Runs the program of the layout and says what came of it.
---@param device? string `cpu` or `cuda`
function M.run(device)
  ask.at_cursor("cute/run", { device = device or "auto" }, function(report)
    local where = report.device == "cpu" and "the CPU" or "the GPU"
    local text = ("%s ran on %s (%s): %s"):format(report.subject, where, report.why, table.concat(report.lines, "; "))
    ask.say(text, report.agrees and vim.log.levels.INFO or vim.log.levels.ERROR)
  end)
end

--- Opens an explanation in a split.
---@param answer { summary: string, sections: { title: string, lines: string[] }[] }
local function show_explanation(answer)
  local lines = vim.split(answer.summary, "\n", { plain = true })
  for _, section in ipairs(answer.sections) do
    vim.list_extend(lines, { "", "## " .. section.title })
    for _, line in ipairs(section.lines) do
      vim.list_extend(lines, vim.split(line, "\n", { plain = true }))
    end
  end
  vim.cmd("botright new")
  local bufnr = vim.api.nvim_get_current_buf()
  vim.bo[bufnr].buftype = "nofile"
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].swapfile = false
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = "markdown"
  vim.keymap.set("n", "q", "<cmd>close<cr>", { buffer = bufnr, desc = "close the explanation" })
end

--- Opens everything known about the layout in a split.
---@param place? table of the layout, default: that of the cursor
function M.explain(place)
  ask.at_cursor("cute/explain", place or {}, show_explanation)
end

--- Chooses which instance hints and hovers show of the function at the cursor; of any where that has only one.
function M.instance()
  local client, bufnr = ask.attached()
  if not client then
    return
  end
  ask.request(client, "cute/instances", ask.place(client), bufnr, function(_, found)
    local here = vim.tbl_filter(function(one)
      return one.here
    end, found or {})
    local choices = {}
    for _, one in ipairs(#here > 0 and here or found or {}) do
      for index, instance in ipairs(one.instances) do
        local label = (one.labels[index] or instance) .. (index == one.chosen + 1 and " (shown now)" or "")
        choices[#choices + 1] = { ["function"] = one["function"], instance = instance, label = label }
      end
    end
    if #choices == 0 then
      ask.say("no function in this file has several instances")
      return
    end
    vim.ui.select(choices, {
      prompt = "Show the layouts of",
      format_item = function(choice)
        return choice["function"] .. ": " .. choice.label
      end,
    }, function(choice)
      if choice then
        local chosen = { ["function"] = choice["function"], instance = choice.instance }
        ask.request(client, "cute/selectInstance", chosen, bufnr, function() end)
      end
    end)
  end)
end

--- Shows what this server alone says about the place under the cursor. With several servers Neovim
--- 0.10 shows only the last answer to |K|.
function M.hover()
  ask.at_cursor("textDocument/hover", {}, function(hover)
    local text = vim.lsp.util.convert_input_to_markdown_lines(hover.contents)
    vim.lsp.util.open_floating_preview(text, "markdown", { focus_id = "cute_analyzer.hover", max_width = 100 })
  end)
end

--- Assumes a fact until the server is stopped: `m=5120`, `ldA % 8 == 0`, `K >= 64`.
---@param fact? string
function M.assume(fact)
  if not fact then
    ask.say("say what to assume, as in :CuteAnalyzer assume m=5120", vim.log.levels.WARN)
    return
  end
  if #ask.clients() == 0 then
    ask.attached() -- says that none runs
  end
  for _, client in ipairs(ask.clients()) do
    local settings = vim.deepcopy(client.settings or {})
    local own = settings["cute-analyzer"] or {}
    own.assume = vim.list_extend(own.assume or {}, { fact })
    settings["cute-analyzer"] = own
    client.settings = settings
    client.config.settings = settings
    local params = { settings = settings }
    if ask.modern then
      client:notify("workspace/didChangeConfiguration", params)
    else
      client.notify("workspace/didChangeConfiguration", params)
    end
  end
end

return M
