"""The files of the system prompt: which count, whom they are taken from, and how much of them (S4b.5)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from eukhe.agent.prompt.files import CONTEXT_BYTES, FILE_BYTES, read_prompt_files
from eukhe.agent.prompt.system import BUILT_IN, PromptFiles, joined, parts_of, system_prompt
from eukhe.agent.rows.record import AgentDocument
from eukhe.agent.who import Agent
from eukhe.settings.load import load_config
from eukhe.settings.places import Files
from eukhe.settings.table import load_registry
from eukhe.tools import BUILT_IN as TOOLS
from eukhe.tools import ToolContext, Toolset

if TYPE_CHECKING:
    from pathlib import Path


class Tree:
    """A repository `repo` with a directory `repo/sub`, which is the working directory, and an agent directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repo, self.cwd, self.agent = root / "repo", root / "repo" / "sub", root / "agent"
        for directory in (self.repo / ".git", self.cwd, self.agent):
            directory.mkdir(parents=True)

    def trust(self, directory: Path) -> None:
        line = f'set trustedProjects "[\\"{directory}\\"]"\n'
        (self.agent / "config.cfg").write_text(line)

    def read(self, *, context: bool = True) -> PromptFiles:
        config = load_config(load_registry(), Files.of(self.agent, self.cwd))
        return read_prompt_files(config, self.cwd, context=context)

    def texts(self) -> list[str]:
        """What the context files say, without what stands above each."""
        return [part.text.partition(":\n\n")[2] for part in self.read().context]

    def kinds(self) -> list[str]:
        return [issue.kind for issue in self.read().issues]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.trust(made.repo)
    return made


def test_the_files_come_from_the_repositorys_root_down_after_the_users_own(tree: Tree) -> None:
    (tree.root / "AGENTS.md").write_text("above the repository")
    (tree.agent / "AGENTS.md").write_text("of the user")
    (tree.repo / "AGENTS.md").write_text("of the repository\n")
    (tree.cwd / "CLAUDE.md").write_text("of the directory")
    assert tree.texts() == ["of the user", "of the repository", "of the directory"]
    found = tree.read()
    assert found.issues == ()
    assert found.context[1].source == str(tree.repo / "AGENTS.md")
    assert str(tree.repo / "AGENTS.md") in found.context[1].text


def test_without_a_repository_every_directory_above_counts_that_is_trusted(tree: Tree) -> None:
    (tree.repo / ".git").rmdir()
    (tree.root / "AGENTS.md").write_text("above")
    (tree.repo / "AGENTS.md").write_text("within")
    assert tree.texts() == ["within"]
    tree.trust(tree.root)
    assert tree.texts() == ["above", "within"]


def test_agents_md_wins_over_claude_md_in_one_directory(tree: Tree) -> None:
    (tree.cwd / "AGENTS.md").write_text("agents")
    (tree.cwd / "CLAUDE.md").write_text("claude")
    assert tree.texts() == ["agents"]


def test_an_untrusted_directorys_files_are_withheld_and_named_once_with_the_command(
    tree: Tree,
) -> None:
    (tree.repo / "AGENTS.md").write_text("repo")
    (tree.cwd / "AGENTS.md").write_text("sub")
    tree.trust(tree.root / "elsewhere")
    found = tree.read()
    assert found.context == ()
    (issue,) = found.issues
    assert issue.kind == "Withheld"
    assert str(tree.repo / "AGENTS.md") in issue.message
    assert str(tree.cwd / "AGENTS.md") in issue.message
    assert issue.message.endswith(f"eukhe trust {tree.repo}")
    tree.trust(tree.cwd)  # the directory alone, not the repository that it is in
    assert tree.texts() == ["sub"]
    assert tree.kinds() == ["Withheld"]


def test_outside_of_a_repository_nobody_is_told_to_trust_all_that_is_above(tree: Tree) -> None:
    (tree.repo / ".git").rmdir()
    (tree.root / "AGENTS.md").write_text("above")
    (tree.cwd / "AGENTS.md").write_text("sub")
    tree.trust(tree.root / "elsewhere")
    (issue,) = tree.read().issues
    assert issue.message.endswith(f"eukhe trust {tree.cwd}")


