-- Keys for notes and links, in Neovim.
--
-- To install: dofile('/path/to/Config/ready/keys/usher-keys.lua')        in ~/.config/nvim/init.lua
--
-- <Leader>u, then one key. A menu is vim.ui.select.

local function call(words)
  local output = vim.fn.systemlist(vim.list_extend({ 'usher', '--quiet' }, words))
  if vim.v.shell_error ~= 0 then
    vim.notify(table.concat(output, '\n'), vim.log.levels.ERROR)
    return nil
  end
  return output
end

local function choose(prompt, words, title, open)
  local output = call(vim.list_extend(words, { '--json' }))
  if not output then return end
  vim.ui.select(vim.fn.json_decode(output), { prompt = prompt, format_item = title }, function(row)
    if row then call(vim.list_extend(open, { row.id })) end
  end)
end

local function text(value) return value ~= vim.NIL and value or nil end

local function link_title(row) return text(row.title) or text(row.resolved) or row.id end

local function new_note()
  vim.ui.input({ prompt = 'Note: ' }, function(note)
    if note and note ~= '' and call({ 'note', 'new', '--', note }) then vim.notify('usher: noted') end
  end)
end

local keys = {
  n = { 'a new note', new_note },
  l = { 'link what is current', function() call({ 'link', 'add', '--note', 'current', '--from-current' }) end },
  e = { 'open the note in progress', function() call({ 'note', 'open', 'current' }) end },
  o = {
    'open a note',
    function()
      choose('Note', { 'note', 'list', '--limit', '1000' }, function(row) return row.title end, { 'note', 'open' })
    end,
  },
  f = {
    'open a link',
    function() choose('Link', { 'link', 'list', '--limit', '1000' }, link_title, { 'link', 'open' }) end,
  },
  c = {
    'open a link of the note in progress',
    function() choose('Link', { 'link', 'list', '--note', 'current' }, link_title, { 'link', 'open' }) end,
  },
  d = { 'the note in progress is done', function() call({ 'note', 'done' }) end },
}

for key, act in pairs(keys) do
  vim.keymap.set('n', '<Leader>u' .. key, act[2], { desc = 'usher: ' .. act[1] })
end
