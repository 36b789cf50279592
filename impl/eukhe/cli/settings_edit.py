"""`eukhe settings edit`: a settings file in the user's editor, checked before it takes the old one's place."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eukhe.cli.settings import known, option_where, shown_path
from eukhe.core.config import SETTINGS, Refused, read
from eukhe.settings.disk import Text, parse, read_text
from eukhe.settings.errors import RefusedWriteError
from eukhe.settings.writer import change_text

if TYPE_CHECKING:
    from eukhe.settings.places import Files


@click.command("edit")
@click.option("--project/--global", "project", default=False, help="Whose file.")
@click.option("--cfg", is_flag=True, help="The config.cfg in place of the settings.json.")
@option_where
@click.pass_context
def edit_settings(ctx: click.Context, /, project: bool, cfg: bool, **_: object) -> None:
    """Open a settings file in $VISUAL or $EDITOR. A settings.json that does not parse is not saved."""
    found = known(ctx)
    path = _path(found.config.files, project, cfg)
    before = read_text(path)
    if before.unreadable:
        raise click.ClickException(f"{shown_path(path)} cannot be read: {before.unreadable}")
    draft = _edited(path, before.text or ("" if cfg else "{\n}\n"))
    text = draft.read_text()
    if text == before.text or (before.missing and text.strip() in ("", "{\n}")):
        draft.unlink()
        click.echo(f"{shown_path(path)} was not changed")
        return
    kept = f"your text is kept in {draft}"
    if not cfg:
        checked = read(SETTINGS, parse(Text(text)))
        if isinstance(checked, Refused):
            raise click.ClickException(
                f"the edited text {checked.fault.value} ({checked.why}): nothing was written; {kept}"
            )

    def replaced(now: Text) -> str:
        if now.text != before.text or now.missing != before.missing:
            message = (
                f"{path} was changed by another program meanwhile: nothing was written; {kept}"
            )
            raise RefusedWriteError(path, message, "changed meanwhile")
        return text

    change_text(path, replaced, private=not project)
    draft.unlink()
    click.echo(f"{shown_path(path)} was written")


def _path(files: Files, project: bool, cfg: bool) -> Path:
    if not project:
        return files.cfg if cfg else files.settings
    path = files.project_cfg if cfg else files.project_settings
    if path is None:
        raise click.UsageError("this directory's .eukhe is the agent directory: edit --global")
    return path


def _edited(path: Path, text: str) -> Path:
    """Let the user edit a copy, and return it: the file itself stays whole while the editor is open."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    fd, name = tempfile.mkstemp(prefix="eukhe-", suffix=path.suffix)
    with open(fd, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor, not a path
        file.write(text)
    try:
        code = subprocess.run([*shlex.split(editor), name], check=False).returncode
    except (OSError, ValueError) as error:
        Path(name).unlink()
        raise click.ClickException(
            f"the editor {editor!r} cannot be run ({error}); set VISUAL or EDITOR"
        ) from error
    if code:
        Path(name).unlink()
        raise click.ClickException(f"the editor {editor!r} ended with code {code}: nothing changed")
    return Path(name)