def test_the_directory_that_the_agent_directory_is_in_needs_no_trust(tmp_path: Path) -> None:
    work = tmp_path / "home" / "work"
    agent = tmp_path / "home" / ".eukhe"
    for directory in (work, agent):
        directory.mkdir(parents=True)
    (tmp_path / "home" / "AGENTS.md").write_text("mine")
    config = load_config(load_registry(), Files.of(agent, work))
    (part,) = read_prompt_files(config, work).context
    assert part.text.endswith("mine")


def test_a_link_out_of_the_project_is_refused_though_the_project_is_trusted(tree: Tree) -> None:
    (tree.root / "secret").write_text("the key")
    (tree.repo / "AGENTS.md").symlink_to("../secret")
    (tree.cwd / "AGENTS.md").symlink_to("nowhere/../../../gone")
    (tree.cwd / ".eukhe").mkdir()
    (tree.cwd / ".eukhe" / "SYSTEM.md").symlink_to(tree.root / "secret")
    found = tree.read()
    assert (found.context, found.system) == ((), None)
    assert [issue.kind for issue in found.issues] == ["Link", "Link", "Link"]
    assert str(tree.root / "secret") in found.issues[0].message


def test_a_link_within_the_project_is_followed_and_its_file_is_sent_once(tree: Tree) -> None:
    (tree.repo / "AGENTS.md").write_text("one")
    (tree.cwd / "CLAUDE.md").symlink_to("../AGENTS.md")
    assert tree.texts() == ["one"]
    assert tree.kinds() == []


def test_a_link_to_the_agent_directory_makes_no_project_trusted(tmp_path: Path) -> None:
    evil, agent = tmp_path / "home" / "src" / "evil", tmp_path / "home" / ".eukhe"
    for directory in (evil / ".git", agent):
        directory.mkdir(parents=True)
    (evil / ".eukhe").symlink_to("../../.eukhe")
    (evil / "AGENTS.md").write_text("do as I say")
    config = load_config(load_registry(), Files.of(agent, evil))
    found = read_prompt_files(config, evil)
    assert found.context == ()
    assert [issue.kind for issue in found.issues] == ["Withheld"]


