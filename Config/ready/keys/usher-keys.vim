" Keys for notes and links, in Vim.
"
" To install: source /path/to/Config/ready/keys/usher-keys.vim        in ~/.vimrc
"
" <Leader>u, then one key. Menus are numbered lists.

let s:cpo = &cpo
set cpo&vim

function! s:Call(words) abort
  let l:output = systemlist(join(map(['usher', '--quiet'] + a:words, 'shellescape(v:val)')))
  if v:shell_error
    echohl ErrorMsg | echo join(l:output, "\n") | echohl None
    return v:null
  endif
  return l:output
endfunction

function! s:New() abort
  let l:text = input('Note: ')
  if l:text !=# ''
    call s:Call(['note', 'new', '--', l:text])
  endif
endfunction

function! s:Title(row) abort
  return type(get(a:row, 'title', v:null)) == v:t_string ? a:row.title : get(a:row, 'resolved', a:row.id)
endfunction

function! s:Choose(prompt, list, open) abort
  let l:output = s:Call(a:list + ['--json'])
  if type(l:output) != v:t_list
    return
  endif
  let l:rows = json_decode(join(l:output, "\n"))
  let l:number = inputlist([a:prompt] + map(copy(l:rows), 'printf("%d  %s", v:key + 1, s:Title(v:val))'))
  if l:number > 0 && l:number <= len(l:rows)
    call s:Call(a:open + [l:rows[l:number - 1].id])
  endif
endfunction

nnoremap <silent> <Leader>un :call <SID>New()<CR>
nnoremap <silent> <Leader>ul :call <SID>Call(['link', 'add', '--note', 'current', '--from-current'])<CR>
nnoremap <silent> <Leader>ue :call <SID>Call(['note', 'open', 'current'])<CR>
nnoremap <silent> <Leader>uo :call <SID>Choose('Note', ['note', 'list', '--limit', '1000'], ['note', 'open'])<CR>
nnoremap <silent> <Leader>uf :call <SID>Choose('Link', ['link', 'list', '--limit', '1000'], ['link', 'open'])<CR>
nnoremap <silent> <Leader>uc :call <SID>Choose('Link', ['link', 'list', '--note', 'current'], ['link', 'open'])<CR>
nnoremap <silent> <Leader>ud :call <SID>Call(['note', 'done'])<CR>

let &cpo = s:cpo
unlet s:cpo
