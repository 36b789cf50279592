"""The entry point: the options of a run, the table of commands, and what a user sees of an error.

Nothing heavy is imported here: `eukhe --version` and `eukhe --help` must start as fast as click does.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from eukhe import __version__
from eukhe.cli.exits import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE
from eukhe.cli.lazy import LazyCommand, LazyGroup
from eukhe.cli.streams import drop_stuck_output, ready_streams

if TYPE_CHECKING:
    from collections.abc import Sequence


class Invocation:
    """What the error handler must know of the command line.

    Attributes:
        debug: whether the user wants to see tracebacks.
    """

    def __init__(self) -> None:
        self.debug = False


class EukheGroup(LazyGroup):
    """The commands of eukhe."""

    table = {  # noqa: RUF012 - a constant
        "inspect": LazyCommand(
            "eukhe.cli.inspect:inspect", "Show what the decision core makes of an input."
        ),
        "laws": LazyCommand(
            "eukhe_laws.report.command:laws", "Say which laws hold, and on which evidence.", "laws"
        ),
        "model": LazyCommand("eukhe.cli.model:model", "List models and choose the default."),
        "provider": LazyCommand(
            "eukhe.cli.provider:provider", "Show what providers can do; ask one for its models."
        ),
        "prompt": LazyCommand(
            "eukhe.cli.prompt:prompt", "Print the system prompt that would be sent."
        ),
        "sessions": LazyCommand(
            "eukhe.cli.sessions:sessions", "List, show, search, fork, rewind and repair sessions."
        ),
        "settings": LazyCommand("eukhe.cli.settings:settings", "Look at settings and change them."),
        "trust": LazyCommand("eukhe.cli.trust:trust", "Trust the project in a directory."),
        "mcp": LazyCommand("eukhe.cli.mcp:mcp", "Declare, list and remove MCP servers."),
        "auth": LazyCommand("eukhe.cli.auth:auth", "Store, list and remove keys of providers."),
        "binds": LazyCommand("eukhe.cli.binds:binds", "Show and check key binds."),
    }


_DIRECTORY = click.Path(file_okay=False)


_HELP = """A coding agent for the terminal whose decisions are formally checked.

