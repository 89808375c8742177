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

--- Copies the layout into the unnamed register, and into the clipboard where there is one.
---@param form? string `cute`, `svg`, `text` or `tikz`
function M.copy(form)
  local copy = COPIES[form or "cute"]
  if not copy then
    ask.say("cannot copy as " .. form .. "; as " .. table.concat(vim.tbl_keys(COPIES), ", "), vim.log.levels.WARN)
    return
  end
  ask.at_cursor(copy[1], copy[2], function(result)
    local text = result[copy[3]]
    vim.fn.setreg('"', text)
    pcall(vim.fn.setreg, "+", text)
    ask.say(("copied %d bytes"):format(#text))
  end)
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

--- Opens everything known about the layout in a split.
function M.explain()
  ask.at_cursor("cute/explain", {}, function(answer)
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
  end)
end

--- Chooses which instance of a function hints and hovers show.
function M.instance()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = ask.clients(bufnr)[1]
  if not client then
    return
  end
  local document = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  ask.request(client, "cute/instances", document, bufnr, function(_, found)
    local choices = {}
    for _, one in ipairs(found or {}) do
      for _, instance in ipairs(one.instances) do
        choices[#choices + 1] = { ["function"] = one["function"], instance = instance }
      end
    end
    if #choices == 0 then
      ask.say("no function of this file has several instances")
      return
    end
    vim.ui.select(choices, {
      prompt = "Show the layouts of",
      format_item = function(choice)
        return choice["function"] .. ": " .. choice.instance
      end,
    }, function(choice)
      if choice then
        ask.request(client, "cute/selectInstance", choice, bufnr, function() end)
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
---@param fact string
function M.assume(fact)
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
