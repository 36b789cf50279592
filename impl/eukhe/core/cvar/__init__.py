"""The decisions about settings (S4): cvars and their layers, the command language, aliases and key binds.

`kinds` holds types and values, `layers` the registry, the layers and the sets, `language` what a line says,
`aliases` the expansion and the running of lines, `keys` the names of keys, `binds` the key presses. Of these only
`kinds` and `layers` are imported at once: to read a setting needs no more, and must not take longer.
"""

from typing import TYPE_CHECKING

from eukhe.core.cvar.kinds import (
    BAD,
    Bad,
    Kind,
    Type,
    Word,
    accept,
    holds,
    show,
    wants,
)
from eukhe.core.cvar.layers import (
    FLIP,
    Agent,
    BadDeclaration,
    Cvar,
    CvarError,
    Cvars,
    Entry,
    ErrorKind,
    Fate,
    Flip,
    Place,
    Refusal,
    Registry,
    RegistryError,
    Scope,
    Step,
    agent,
    assign,
    base,
    explain,
    global_change,
    judge,
    over,
    registry,
    replicated,
    written,
)

if TYPE_CHECKING:
    from eukhe.core.cvar.aliases import (
        MOST,
        Aliases,
        Executed,
        ExpandError,
        Failed,
        Failure,
        Loaded,
        execute,
        expand,
        load,
    )
    from eukhe.core.cvar.binds import (
        Binds,
        Pressed,
        bind_table,
        default_binds,
        import_binds,
        press,
    )
    from eukhe.core.cvar.keys import (
        key_name,
    )
    from eukhe.core.cvar.language import (
        Action,
        Alias,
        Bind,
        Command,
        Fault,
        Line,
        ParseError,
        Plain,
        Run,
        Script,
        Set,
        Toggle,
        Words,
        cfg_text,
        parse_list,
        parse_script,
        quote,
        split,
        text_of,
    )

__all__ = [
    "BAD",
    "FLIP",
    "MOST",
    "Action",
    "Agent",
    "Alias",
    "Aliases",
    "Bad",
    "BadDeclaration",
    "Bind",
    "Binds",
    "Command",
    "Cvar",
    "CvarError",
    "Cvars",
    "Entry",
    "ErrorKind",
    "Executed",
    "ExpandError",
    "Failed",
    "Failure",
    "Fate",
    "Fault",
    "Flip",
    "Kind",
    "Line",
    "Loaded",
    "ParseError",
    "Place",
    "Plain",
    "Pressed",
    "Refusal",
    "Registry",
    "RegistryError",
    "Run",
    "Scope",
    "Script",
    "Set",
    "Step",
    "Toggle",
    "Type",
    "Word",
    "Words",
    "accept",
    "agent",
    "assign",
    "base",
    "bind_table",
    "cfg_text",
    "default_binds",
    "execute",
    "expand",
    "explain",
    "global_change",
    "holds",
    "import_binds",
    "judge",
    "key_name",
    "load",
    "over",
    "parse_list",
    "parse_script",
    "press",
    "quote",
    "registry",
    "replicated",
    "show",
    "split",
    "text_of",
    "wants",
    "written",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        """Import a name of the other modules when it is first asked for."""
        if name in __all__:
            from eukhe.core.cvar import aliases, binds, keys, language

            for module in (language, aliases, binds, keys):
                if name in module.__all__:
                    return getattr(module, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
