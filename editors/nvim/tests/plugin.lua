--- The plugin by itself: nvim -u NONE --headless -l tests/plugin.lua
package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local tap = require("tap")
local in_process = require("in_process_server")
local test, equal, wait, run = tap.test, tap.equal, tap.wait, tap.run

local first = in_process.new({ in_process.hint(0, 14, ": (_4,_8)") })
vim.g.cute_analyzer = { cmd = first.start }
tap.load_plugin()
local config = require("cute-analyzer.config")
local hints = require("cute-analyzer.hints")

local function open(lines, name)
  local bufnr = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.api.nvim_buf_set_name(bufnr, vim.fn.tempname() .. "/" .. name)
  vim.api.nvim_set_current_buf(bufnr)
  vim.bo[bufnr].filetype = "cuda"
  return bufnr
end

local function client_of(bufnr)
  return vim.lsp.get_clients({ name = config.NAME, bufnr = bufnr })[1]
end

test("CUDA has the language id that other editors use", function()
  local id = config.lsp_config().get_language_id
  equal({ id(0, "cuda"), id(0, "cpp"), id(0, "c") }, { "cuda-cpp", "cpp", "c" })
end)

test("the shipped lsp/cute_analyzer.lua is the same client", function()
  local shipped = dofile(vim.api.nvim_get_runtime_file("lsp/cute_analyzer.lua", false)[1])
  equal(shipped.filetypes, { "cuda", "cpp", "c", "rust", "python" })
  equal(shipped.cmd, first.start)
end)

test("options: setup() over vim.g over the defaults", function()
  local global = vim.g.cute_analyzer
  vim.g.cute_analyzer = { filetypes = { "cuda" }, inlay_hints = false }
  config.remember({ inlay_hints = true })
  local options = config.options()
  equal({ options.filetypes, options.inlay_hints, options.enable }, { { "cuda" }, true, true })
  vim.g.cute_analyzer = false
  equal(config.options().enable, false)
  config.remember(nil)
  vim.g.cute_analyzer = global
end)

