"""docs/models.md names every key that the loaders know."""

from __future__ import annotations

from pathlib import Path

from eukhe.models.compat import DIRECTIVE_OF, READ_KEYS, VARIABLES
from eukhe.models.custom import MODEL_KEYS, PROVIDER_KEYS
from eukhe.models.provider_table import PROVIDERS

PAGE = (Path(__file__).parents[2] / "docs/models.md").read_text()


def test_every_key_of_models_json_is_documented() -> None:
    for key in (*PROVIDER_KEYS, *MODEL_KEYS, *DIRECTIVE_OF, *READ_KEYS):
        assert f"`{key}`" in PAGE, key
    for variable in VARIABLES:
        assert variable in PAGE, variable


def test_every_variable_of_a_key_is_documented_or_follows_the_rule() -> None:
    for provider, known in PROVIDERS.items():
        for name in known.keys:
            rule = f"{provider.partition('-')[0].upper()}_API_KEY"
            assert f"`{name}`" in PAGE or name.replace("MOONSHOT", "MOONSHOTAI") == rule, name
