"""The laws of settings (S4): registry, layers, sets, the command language, aliases and binds.

Every input is free: any declarations, any config and family over them with wrong types, Global cvars and
undeclared ids, any alias table and any binds. Where a law needs a sound table, the table is made of free rows.
"""

from __future__ import annotations

from eukhe_bridge import cvar as bridge
from eukhe_laws._cvar_aliases import (
    alias_expands_fully,
    alias_expands_in_order,
    alias_later_counts,
    alias_length_bounded,
    alias_long_cycle,
    alias_nests_whole_table,
    alias_runs_body,
    alias_self_cycle,
    alias_unknown_reported,
    script_runs_lines,
)
from eukhe_laws._cvar_binds import (
    bind_defaults_share,
    bind_first_wins,
    bind_import_keeps,
    bind_key_one_form,
    bind_press_plain,
    bind_press_sends,
    bind_unbound_runs_nothing,
)
from eukhe_laws._cvar_language import (
    command_reads,
    line_escape_kept,
    line_faults_placed,
    line_quotes_keep,
    line_splits,
)
from eukhe_laws._cvar_layers import (
    cvar_explains_value,
    cvar_global_uniform,
    cvar_inherits,
    cvar_layers_in_order,
    cvar_refusals_named,
    cvar_registry_first_fault,
    cvar_registry_typed,
    cvar_registry_unique,
    cvar_set_wins,
    cvar_types_hold,
    cvar_value_typed,
    cvar_word_reads,
)
from eukhe_laws._cvar_sets import (
    cvar_line_sets,
    cvar_persist_roundtrip,
    cvar_replicated_whole,
    cvar_toggle_flips,
    cvar_toggle_global_alone,
    cvar_toggle_twice,
    cvar_written_flagged,
    cvar_written_once,
)
from eukhe_laws._cvar_subject import SMALL, Cvars
from eukhe_laws.engine.agree import Agree
from eukhe_laws.engine.domain import Scope
from eukhe_spec import cvar as spec

__all__ = [
    "AGREEMENT",
    "CORE",
    "SPEC",
    "Cvars",
    "alias_expands_fully",
    "alias_expands_in_order",
    "alias_later_counts",
    "alias_length_bounded",
    "alias_long_cycle",
    "alias_nests_whole_table",
    "alias_runs_body",
    "alias_self_cycle",
    "alias_unknown_reported",
    "bind_defaults_share",
    "bind_first_wins",
    "bind_import_keeps",
    "bind_key_one_form",
    "bind_press_plain",
    "bind_press_sends",
    "bind_unbound_runs_nothing",
    "command_reads",
    "cvar_explains_value",
    "cvar_global_uniform",
    "cvar_inherits",
    "cvar_layers_in_order",
    "cvar_line_sets",
    "cvar_persist_roundtrip",
    "cvar_refusals_named",
    "cvar_registry_first_fault",
    "cvar_registry_typed",
    "cvar_registry_unique",
    "cvar_replicated_whole",
    "cvar_set_wins",
    "cvar_toggle_flips",
    "cvar_toggle_global_alone",
    "cvar_toggle_twice",
    "cvar_types_hold",
    "cvar_value_typed",
    "cvar_word_reads",
    "cvar_written_flagged",
    "cvar_written_once",
    "line_escape_kept",
    "line_faults_placed",
    "line_quotes_keep",
    "line_splits",
    "script_runs_lines",
]

SPEC: Cvars = spec
CORE: Cvars = bridge.CORE

#: The agreement of spec and core: mostly by the sampler, for two rows and two layers are already too many to list.
AGREEMENT = {
    "split": Agree(Scope(size=4), Scope(size=10)),
    "expand": Agree(Scope(nat=2, size=1), Scope(nat=3, size=3)),
    "expand_within": Agree(Scope(nat=2, size=1), Scope(nat=3, size=3)),
    "load": Agree(Scope(nat=2, size=1), Scope(nat=3, size=3)),
    "press": Agree(Scope(nat=2, size=1), Scope(nat=3, size=3)),
    "registry": Agree(SMALL),
    "value": Agree(SMALL),
    "refused": Agree(SMALL),
    "explain": Agree(SMALL),
    "toggle": Agree(SMALL),
    "toggle_global": Agree(SMALL),
    "run": Agree(SMALL),
    "written": Agree(SMALL),
    "replicated": Agree(SMALL),
}