test("the state of a buffer is said in a few words, with the limits that were reached", function()
  local status = require("cute-analyzer.status")
  local bufnr = open({ "auto s = 1;" }, "status.cu")
  local uri = vim.uri_from_bufnr(bufnr)
  local told = 0
  vim.api.nvim_create_autocmd("User", {
    pattern = "CuteAnalyzerStatus",
    callback = function()
      told = told + 1
      return told == 4
    end,
  })
  local said = {}
  for _, news in ipairs({
    { uri = uri, state = "analysing" },
    { uri = uri, state = "ready", values = 117, findings = 1 },
    { uri = uri, state = "analysing" },
    { uri = uri, state = "ready", values = 9, findings = 0, limits = { "2 values are not evaluated" } },
  }) do
    status.take(news)
    said[#said + 1] = status.text(bufnr)
  end
  equal(said, {
    "reading",
    "117 values, 1 finding",
    "117 values, 1 finding, updating",
    "9 values, 0 findings, 1 limit reached",
  })
  equal(status.limits(bufnr), { "2 values are not evaluated" })
  equal(told, 4)
  vim.cmd("bwipeout! " .. bufnr)
end)

test("byte columns from every encoding, at most the line's end", function()
  local line = "aé😀b"
  equal(hints.byte_column(line, 3, "utf-8"), 3)
  equal(hints.byte_column(line, 4, "utf-16"), 7)
  equal(hints.byte_column(line, 3, "utf-32"), 7)
  for _, encoding in ipairs({ "utf-8", "utf-16", "utf-32" }) do
    equal(hints.byte_column(line, 99, encoding), #line)
  end
end)

test("a CUDA file starts the server, and its hints are drawn", function()
  local bufnr = open({ "auto a = first;", "auto é = second;" }, "a.cu")
  wait("the client", function()
    return client_of(bufnr)
  end)
  local drawn = wait("hints", function()
    local drawn = hints.drawn(bufnr)
    return #drawn > 0 and drawn
  end)
  equal(drawn, { { row = 0, column = 14, text = " : (_4,_8)" } })
end)

test("hints follow an edit, in label parts and past non-ASCII text", function()
  local bufnr = vim.api.nvim_get_current_buf()
  first.hints = { in_process.hint(1, 15, { { value = ": " }, { value = "(_2,_2)" } }) }
  vim.api.nvim_buf_set_lines(bufnr, 0, 1, false, { "auto a = other;" })
  wait("the new hint", function()
    return vim.deep_equal(hints.drawn(bufnr), { { row = 1, column = 16, text = " : (_2,_2)" } })
  end)
end)

test("hints are asked again when the server says that they changed", function()
  local bufnr = vim.api.nvim_get_current_buf()
  first.hints = { in_process.hint(0, 4, "refreshed") }
  first.dispatchers.server_request("workspace/inlayHint/refresh", nil)
  wait("the refreshed hint", function()
    local drawn = hints.drawn(bufnr)[1]
    return drawn and drawn.text == " refreshed"
  end)
end)

test("a second server's hints do not hide ours, nor ours theirs", function()
  local bufnr = vim.api.nvim_get_current_buf()
  local second = in_process.new({ in_process.hint(0, 4, "theirs") })
  vim.lsp.start({ name = "second", cmd = second.start, root_dir = "/" }, { bufnr = bufnr })
  vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  wait("the second server's hint", function()
    return #vim.lsp.inlay_hint.get({ bufnr = bufnr }) == 1
  end)
  equal(vim.lsp.inlay_hint.get({ bufnr = bufnr })[1].inlay_hint.label, "theirs")
  equal(hints.drawn(bufnr)[1].text, " refreshed")
  vim.lsp.inlay_hint.enable(false, { bufnr = bufnr })
end)

test(":CuteAnalyzer hints switches", function()
  local bufnr = vim.api.nvim_get_current_buf()
  run("hints", "off")
  equal(hints.drawn(bufnr), {})
  for _, argument in ipairs({ false, "off", "on" }) do
    run("hints", argument or nil)
    wait("the hint, or none", function()
      return #hints.drawn(bufnr) == (argument == "off" and 0 or 1)
    end)
  end
end)

test(":CuteAnalyzer hover shows this server's answer alone", function()
  run("hover")
  local window = wait("a float", function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        return window
      end
    end
  end)
  local text = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
  equal(text, { "a layout" })
  vim.api.nvim_win_close(window, true)
end)

local RED, RESET = "\27[38;2;17;17;17m\27[48;2;255;0;16m", "\27[0m"

test("ANSI colours become marks, and nothing else of them stays", function()
  local ansi = require("cute-analyzer.ansi")
  local lines, marks = ansi.parse("é│" .. RED .. " 1" .. RESET .. "│\nplain\n")
  equal(lines, { "é│ 1│", "plain" })
  equal(marks, { { row = 0, from = 5, to = 7, fg = "#111111", bg = "#ff0010" } })
end)

local function layout_text()
  local window = require("cute-analyzer.layout").window()
  return window and table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), "\n")
end

test(":CuteLayout shows the picture in colour, follows the cursor, and closes", function()
  local source = vim.api.nvim_get_current_win()
  first.pictures.ansi = "first " .. RED .. "0" .. RESET
  vim.cmd("CuteLayout")
  equal(vim.api.nvim_get_current_win(), source)
  wait("the picture", function()
    return layout_text() == "first 0"
  end)
  local shown = vim.api.nvim_win_get_buf(require("cute-analyzer.layout").window())
  local coloured = require("cute-analyzer.ansi").coloured(shown)
  equal(
    { coloured[1].from, coloured[1].to, vim.api.nvim_get_hl(0, { name = coloured[1].group }).bg },
    { 6, 7, 0xff0010 }
  )
  first.pictures.ansi = "second"
  vim.api.nvim_exec_autocmds("CursorMoved", {})
  wait("the next picture", function()
    return layout_text() == "second"
  end)
  -- Where nothing is known, what was shown stays.
  first.pictures.ansi = nil
  local asked = first.asked["cute/picture"]
  vim.api.nvim_exec_autocmds("CursorMoved", {})
  wait("the question", function()
    return first.asked["cute/picture"] > asked
  end)
  vim.wait(50)
  equal(layout_text(), "second")
  vim.cmd("CuteLayout")
  equal(layout_text(), nil)
end)

test(":CuteLayout EXPR draws an expression, and says where there is no picture", function()
  first.pictures.ansi = "drawn"
  vim.cmd("CuteLayout (4,8):(1,4)")
  wait("the picture", function()
    return layout_text() == "drawn"
  end)
  require("cute-analyzer.layout").close()
end)