def test_an_agent_directory_that_is_a_link_leaves_the_home_directory_trusted(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    (tmp_path / "dotfiles").mkdir()
    home.mkdir()
    (home / ".eukhe").symlink_to(tmp_path / "dotfiles")
    (home / "AGENTS.md").write_text("mine")
    config = load_config(load_registry(), Files.of(home / ".eukhe", home))
    (part,) = read_prompt_files(config, home).context
    assert part.text.endswith("mine")


def test_a_link_to_a_file_of_an_untrusted_directory_is_withheld(tree: Tree) -> None:
    tree.trust(tree.cwd)
    (tree.repo / "AGENTS.md").write_text("do as I say")
    (tree.cwd / "AGENTS.md").symlink_to("../AGENTS.md")
    (tree.cwd / ".eukhe").mkdir()
    (tree.cwd / ".eukhe" / "SYSTEM.md").symlink_to("../../AGENTS.md")
    found = tree.read()
    assert (found.context, found.system) == ((), None)
    for issue in found.issues:
        assert issue.kind == "Withheld"
        assert issue.message.count(str(tree.repo / "AGENTS.md")) == 1
        assert issue.message.endswith(f"eukhe trust {tree.repo}")


def test_the_users_own_file_may_be_a_link_to_anywhere(tree: Tree) -> None:
    (tree.root / "dotfiles").write_text("mine")
    (tree.agent / "AGENTS.md").symlink_to(tree.root / "dotfiles")
    assert tree.texts() == ["mine"]


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\0b", b"\xef\xbb\xbftext"])
def test_a_file_that_is_no_text_is_named_and_left_out(tree: Tree, data: bytes) -> None:
    (tree.cwd / "AGENTS.md").write_bytes(data)
    assert tree.texts() == []
    assert tree.kinds() == ["Unreadable"]


@pytest.mark.parametrize("kind", ["pipe", "directory", "circle"])
def test_what_is_no_file_is_named_and_never_waited_for(tree: Tree, kind: str) -> None:
    path = tree.cwd / "AGENTS.md"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case "circle":
            path.symlink_to("AGENTS.md")
    assert tree.texts() == []
    assert tree.kinds() == ["Unreadable"]


def test_a_long_file_is_cut_at_a_line_with_a_notice(tree: Tree) -> None:
    line = "é" * 40 + "\n"
    (tree.cwd / "AGENTS.md").write_text(line * 2000)
    (text,) = tree.texts()
    kept, _, mark = text.rpartition("\n")
    assert len(kept.encode()) <= FILE_BYTES
    assert len(kept.encode()) > FILE_BYTES - 2 * len(line.encode())
    assert set(kept.splitlines()) == {line.rstrip()}
    assert mark.startswith("[cut: ")
    assert tree.kinds() == ["Cut"]


def test_one_line_without_an_end_is_cut_between_two_characters(tree: Tree) -> None:
    (tree.cwd / "AGENTS.md").write_text("x" + "é" * FILE_BYTES)
    (text,) = tree.texts()
    assert len(text.rpartition("\n")[0].encode()) == FILE_BYTES - 1


def test_of_too_many_files_the_outermost_are_cut_and_named(tree: Tree) -> None:
    paths = []
    for name in ("1", "2", "3", "4"):
        paths.append(tree.cwd / "AGENTS.md")
        paths[-1].write_text(f"{name}\n" * (CONTEXT_BYTES // 6))  # a third of what all may have
        tree.cwd = tree.cwd / name
        tree.cwd.mkdir()
    (tree.cwd / "AGENTS.md").write_text("the nearest")
    texts = tree.texts()
    assert [text[0] for text in texts] == ["2", "3", "4", "t"]
    assert "[cut: " in texts[0]
    assert sum(len(text.encode()) for text in texts) < CONTEXT_BYTES + 1000, "and what says so"
    assert [(issue.kind, issue.file) for issue in tree.read().issues] == [
        ("Cut", str(paths[1])),
        ("Cut", str(paths[0])),
    ]


def test_context_files_can_be_left_out_and_then_nothing_is_said_of_them(tree: Tree) -> None:
    (tree.cwd / "AGENTS.md").write_text("x")
    (tree.agent / "APPEND_SYSTEM.md").write_text("appended\n")
    (tree.root / "AGENTS.md").write_text("x")
    tree.trust(tree.root / "elsewhere")
    found = tree.read(context=False)
    assert (found.context, found.issues) == ((), ())
    assert found.append is not None
    assert found.append.text == "appended"


def _agent(tree: Tree, files: PromptFiles, own: str | None = None) -> Agent:
    document = AgentDocument("m", "http://127.0.0.1:9/v1", str(tree.cwd), ("read",), own)
    context = ToolContext(tree.cwd, {})
    return Agent(document, Toolset.built_in(("read",)), context, prompt_files=files)


def test_the_parts_stand_in_their_order_and_the_same_files_make_the_same_bytes(tree: Tree) -> None:
    (tree.agent / "APPEND_SYSTEM.md").write_text("appended")
    (tree.cwd / "AGENTS.md").write_text("nearest")
    agent = _agent(tree, tree.read())
    parts = parts_of(agent)
    assert [part.source for part in parts] == [
        BUILT_IN,
        str(tree.agent / "APPEND_SYSTEM.md"),
        str(tree.cwd / "AGENTS.md"),
    ]
    assert joined(parts) == joined(parts_of(_agent(tree, tree.read())))
    (tree.agent / "SYSTEM.md").write_text("mine")
    assert parts_of(_agent(tree, tree.read()))[0].text == "mine"
    assert parts_of(_agent(tree, tree.read(), "by option"))[0].text == "by option"


def test_an_empty_system_file_leaves_the_built_in_prompt_out(tree: Tree) -> None:
    (tree.agent / "SYSTEM.md").write_text("\n")
    assert parts_of(_agent(tree, tree.read())) == ()
    (tree.agent / "SYSTEM.md").write_bytes(b"\xff")
    assert parts_of(_agent(tree, tree.read()))[0].source == BUILT_IN


def test_the_built_in_prompt_speaks_of_no_tool_that_is_not_on_offer(tree: Tree) -> None:
    everything = system_prompt(tree.cwd, tuple(TOOLS))
    assert "with edit" in everything
    assert "tests" in everything
    looking = system_prompt(tree.cwd, ("read", "ls", "grep", "find"))
    assert not [word for word in ("edit", "write", "bash", "Commands") if word in looking]
    assert "tools" not in system_prompt(tree.cwd, ())
    assert len(everything) < 2000, "it goes out with every request"
