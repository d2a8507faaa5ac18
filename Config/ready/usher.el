;;; usher.el --- Emacs tells Usher which file its window shows -*- lexical-binding: t -*-

;; To install: (load "/path/to/Config/ready/usher.el")        in ~/.emacs.d/init.el; usher-shows stays beside it
;;
;; A request for one of its files, as file:///home/me/notes.md, then comes to this window.  Told in the background, when
;; nothing has changed for a moment.

;;; Code:

(require 'url-util)

(defvar usher-pause 0.1 "Seconds without a change after which Usher is told.")
(defvar usher-most 50 "How many files are told of at most.")
(defvar usher-type (or (getenv "USHER_EDITOR_TYPE") "desktop.editor.edit") "The activity of looking at a file.")
(defvar usher--tool
  (let ((beside (expand-file-name "usher-shows" (file-name-directory (file-truename (or load-file-name buffer-file-name))))))
    (if (file-executable-p beside) beside "usher-shows"))
  "The program that tells Usher.")
(defvar usher--timer nil)
(defvar usher--told nil "What was told last.")

(defun usher-address (file)
  "The address of FILE, as in file:///home/me/notes.md."
  (concat "file://" (url-hexify-string (expand-file-name file) (url--allowed-chars (cons ?/ url-unreserved-chars)))))

(defun usher-tell ()
  "Tells Usher what the selected window shows, and which files are open."
  (let ((buffer (window-buffer (selected-window))))
    (when (buffer-file-name buffer)
      (let* ((current (usher-address (buffer-file-name buffer)))
             (others (delq nil (mapcar (lambda (other)
                                         (when (and (buffer-file-name other) (not (eq other buffer)))
                                           (usher-address (buffer-file-name other))))
                                       (buffer-list))))
             (targets (cons current (seq-take others (1- usher-most)))))
        (unless (equal targets usher--told)
          (setq usher--told targets)
          (let ((default-directory "/"))
            ;; 0: it is not waited for.
            (apply #'call-process usher--tool nil 0 nil
                   "--order" (format-time-string "%s%6N") "--type" usher-type
                   "--title" (abbreviate-file-name (buffer-file-name buffer)) "--" targets)))))))

(defun usher--soon (&rest _)
  "Tells Usher, when nothing changes for a moment."
  (when usher--timer (cancel-timer usher--timer))
  (setq usher--timer (run-with-timer usher-pause nil #'usher-tell)))

(defun usher--again (&rest _)
  "Tells Usher anew: the shell in the same window may have told something of its own."
  (setq usher--told nil)
  (usher--soon))

(when (getenv "USHER_SESSION")
  (add-hook 'window-selection-change-functions #'usher--soon)
  (add-hook 'window-buffer-change-functions #'usher--soon)
  (add-hook 'find-file-hook #'usher--soon)
  (add-hook 'after-save-hook #'usher--soon)
  (add-hook 'kill-buffer-hook #'usher--soon)
  (add-hook 'suspend-resume-hook #'usher--again)
  (usher--soon))

(provide 'usher)
;;; usher.el ends here