test("lenses of this server are shown, and run", function()
  local bufnr = vim.api.nvim_get_current_buf()
  first.lenses = {
    {
      range = { start = { line = 1, character = 0 }, ["end"] = { line = 1, character = 0 } },
      command = { title = "instance 1 of 2", command = "cute.selectInstance", arguments = { { instance = "b" } } },
    },
  }
  vim.api.nvim_buf_set_lines(bufnr, 0, 1, false, { "auto a = lens;" })
  wait("the lens", function()
    return #vim.lsp.codelens.get(bufnr) == 1
  end)
  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  vim.lsp.codelens.run()
  wait("the command", function()
    return first.ran[1] and first.ran[1].command == "cute.selectInstance"
  end)
end)

test(":CuteAnalyzer copy puts the layout or its picture into the register", function()
  local copies = { [""] = "(_4,_8):(_1,_4)", cute = "(_4,_8):(_1,_4)", svg = "<svg/>", text = "┌", tikz = "\\draw" }
  for form, text in pairs(copies) do
    first.pictures[form] = text
    vim.fn.setreg('"', "")
    run("copy", form ~= "" and form or nil)
    wait("the register with " .. form, function()
      return vim.fn.getreg('"') == text
    end)
  end
end)

test(":CuteAnalyzer status says what is known of the buffer", function()
  local bufnr = vim.api.nvim_get_current_buf()
  local limits = { "2 values are not evaluated" }
  local uri = vim.uri_from_bufnr(bufnr)
  require("cute-analyzer.status").take({ uri = uri, state = "ready", values = 9, findings = 0, limits = limits })
  local said = {}
  local notify = vim.notify
  vim.notify = function(message) -- luacheck: ignore 122
    said[#said + 1] = message
  end
  run("status")
  vim.notify = notify -- luacheck: ignore 122
  equal(said, { "cute-analyzer: 9 values, 0 findings, 1 limit reached\n2 values are not evaluated" })
end)

test(":CuteAnalyzer copy asks before it copies a picture of many cells", function()
  local select, choices = vim.ui.select, nil
  local asked = 0
  vim.ui.select = function(items, options, choose) -- luacheck: ignore 122
    choices = items
    asked = asked + 1
    assert(options.prompt:find("4096 cells", 1, true), options.prompt)
    choose(items[2], 2)
  end
  first.cells, first.pictures.tikz = 4096, "\\draw"
  vim.fn.setreg('"', "")
  run("copy", "tikz")
  wait("the smaller picture", function()
    return vim.fn.getreg('"') == "\\draw"
  end)
  equal({ asked, choices }, { 1, { "5 characters", "the first 16 rows and columns" } })
  first.cells, vim.ui.select = nil, select -- luacheck: ignore 122
end)

test(":CuteAnalyzer explain opens what is known in a split, which q closes", function()
  local windows = #vim.api.nvim_list_wins()
  run("explain")
  wait("the explanation", function()
    local text = vim.api.nvim_buf_get_lines(0, 0, -1, false)
    return vim.deep_equal(text, { "a layout", "", "## properties", "size 32" })
  end)
  vim.cmd.normal("q")
  equal(#vim.api.nvim_list_wins(), windows)
end)

test(":CuteAnalyzer assume tells the server, beside what is assumed already", function()
  run("assume", "m=512")
  run("assume", "ldA % 8 == 0")
  equal(first.told.method, "workspace/didChangeConfiguration")
  equal(first.told.params.settings["cute-analyzer"].assume, { "m=512", "ldA % 8 == 0" })
end)

test("a server that is older than the plugin is named", function()
  equal(config.outdated(config.VERSION), nil)
  equal(config.outdated("99.0.0"), nil)
  local said = config.outdated("0.0.9")
  assert(said and said:find("0.0.9", 1, true) and said:find(config.VERSION, 1, true), said)
end)

--- Runs with the messages of `vim.notify` collected.
local function listening(body)
  local said = {}
  local notify = vim.notify
  vim.notify = function(message) -- luacheck: ignore 122
    said[#said + 1] = message
  end
  local ok, err = pcall(body, said)
  vim.notify = notify -- luacheck: ignore 122
  assert(ok, err)
end

test(":CuteAnalyzer run says where it was, why there, and what agrees", function()
  for device, says in pairs({
    [""] = "(4,8):(1,4) ran on the CPU (asked for auto): all agree",
    cpu = "(4,8):(1,4) ran on the CPU (asked for cpu): all agree",
    cuda = "(4,8):(1,4) ran on the GPU (asked for cuda): all agree",
  }) do
    listening(function(said)
      run("run", device ~= "" and device or nil)
      wait("the report", function()
        return said[1] == "cute-analyzer: " .. says
      end)
    end)
  end
end)

test(":CuteAnalyzer instance tells the server which one is chosen", function()
  local select = vim.ui.select
  vim.ui.select = function(items, options, choose) -- luacheck: ignore 122
    equal(vim.tbl_map(options.format_item, items), { "kernel: M=8 (shown now)", "kernel: M=4" })
    choose(items[2], 2)
  end
  run("instance")
  wait("the choice", function()
    return vim.deep_equal(first.selected, { ["function"] = "kernel", instance = "second" })
  end)
  vim.ui.select = select -- luacheck: ignore 122
end)

test(":CuteAnalyzer check counts, and lists the findings of closed files", function()
  local place = { line = 2, character = 4 }
  local finding = { range = { start = place, ["end"] = place }, message = "wrong", severity = 1 }
  first.closed = { { uri = "file:///nowhere/closed.cu", kind = "full", items = { finding } } }
  listening(function(said)
    run("check")
    wait("the finding", function()
      local listed = vim.fn.getqflist()[1]
      return listed and listed.lnum == 3 and listed.text:find("wrong", 1, true)
    end)
    equal(said, { "cute-analyzer: 1 error and 0 warnings in 1 closed file" })
  end)
  vim.cmd.cclose()
end)

test("what needs more than was given says so", function()
  listening(function(said)
    run("assume")
    vim.cmd("CuteAnalyzer copy as-it-is")
    vim.cmd("CuteAnalyzer nothing")
    assert(said[1]:find(":CuteAnalyzer assume m=5120", 1, true), said[1])
    assert(said[2]:find("svg", 1, true), said[2])
    assert(said[3]:find("no such action: nothing", 1, true), said[3])
  end)
end)

test("a server that ends by itself is started again, with its hints", function()
  local bufnr = vim.api.nvim_get_current_buf()
  local old = client_of(bufnr).id
  listening(function(said)
    first.crash()
    wait("another client", function()
      local client = client_of(bufnr)
      return client and client.id ~= old and client.initialized
    end)
    assert(said[1]:find("signal 9", 1, true), said[1])
  end)
  wait("the hint", function()
    return #hints.drawn(bufnr) == 1
  end)
end)

test("one that ends all the time is given up, with what to do", function()
  local bufnr = vim.api.nvim_get_current_buf()
  listening(function(said)
    for _ = 1, 4 do
      require("cute-analyzer").ended(1, 0, { bufnr })
    end
    assert(said[#said]:find(":CuteAnalyzer log", 1, true), said[#said])
  end)
end)

test("the queries are those of the grammar", function()
  local grammar = vim.fs.joinpath(vim.fs.dirname(vim.fs.dirname(tap.root)), "grammar", "notation", "queries")
  local function text(...)
    return table.concat(vim.fn.readfile(vim.fs.joinpath(...)), "\n")
  end
  for _, host in ipairs({ "cpp", "cuda", "python", "rust" }) do
    local shipped = text(tap.root, "queries", host, "injections.scm")
    equal(shipped, text(grammar, "hosts", host, "injections.scm"))
  end
  for _, name in ipairs({ "folds", "highlights", "locals" }) do
    equal(text(tap.root, "queries", "cute", name .. ".scm"), text(grammar, name .. ".scm"))
  end
end)

test(":CuteAnalyzer restart gives a new client and its hints", function()
  local bufnr = vim.api.nvim_get_current_buf()
  local old = client_of(bufnr).id
  run("restart")
  wait("another client", function()
    local client = client_of(bufnr)
    return client and client.id ~= old
  end)
  wait("the hint", function()
    return #hints.drawn(bufnr) == 1
  end)
end)

test("after servers that ended, an edit fails nowhere", function()
  vim.v.errmsg = "" -- luacheck: ignore 122
  local asked = first.asked["textDocument/codeLens"]
  vim.api.nvim_buf_set_lines(vim.api.nvim_get_current_buf(), 0, 1, false, { "auto a = edited;" })
  wait("lenses for the edit", function()
    return first.asked["textDocument/codeLens"] > asked
  end)
  equal(vim.v.errmsg, "")
end)

test(":CuteAnalyzer stop takes the hints away", function()
  local bufnr = vim.api.nvim_get_current_buf()
  run("stop")
  wait("no client", function()
    return not client_of(bufnr)
  end)
  wait("no hint", function()
    return #hints.drawn(bufnr) == 0
  end)
end)

test("without a server each action says that none runs", function()
  for _, action in ipairs({ "assume m=1", "check", "copy", "explain", "hints", "hover", "instance", "run" }) do
    listening(function(said)
      vim.cmd("CuteAnalyzer " .. action)
      assert(#said == 1 and said[1]:find(":checkhealth", 1, true), action .. ": " .. vim.inspect(said))
    end)
  end
  listening(function(said)
    vim.cmd("CuteLayout")
    assert(#said == 1, vim.inspect(said))
  end)
end)

test(":CuteAnalyzer start gives the client and its hints again", function()
  local bufnr = vim.api.nvim_get_current_buf()
  run("start")
  wait("the hint", function()
    return client_of(bufnr) and #hints.drawn(bufnr) == 1
  end)
end)

test(":CuteAnalyzer completes its actions", function()
  equal(vim.fn.getcompletion("CuteAnalyzer re", "cmdline"), { "restart" })
  equal(vim.fn.getcompletion("CuteAnalyzer copy t", "cmdline"), { "text", "tikz" })
  equal(vim.fn.getcompletion("CuteAnalyzer hints ", "cmdline"), { "off", "on" })
end)

test(":CuteAnalyzer log opens the log of Neovim's clients", function()
  run("log")
  equal(vim.fn.expand("%:t"), "lsp.log")
  vim.cmd.tabclose()
end)

test("a server that cannot be run is said with what to do, and only once", function()
  vim.g.cute_analyzer = { cmd = { "/nowhere/cute-analyzer" } }
  require("cute-analyzer").setup({})
  listening(function(said)
    for _ = 1, 2 do
      equal(require("cute-analyzer").start(), nil)
    end
    equal(#said, 1)
    assert(said[1]:find("/nowhere/cute-analyzer", 1, true) and said[1]:find(":help", 1, true), said[1])
    -- Who asks for it is answered every time.
    run("start")
    run("start")
    equal(#said, 3)
    assert(said[3]:find(":checkhealth", 1, true), said[3])
  end)
end)

test("another program is not taken for the server, and what to do is said", function()
  vim.g.cute_analyzer = { cmd = { "true" } }
  require("cute-analyzer").setup({})
  listening(function(said)
    require("cute-analyzer").start(open({ "auto a;" }, "other.cu"))
    wait("the message", function()
      return vim.iter(said):any(function(message)
        return message:find("`true` ended before it answered; :checkhealth", 1, true)
      end)
    end)
  end)
  vim.cmd("checkhealth cute-analyzer")
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  assert(text:find("that is not cute-analyzer", 1, true), text)
  vim.g.cute_analyzer = { cmd = { "/nowhere/cute-analyzer" } }
end)

test("an old server is named when it starts", function()
  local old = in_process.new({})
  old.version = "0.0.9"
  vim.g.cute_analyzer = { cmd = old.start }
  require("cute-analyzer").setup({})
  listening(function(said)
    require("cute-analyzer").start(open({ "auto a;" }, "old.cu"))
    -- The server of the test before may still be heard to end.
    wait("the message", function()
      return vim.iter(said):any(function(message)
        return message:find("version 0.0.9", 1, true)
      end)
    end)
  end)
  vim.g.cute_analyzer = { cmd = { "/nowhere/cute-analyzer" } }
  require("cute-analyzer").setup({})
end)

test(":checkhealth names a missing server", function()
  vim.cmd("checkhealth cute-analyzer")
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  assert(text:find("/nowhere/cute-analyzer", 1, true), text)
  assert(text:find("$PATH", 1, true), text)
end)

test("the help has its tags, and every mark in it leads somewhere", function()
  vim.cmd.helptags(tap.root .. "/doc")
  local text = table.concat(vim.fn.readfile(tap.root .. "/doc/cute-analyzer.txt"), "\n")
  local own = 0
  for tag in text:gmatch("%*([%w:_.-]+)%*") do
    own = own + 1
    vim.cmd.help(tag)
    equal(vim.fn.expand("%:t"), "cute-analyzer.txt")
    local line = vim.api.nvim_get_current_line()
    assert(line:find("*" .. tag .. "*", 1, true), tag .. " leads to: " .. line)
  end
  assert(own > 10, own .. " tags")
  for mark in text:gmatch("|([%w:_.()-]+)|") do
    vim.cmd.help(mark)
  end
end)

test("every action and everything that is completed for it was run", tap.all_ran)

test("the help names every action", function()
  local text = table.concat(vim.fn.readfile(tap.root .. "/doc/cute-analyzer.txt"), "\n")
  for _, action in ipairs(vim.fn.getcompletion("CuteAnalyzer ", "cmdline")) do
    assert(text:find("\n:CuteAnalyzer " .. action .. "%f[%s]"), action)
  end
end)

tap.finish()
