"""What holds a credential is shown masked, wherever a setting is shown."""

from __future__ import annotations

from eukhe.settings.masking import hidden, masked, without_secrets

_ENTRY = {
    "url": "https://user:pass@mcp.example/x?api_key=k&page=2",
    "headers": {"Authorization": "Bearer 0123456789abcdef"},
    "env": {"TOKEN": "short"},
    "args": ["--token", "t", "--name=n", "--password=p", "plain"],
}


def test_an_entry_is_shown_without_its_credentials() -> None:
    assert hidden(_ENTRY) == {
        "url": "https://****@mcp.example/x?api_key=****&page=2",
        "headers": {"Authorization": "****cdef"},
        "env": {"TOKEN": "****"},
        "args": ["--token", "****", "--name=n", "--password=****", "plain"],
    }


def test_only_mcp_servers_are_masked() -> None:
    assert without_secrets("mcpServers", {"a": _ENTRY}) == {"a": hidden(_ENTRY)}
    assert without_secrets("shellPath", "/bin/sh") == "/bin/sh"


def test_a_short_secret_shows_nothing_of_itself() -> None:
    assert masked("0123456789abcde") == "****"
    assert masked("0123456789abcdef") == "****cdef"
