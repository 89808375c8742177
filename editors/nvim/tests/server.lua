--- The plugin with the real server, on examples/wrong.cu:
---   CUTE_ANALYZER=path/to/cute-analyzer nvim -u NONE --headless -l tests/server.lua
package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local tap = require("tap")
local test, equal, wait = tap.test, tap.equal, tap.wait

local server = assert(os.getenv("CUTE_ANALYZER"), "CUTE_ANALYZER names no server")
local exit_code, process = vim.fn.tempname(), vim.fn.tempname()
-- The shell keeps the server's input, and notes its process and how it ends.
local script = ('exec 3<&0; "%s" lsp <&3 & echo $! > "%s"; wait $!; code=$?; echo $code > "%s"; exit $code'):format(
  server,
  process,
  exit_code
)
vim.g.cute_analyzer = { cmd = { "sh", "-c", script } }
tap.load_plugin()
vim.cmd.edit(vim.fs.joinpath(vim.fs.dirname(vim.fs.dirname(tap.root)), "examples", "wrong.cu"))
local bufnr = vim.api.nvim_get_current_buf()
local hints = require("cute-analyzer.hints")

--- The 0-based row of the only line with this text, and the byte column of the text in it.
local function place_of(text)
  for index, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
    local column = line:find(text, 1, true)
    if column then
      return index - 1, column - 1
    end
  end
  error("no line has: " .. text)
end

local function go_to(text)
  local row, column = place_of(text)
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
  return row
end

local function client()
  return vim.lsp.get_clients({ name = "cute_analyzer", bufnr = bufnr })[1]
end

local function findings(row)
  return vim.tbl_filter(function(finding)
    return finding.source == "cute-analyzer"
  end, vim.diagnostic.get(bufnr, { lnum = row }))
end

test("a .cu file is CUDA and starts the server", function()
  equal(vim.bo[bufnr].filetype, "cuda")
  wait("the client", function()
    return client() and client().initialized
  end)
end)

test("the layout is drawn in the line that binds it", function()
  local row = place_of("columns = make_layout")
  wait("the hint", function()
    return vim.iter(hints.drawn(bufnr)):any(function(hint)
      return hint.row == row and hint.text:find("(4,3):(3,1)", 1, true) ~= nil
    end)
  end)
end)

--- The text of the float that is open and has colours, which is closed.
local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      local shown = vim.api.nvim_win_get_buf(window)
      local text = table.concat(vim.api.nvim_buf_get_lines(shown, 0, -1, false), "\n")
      local coloured = #require("cute-analyzer.ansi").coloured(shown)
      if coloured > 0 then
        vim.api.nvim_win_close(window, true)
        return { text = text, coloured = coloured }
      end
    end
  end
end

for name, hover in pairs({ K = vim.lsp.buf.hover, [":CuteAnalyzer hover"] = "CuteAnalyzer hover" }) do
  test(name .. " shows the layout and its picture, every cell in its colour", function()
    go_to("columns = make_layout")
    if type(hover) == "string" then
      vim.cmd(hover)
    else
      hover()
    end
    local shown = wait("a float with colours", float)
    assert(shown.text:find("(_4,_3):(_3,_1)", 1, true), shown.text)
    local _, pictures = shown.text:gsub("┌", "")
    equal(pictures, 1)
    assert(shown.text:find("11", 1, true), shown.text)
    equal(shown.coloured, 12)
  end)
end

test(":CuteLayout shows the layout under the cursor and follows it", function()
  local layout = require("cute-analyzer.layout")
  local function shown()
    local text = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(assert(layout.window())), 0, -1, false)
    return table.concat(text, "\n")
  end
  go_to("columns = make_layout")
  vim.cmd("CuteLayout")
  wait("the layout", function()
    return shown():find("(4,3):(3,1)", 1, true)
  end)
  go_to("r = composition")
  vim.api.nvim_exec_autocmds("CursorMoved", {})
  wait("the composition with its operands", function()
    return shown():find("A o B", 1, true)
  end)
  layout.close()
end)

