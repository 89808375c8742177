std = "luajit"
read_globals = { "vim" }
globals = { "vim.g", "vim.o", "vim.bo", "vim.wo", "vim.opt" }
max_line_length = 120
