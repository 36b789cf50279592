"""The actions of the client: their default keys, and the names they had in `keybindings.json` (S4.5)."""

from __future__ import annotations

from typing import Final

from eukhe.core.cvar import key_name

__all__ = ["DEFAULT_KEYS", "OLD_NAMES"]

_EDITOR: Final = {
    "cursorUp": "up",
    "cursorDown": "down",
    "cursorLeft": "left ctrl+b",
    "cursorRight": "right ctrl+f",
    "cursorWordLeft": "alt+left ctrl+left alt+b",
    "cursorWordRight": "alt+right ctrl+right alt+f",
    "cursorLineStart": "home ctrl+a super+left",
    "cursorLineEnd": "end ctrl+e super+right",
    "cursorDocStart": "ctrl+home super+home super+up",
    "cursorDocEnd": "ctrl+end super+end super+down",
    "cursorParagraphUp": "ctrl+up",
    "cursorParagraphDown": "ctrl+down",
    "jumpForward": "ctrl+]",
    "jumpBackward": "ctrl+alt+]",
    "pageUp": "pageup",
    "pageDown": "pagedown",
    "deleteCharBackward": "backspace",
    "deleteCharForward": "delete ctrl+d",
    "deleteWordBackward": "ctrl+w alt+backspace",
    "deleteWordForward": "alt+d alt+delete",
    "deleteToLineStart": "ctrl+u",
    "deleteToLineEnd": "ctrl+k",
    "yank": "ctrl+y",
    "yankPop": "alt+y",
    "undo": "ctrl+- super+z",
    "redo": "ctrl+shift+z super+shift+z",
    "selectAll": "super+a ctrl+shift+a",
    "selectUp": "shift+up",
    "selectDown": "shift+down",
    "selectLeft": "shift+left",
    "selectRight": "shift+right",
    "selectLineStart": "shift+home",
    "selectLineEnd": "shift+end",
    "transposeChars": "ctrl+t",
    "cutSelection": "ctrl+x super+x",
    "copySelection": "ctrl+shift+c super+c",
}

_LISTS: Final = {
    "tui.input.newLine": "shift+enter",
    "tui.input.submit": "enter",
    "tui.input.tab": "tab",
    "tui.input.copy": "ctrl+c",
    "tui.viewport.pageUp": "pageup",
    "tui.viewport.pageDown": "pagedown",
    "tui.viewport.top": "ctrl+home",
    "tui.viewport.bottom": "ctrl+end",
    "tui.select.up": "up",
    "tui.select.down": "down",
    "tui.select.pageUp": "pageup",
    "tui.select.pageDown": "pagedown",
    "tui.select.top": "home",
    "tui.select.bottom": "end",
    "tui.select.confirm": "enter",
    "tui.select.cancel": "escape ctrl+c",
}

_APP: Final = {
    "interrupt": "",
    "clear": "ctrl+c",
    "input.clear": "escape",
    "exit": "ctrl+d",
    "suspend": "ctrl+z",
    "model.select": "ctrl+l",
    "model.toggleScope": "alt+s",
    "model.cycleForward": "alt+m",
    "model.cycleBackward": "shift+alt+m",
    "tools.expand": "ctrl+o",
    "subagents.focus": "alt+a",
    "heartbeats.openSelected": "right",
    "editor.external": "ctrl+g",
    "prompt.stash": "ctrl+s",
    "message.followUp": "alt+enter",
    "message.navigateOlder": "alt+up",
    "message.navigateNewer": "alt+down",
    "message.moveEarlier": "ctrl+alt+up",
    "message.moveLater": "ctrl+alt+down",
    "clipboard.pasteImage": "ctrl+v",
    "clipboard.copyLoginUrl": "c alt+c",
    "session.new": "",
    "session.tree": "",
    "session.fork": "",
    "session.resume": "",
    "agents.back": "left",
    "agents.open": "right",
    "agents.reply": "space",
    "agents.new": "ctrl+n",
    "agents.delete": "ctrl+x",
    "agents.program": "ctrl+o",
    "agents.rename": "ctrl+r",
    "agents.expand": "alt+right",
    "modal.back": "left",
    "tree.fold": "ctrl+left alt+left",
    "tree.unfold": "ctrl+right alt+right",
    "tree.label": "shift+l",
    "tree.timestamps": "shift+t",
    "tree.filterDefault": "ctrl+d",
    "tree.filterNoTools": "ctrl+t",
    "tree.filterUserOnly": "ctrl+u",
    "tree.filterLabeledOnly": "ctrl+l",
    "tree.filterAll": "ctrl+a",
    "tree.filterCycle": "ctrl+o",
    "tree.filterCycleBack": "ctrl+shift+o",
    "stt.pushToTalk": "",
    "stt.toggle": "",
}


def _keys(text: str) -> tuple[str, ...]:
    """The keys of a row, each in its one form."""
    return tuple(filter(None, map(key_name, text.split())))


#: The default keys of each action, in the order in which their default binds run.
DEFAULT_KEYS: Final = {
    **{f"tui.editor.{name}": _keys(keys) for name, keys in _EDITOR.items()},
    **{name: _keys(keys) for name, keys in _LISTS.items()},
    **{f"app.{name}": _keys(keys) for name, keys in _APP.items()},
}

_LIST_NAMES: Final = ("up", "down", "pageUp", "pageDown", "confirm", "cancel")

#: The names without a dot that actions had in older versions.
OLD_NAMES: Final = {
    **{name: f"tui.editor.{name}" for name in _EDITOR if not name.startswith("select")},
    **{f"select{name[0].upper()}{name[1:]}": f"tui.select.{name}" for name in _LIST_NAMES},
    "newLine": "tui.input.newLine",
    "submit": "tui.input.submit",
    "tab": "tui.input.tab",
    "copy": "tui.input.copy",
    "interrupt": "app.interrupt",
    "clear": "app.clear",
    "exit": "app.exit",
    "suspend": "app.suspend",
    "selectModel": "app.model.select",
    "cycleModelForward": "app.model.cycleForward",
    "cycleModelBackward": "app.model.cycleBackward",
    "expandTools": "app.tools.expand",
    "externalEditor": "app.editor.external",
    "followUp": "app.message.followUp",
    "dequeue": "app.message.navigateOlder",
    "pasteImage": "app.clipboard.pasteImage",
    "newSession": "app.session.new",
    "tree": "app.session.tree",
    "fork": "app.session.fork",
    "resume": "app.session.resume",
}