test("each mistake is found", function()
  for _, mistake in ipairs({
    "auto picked =",
    "auto r = composition",
    "auto tiles =",
    "auto rest =",
    "auto swizzled =",
  }) do
    local row = place_of(mistake)
    wait("a finding at: " .. mistake, function()
      return #findings(row) > 0
    end)
  end
end)

test("while a line is typed, the hints below it stay", function()
  local row = place_of("auto columns =")
  local function below()
    local texts = {}
    for _, hint in ipairs(hints.drawn(bufnr)) do
      local line = vim.api.nvim_buf_get_lines(bufnr, hint.row, hint.row + 1, false)[1]
      if hint.row >= (place_of("auto columns =")) then
        table.insert(texts, line .. hint.text)
      end
    end
    table.sort(texts)
    return texts
  end
  local before = below()
  assert(#before >= 8, vim.inspect(before))
  vim.api.nvim_buf_set_lines(bufnr, row, row, false, { "" })
  for _, typed in ipairs({ "  T", "  Tens", "  Tensor", "  Tensor t", "  Tensor t =", "  Tensor t = make_layout(" }) do
    vim.api.nvim_buf_set_lines(bufnr, row, row + 1, false, { typed })
    local lost
    vim.wait(500, function()
      lost = #below() < #before and below() or nil
      return lost ~= nil
    end, 10)
    assert(not lost, typed .. ": " .. vim.inspect(lost))
    wait("the same hints at: " .. typed, function()
      return vim.deep_equal(below(), before)
    end)
  end
  vim.api.nvim_buf_set_lines(bufnr, row, row + 1, false, {})
  wait("the findings of the text without the line", function()
    return #findings((place_of("auto r = composition"))) > 0
  end)
end)

test("a quick fix changes the text and settles the finding", function()
  local row, before, finding
  for _, candidate in ipairs(vim.diagnostic.get(bufnr)) do
    vim.api.nvim_win_set_cursor(0, { candidate.lnum + 1, candidate.col })
    local offered = vim.lsp.buf_request_sync(bufnr, "textDocument/codeAction", {
      textDocument = vim.lsp.util.make_text_document_params(bufnr),
      range = {
        start = { line = candidate.lnum, character = candidate.col },
        ["end"] = { line = candidate.lnum, character = candidate.col },
      },
      context = { diagnostics = { candidate.user_data.lsp }, only = { "quickfix" } },
    }, 20000)
    local _, answer = next(offered or {})
    if answer and answer.result and #answer.result > 0 then
      row, finding = candidate.lnum, candidate
      before = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
      break
    end
  end
  assert(row, "no finding offers a quick fix")
  local first = true
  vim.lsp.buf.code_action({
    apply = true,
    context = { only = { "quickfix" }, diagnostics = { finding.user_data.lsp } },
    filter = function()
      local choose = first
      first = false
      return choose
    end,
  })
  wait("the edit", function()
    return not vim.deep_equal(before, vim.api.nvim_buf_get_lines(bufnr, 0, -1, false))
  end)
  wait("the finding to be gone", function()
    return not vim.iter(findings(row)):any(function(other)
      return other.code == finding.code
    end)
  end)
end)

test("killed while it works, it is started again; hints and findings are as before", function()
  local row = place_of("columns = make_layout")
  local killed = client().id
  vim.api.nvim_buf_set_lines(bufnr, -1, -1, false, { "// changed" })
  vim.uv.kill(tonumber(vim.fn.readfile(process)[1]), "sigkill")
  wait("another client", function()
    return client() and client().id ~= killed and client().initialized
  end)
  wait("the hint", function()
    return vim.iter(hints.drawn(bufnr)):any(function(hint)
      return hint.row == row
    end)
  end)
  wait("the findings", function()
    return #findings((place_of("auto r = composition"))) > 0
  end)
end)

test("a read-only file outside of any project has its hints", function()
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, "p")
  local file = vim.fs.joinpath(folder, "alone.cu")
  vim.fn.writefile({ "auto a = make_layout(make_shape(Int<4>{}, Int<8>{}));" }, file)
  vim.uv.fs_chmod(file, tonumber("444", 8))
  vim.uv.fs_chmod(folder, tonumber("555", 8))
  vim.cmd.edit(file)
  local alone = vim.api.nvim_get_current_buf()
  wait("the hint", function()
    return #hints.drawn(alone) == 1
  end)
  vim.cmd.buffer(bufnr)
  vim.uv.fs_chmod(folder, tonumber("755", 8))
end)

