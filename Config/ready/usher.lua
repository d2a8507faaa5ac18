-- Neovim tells Usher which file its window shows, and which it has open.
--
-- To install: dofile('/path/to/Config/ready/usher.lua')      in ~/.config/nvim/init.lua; usher-shows stays beside it
--
-- A request for one of its buffers, as file:///home/me/notes.md, then comes to this window; show the buffer with
-- `show = { tmux-keys = [":UsherShow {target}", "<Enter>"] }`. Told in the background, when nothing has changed for a moment.

local session = vim.env.USHER_SESSION
if not session or session == '' then return end

local uv = vim.uv or vim.loop
local here = vim.fn.fnamemodify(vim.fn.resolve(debug.getinfo(1, 'S').source:sub(2)), ':p:h')
local tool = here .. '/usher-shows'
if vim.fn.executable(tool) == 0 then tool = 'usher-shows' end
local pause, most = 100, 50
local timer, told = uv.new_timer(), nil

-- Its address; nil for what is no file.
local function address(buffer)
    local name = vim.api.nvim_buf_get_name(buffer)
    if name == '' or vim.bo[buffer].buftype ~= '' then return nil end
    return vim.uri_from_fname(vim.fn.fnamemodify(name, ':p'))
end

local function tell()
    local current = address(0)
    if not current then return end
    local targets = { current }
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
        local target = vim.bo[buffer].buflisted and address(buffer)
        if target and target ~= current and #targets < most then table.insert(targets, target) end
    end
    local all = table.concat(targets, '\n')
    if all == told then return end
    told = all
    local seconds, microseconds = uv.gettimeofday()
    local arguments = {
        '--order', string.format('%d%06d', seconds, microseconds), '--type', vim.env.USHER_EDITOR_TYPE or 'desktop.editor.edit',
        '--title', vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':~:.'), '--', unpack(targets),
    }
    local handle
    handle = uv.spawn(tool, { args = arguments, detached = true }, function() handle:close() end)
end

local function soon() timer:start(pause, 0, vim.schedule_wrap(tell)) end

-- The shell in the same window may have told something of its own.
local function again()
    told = nil
    soon()
end

local group = vim.api.nvim_create_augroup('Usher', {})
vim.api.nvim_create_autocmd({ 'BufEnter', 'BufFilePost', 'BufDelete', 'BufWritePost' }, { group = group, callback = soon })
vim.api.nvim_create_autocmd({ 'VimResume', 'FocusGained' }, { group = group, callback = again })
-- One that is left at once still says what it had shown.
vim.api.nvim_create_autocmd('VimLeavePre', { group = group, callback = function() timer:stop() end })
vim.api.nvim_create_user_command('UsherShow', function(given)
    -- Whatever else comes here is shown by other windows.
    if given.args:sub(1, 8) ~= 'file:///' then return end
    local name = vim.uri_to_fname(given.args)
    local buffer = vim.fn.bufnr('^' .. vim.fn.escape(name, '\\*?[]{},^$~') .. '$')
    if buffer > 0 then vim.cmd('buffer ' .. buffer) else vim.cmd('edit ' .. vim.fn.fnameescape(name)) end
end, { nargs = 1 })
soon()
