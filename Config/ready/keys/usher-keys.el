;;; usher-keys.el --- Keys for notes and links in Emacs -*- lexical-binding: t -*-

;; To install: (load "/path/to/Config/ready/keys/usher-keys.el")        in ~/.emacs.d/init.el
;;
;; C-c u, then one key.

;;; Code:

(require 'json)

(defun usher--call (&rest words)
  "Run usher with WORDS; its standard output.  An error says what usher said."
  (let ((errors (make-temp-file "usher")))
    (unwind-protect
        (with-temp-buffer
          (let ((status (apply #'call-process "usher" nil (list t errors) nil words)))
            (unless (eql status 0)
              (user-error "%s" (with-temp-buffer (insert-file-contents errors) (string-trim (buffer-string)))))
            (buffer-string)))
      (delete-file errors))))

(defun usher--choose (prompt rows title)
  "The id of one of ROWS, chosen by what TITLE says of each, with PROMPT."
  (let ((names (mapcar (lambda (row) (cons (format "%s  %s" (funcall title row) (substring (gethash "id" row) -6)) row))
                       rows)))
    (unless names (user-error "There is nothing to choose"))
    (gethash "id" (cdr (assoc (completing-read prompt (mapcar #'car names) nil t) names)))))

(defun usher--rows (&rest words)
  "What usher lists with WORDS, as hash tables."
  (let ((json-object-type 'hash-table) (json-array-type 'list) (json-null nil))
    (json-read-from-string (apply #'usher--call (append words '("--json"))))))

(defun usher-note-new (text)
  "Make a note of TEXT; of the region where there is one."
  (interactive (list (read-string "Note: " (when (use-region-p) (buffer-substring (region-beginning) (region-end))))))
  (usher--call "note" "new" "--" text)
  (message "usher: noted"))

(defun usher-link-current ()
  "Link the note in progress to what is current."
  (interactive)
  (usher--call "link" "add" "--note" "current" "--from-current")
  (message "usher: linked"))

(defun usher-note-open-current ()
  "Open the note in progress."
  (interactive)
  (usher--call "note" "open" "current"))

(defun usher-note-pick ()
  "Choose a note and open it."
  (interactive)
  (usher--call "note" "open" (usher--choose "Note: " (usher--rows "note" "list" "--limit" "1000")
                                            (lambda (row) (gethash "title" row)))))

(defun usher--link-title (row)
  "What a link ROW is called."
  (or (gethash "title" row) (gethash "resolved" row)))

(defun usher-link-pick ()
  "Choose a link and open its content."
  (interactive)
  (usher--call "link" "open" (usher--choose "Link: " (usher--rows "link" "list" "--limit" "1000") #'usher--link-title)))

(defun usher-link-pick-current ()
  "Choose a link of the note in progress and open its content."
  (interactive)
  (usher--call "link" "open" (usher--choose "Link: " (usher--rows "link" "list" "--note" "current") #'usher--link-title)))

(defun usher-note-done ()
  "The note in progress is done."
  (interactive)
  (usher--call "note" "done")
  (message "usher: done"))

(defvar usher-map
  (let ((map (make-sparse-keymap)))
    (define-key map "n" #'usher-note-new)
    (define-key map "l" #'usher-link-current)
    (define-key map "e" #'usher-note-open-current)
    (define-key map "o" #'usher-note-pick)
    (define-key map "f" #'usher-link-pick)
    (define-key map "c" #'usher-link-pick-current)
    (define-key map "d" #'usher-note-done)
    map)
  "Keys for notes and links.")

(global-set-key (kbd "C-c u") usher-map)

(provide 'usher-keys)
;;; usher-keys.el ends here