test("a hover has no escapes: names with underscores read as in the source", function()
  local file = vim.fn.tempname() .. ".cu"
  vim.fn.writefile({
    "using namespace cute;",
    "template <class T, int kM_N>",
    "void tile() { auto rows_of_tile = typename T::Layout{}; }",
    "auto s_A_layout = make_layout(Shape<_8,_4>{});",
  }, file)
  vim.cmd.edit(file)
  local other = vim.api.nvim_get_current_buf()
  local place, what = nil, nil
  local function said()
    vim.api.nvim_win_set_cursor(0, place)
    vim.lsp.buf.hover()
    return wait("the hover of " .. what, function()
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(window).relative ~= "" then
          local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
          local text = table.concat(lines, "\n")
          if text:find(what, 1, true) then
            vim.api.nvim_win_close(window, true)
            return text
          end
        end
      end
    end)
  end
  wait("its client", function()
    local attached = vim.lsp.get_clients({ name = "cute_analyzer", bufnr = other })[1]
    return attached and attached.initialized
  end)
  place, what = { 4, 6 }, "s_A_layout: Layout"
  assert(not said():find("\\", 1, true), "the hover of a layout has a backslash")
  place, what = { 3, 20 }, "cute: instantiate tile<T, 64>"
  assert(not said():find("\\", 1, true), "the hover of an unknown value has a backslash")
  vim.cmd.buffer(bufnr)
end)

test("a lens runs what a comment orders, and has the answer then; others draw and explain", function()
  local file = vim.fn.tempname() .. ".cu"
  vim.fn.writefile({ "// cute: run", "auto rows = make_layout(Shape<_8,_4>{}, LayoutRight{});" }, file)
  vim.cmd.edit(file)
  local ordered = vim.api.nvim_get_current_buf()
  local function lens(text)
    return function()
      return vim.iter(vim.lsp.codelens.get(ordered)):any(function(shown)
        return shown.command and shown.command.title:find(text, 1, true)
      end)
    end
  end
  wait("the lens", lens("Run: offsets"))
  vim.api.nvim_win_set_cursor(0, { 2, 0 })
  local select = vim.ui.select
  vim.ui.select = function(items, options, choose) -- luacheck: ignore 122
    for index, item in ipairs(items) do
      if options.format_item(item):find("Run: offsets", 1, true) then
        choose(item, index)
      end
    end
  end
  vim.lsp.codelens.run()
  wait("the answer", lens("32 of 32 offsets agree"))
  vim.ui.select = select -- luacheck: ignore 122
  -- What the other lenses and the actions name, the plugin shows.
  local attached = vim.lsp.get_clients({ name = "cute_analyzer", bufnr = ordered })[1]
  local document = vim.lsp.util.make_text_document_params(ordered)
  local place = { textDocument = document, position = { line = 1, character = 5 } }
  local function run(name, more)
    local command = { title = name, command = name, arguments = { vim.tbl_extend("force", place, more or {}) } }
    vim.lsp.commands[name](command, { client_id = attached.id, bufnr = ordered })
  end
  run("cute.picture")
  local layout = require("cute-analyzer.layout")
  wait("the picture", function()
    local shown = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(assert(layout.window())), 0, -1, false)
    return table.concat(shown, "\n"):find("(8,4):(4,1)", 1, true)
  end)
  layout.close()
  run("cute.copyAs", { format = "svg" })
  wait("the copy", function()
    return vim.fn.getreg('"'):find("<svg", 1, true)
  end)
  run("cute.explain")
  wait("the explanation", function()
    return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"):find("## properties", 1, true)
  end)
  vim.cmd.close()
  vim.cmd.buffer(bufnr)
end)