\b
eukhe -p "list the files here" --base-url http://127.0.0.1:8080/v1 --model NAME
"""  # the backspace keeps click from wrapping the line


@click.group(
    cls=EukheGroup,
    help=_HELP,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-v", "--version", message="eukhe %(version)s")
@click.option(
    "-p", "--print", "prompt", metavar="PROMPT", help="Run this prompt (`-`: read it from stdin)."
)
@click.option("--base-url", metavar="URL", help="The server, such as http://127.0.0.1:8080/v1.")
@click.option(
    "--model",
    metavar="MODEL",
    help="The model: PROVIDER/ID, an id or a pattern, with `:LEVEL` if you like; with --base-url the "
    "id that the server knows.",
)
@click.option("--thinking", metavar="LEVEL", help="How much it thinks: off, low, high, ...")
@click.option("--tier", metavar="TIER", help="The service tier, such as flex or priority.")
@click.option(
    "--api-key-env", metavar="VAR", help="The environment variable that holds the server's key."
)
@click.option(
    "-c",
    "--continue",
    "go_on",
    is_flag=True,
    help="Go on with this directory's newest session; without -p with its open run.",
)
@click.option(
    "-r",
    "--resume",
    metavar="[ID|PATH]",
    is_flag=False,
    flag_value="",
    help="Go on with this session; without an ID, choose one.",
)
@click.option("--fork", metavar="ID", help="Go on in a new session that starts as this one.")
@click.option("--at", metavar="ENTRY", help="The last entry that the fork shares, or `start`.")
@click.option("--no-session", is_flag=True, help="Store nothing.")
@click.option(
    "--cwd", type=_DIRECTORY, help="The working directory of the tools. [default: this one]"
)
@click.option(
    "--mode",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Print the text, or every event as a JSON line.",
)
@click.option(
    "--input-format",
    type=click.Choice(["text", "json-lines"]),
    default="text",
    help="What stdin has: text below the prompt, or lines that steer and abort the run (--mode json).",
)
@click.option(
    "--tools",
    metavar="NAMES",
    help="The tools on offer, with commas; also ls, grep, find. [default: read,bash,edit,write]",
)
@click.option("--no-tools", is_flag=True, help="Offer no tools.")
@click.option("--system-prompt", metavar="TEXT", help="Instructions in place of the built-in ones.")
@click.option(
    "--context-files/--no-context-files",
    default=None,
    help="Put the AGENTS.md or CLAUDE.md from this directory upwards into the system prompt. [default: do]",
)
@click.option(
    "--set", "sets", multiple=True, metavar="ID=VALUE", help="Set a setting of the session."
)
@click.option("--session-dir", type=_DIRECTORY, help="Where the sessions are.")
@click.option("--agent-dir", type=_DIRECTORY, help="Where all state is. [default: ~/.eukhe]")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
@click.pass_context
def cli(ctx: click.Context, /, **options: object) -> int | None:
    """Run a prompt, or hand over to a command; `_HELP` is what a user reads of it."""
    invocation = ctx.ensure_object(Invocation)
    invocation.debug = bool(options["debug"])
    if ctx.invoked_subcommand is not None:
        _refuse_options_of_a_run(ctx)
        return None
    if options["prompt"] is None and not options["go_on"] and options["resume"] is None:
        raise click.UsageError("nothing to do: give a prompt with -p, or see `eukhe --help`")
    from eukhe.cli.run import run  # a run pays for its imports, nobody else
    from eukhe.cli.run_options import PrintOptions

    return run(PrintOptions.of(options))


_OPTIONS_OF_ALL = ("cwd", "session_dir", "agent_dir", "debug")


def _refuse_options_of_a_run(ctx: click.Context) -> None:
    """A command in the line means that no prompt is run; an option of a run must not be lost unseen.

    Raises:
        click.UsageError: such an option was given.
    """
    for option in ctx.command.params:
        name = option.name or ""
        source = ctx.get_parameter_source(name)
        if name not in _OPTIONS_OF_ALL and source is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{option.opts[-1]} belongs to a run with -p, which takes no command; "
                f"leave it out or leave out {ctx.invoked_subcommand!r}"
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: what follows the program's name; None for the arguments of the process.

    Returns:
        The exit code: 0 done, 1 failed, 2 wrong use, 130 interrupted.
    """
    invocation = Invocation()
    ready_streams()
    try:
        code = cli.main(arguments, prog_name="eukhe", standalone_mode=False, obj=invocation)
    except click.UsageError as error:
        return _complain(error.format_message(), EXIT_USAGE)
    except click.ClickException as error:
        return _complain(error.format_message(), EXIT_FAILED)
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except Exception as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            return (
                EXIT_INTERRUPTED  # Python 3.11 wraps a Ctrl-C that falls into the making of a class
            )
        if _is_wrong_use(error):
            return _complain(str(error), EXIT_USAGE)
        drop_stuck_output()
        if invocation.debug:
            raise
        return _complain(_in_words(error), EXIT_FAILED)
    return code if isinstance(code, int) else 0


def _complain(text: str, code: int) -> int:
    """Say it on one line: a message of several lines hides what matters."""
    sys.stderr.write(f"eukhe: {' '.join(text.split())}\n")
    return code


def _is_wrong_use(error: Exception) -> bool:
    from eukhe.agent.opening.errors import OptionError  # only a failure pays for the import

    return isinstance(error, OptionError)


def _in_words(error: Exception) -> str:
    from eukhe.session.errors import SessionError  # only a failure pays for the imports
    from eukhe.settings.errors import SettingsError

    if isinstance(error, (SessionError, SettingsError)):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.filename or 'the system'}: {error.strerror or error}"
    return f"internal error ({type(error).__name__}: {error}); --debug shows where"