test("the layout under the cursor is run, copied and explained", function()
  go_to("columns = make_layout")
  local said
  local notify = vim.notify
  vim.notify = function(message) -- luacheck: ignore 122
    said = message
  end
  for _, device in ipairs({ "cpu", "cuda" }) do
    said = nil
    tap.run("run", device)
    wait("the report", function()
      return said
    end)
    assert(said:find("12 of 12 offsets compared (all)", 1, true), said)
    -- Without a GPU the answer comes from the CPU, and says why.
    assert(said:find(device == "cpu" and "on the CPU (" or "ran on the ", 1, true), said)
  end
  vim.notify = notify -- luacheck: ignore 122
  for form, begins in pairs({ cute = "(_4,_3):(_3,_1)", svg = "<svg", text = "(4,3):(3,1)", tikz = "\\begin{tikz" }) do
    vim.fn.setreg('"', "")
    tap.run("copy", form)
    wait(form .. " in the register", function()
      return vim.fn.getreg('"'):find(begins, 1, true)
    end)
  end
  tap.run("explain")
  wait("the explanation", function()
    return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"):find("## properties", 1, true)
  end)
  vim.cmd.normal("q")
  equal(vim.api.nvim_get_current_buf(), bufnr)
end)

test("another instance of a kernel is shown when it is chosen", function()
  vim.cmd.edit(vim.fs.joinpath(vim.fs.dirname(vim.fs.dirname(tap.root)), "examples", "launches.cu"))
  local launches = vim.api.nvim_get_current_buf()
  local function drawn(text)
    return function()
      return vim.iter(hints.drawn(launches)):any(function(hint)
        return hint.text:find(text, 1, true) ~= nil
      end)
    end
  end
  wait("the first instance", drawn("(1,32):(0,1)"))
  local select = vim.ui.select
  vim.ui.select = function(items, _, choose) -- luacheck: ignore 122
    for index, item in ipairs(items) do
      if item.instance == "launch, line 24" then
        choose(item, index)
      end
    end
  end
  tap.run("instance")
  wait("the second instance", drawn("(1,64):(0,1)"))
  vim.ui.select = select -- luacheck: ignore 122
  vim.cmd.buffer(bufnr)
end)

test(":CuteAnalyzer check lists the findings of files that are not open", function()
  -- A project of its own: that of this plugin has hundreds of files.
  local project = vim.fn.tempname()
  local examples = vim.fs.joinpath(vim.fs.dirname(vim.fs.dirname(tap.root)), "examples")
  vim.fn.mkdir(vim.fs.joinpath(project, "inside"), "p")
  vim.fn.writefile({}, vim.fs.joinpath(project, "CMakeLists.txt"))
  for from, to in pairs({ ["launches.cu"] = "open.cu", ["python/wrong.py"] = "inside/closed.py" }) do
    assert(vim.uv.fs_copyfile(vim.fs.joinpath(examples, from), vim.fs.joinpath(project, to)))
  end
  vim.cmd.edit(vim.fs.joinpath(project, "open.cu"))
  wait("its client", function()
    local other = vim.lsp.get_clients({ name = "cute_analyzer", bufnr = 0 })[1]
    return other and other.initialized
  end)
  tap.run("check")
  wait("the finding of a closed file", function()
    return vim.iter(vim.fn.getqflist()):any(function(item)
      return vim.api.nvim_buf_get_name(item.bufnr):find("inside/closed.py", 1, true) ~= nil
    end)
  end)
  vim.cmd.cclose()
  vim.cmd.buffer(bufnr)
end)

test(":checkhealth finds nothing wrong", function()
  local wrapped = vim.g.cute_analyzer
  vim.g.cute_analyzer = { cmd = { server, "lsp" } }
  vim.cmd("checkhealth cute-analyzer")
  vim.g.cute_analyzer = wrapped
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  assert(text:find("cute%-analyzer %d+%.%d+%.%d+") and not text:find("ERROR"), text)
  vim.cmd.bdelete()
  vim.cmd.buffer(bufnr)
end)

test("the server stops with code 0", function()
  vim.cmd("CuteAnalyzer stop")
  wait("the client to be gone", function()
    return client() == nil
  end)
  local code = wait("the exit code", function()
    local file = io.open(exit_code)
    local text = file and file:read("*a")
    if file then
      file:close()
    end
    return text ~= "" and text
  end)
  equal(vim.trim(code), "0")
end)

tap.finish()
