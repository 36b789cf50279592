"""Local tiny models (S9): roles with the shipped names, launch tags."""

from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core.tiny import Served, Tag, Unavailable, chain, pick, serve

TRANSLATE = ("lfm2.5-350m", "lfm2.5-230m")


def test_an_unset_chain_is_the_catalog_then_the_session() -> None:
    assert chain(TRANSLATE, session="anthropic/claude") == (*TRANSLATE, "anthropic/claude")


def test_an_explicit_empty_chain_keeps_the_role_on_its_primary_model() -> None:
    assert chain(TRANSLATE, primary="mine", fallback=[], session="s") == ("mine",)
    assert chain(TRANSLATE, fallback=[], session="s") == ()


def test_a_task_uses_the_first_installed_model_and_never_another() -> None:
    models = chain(TRANSLATE, session="s")
    assert pick(models, {"lfm2.5-230m", "kokoro"}) == "lfm2.5-230m"
    assert pick(models, {"kokoro"}) == Unavailable(models)


def test_a_launch_tag_has_four_fields() -> None:
    assert str(Tag("0.1.0", "cpu", "q4")) == "0.1.0|onnx|cpu|q4"


def test_a_changed_setting_replaces_the_worker() -> None:
    tag = str(Tag("0.1.0", "cpu", "q4"))
    assert serve(None, tag) is Served.STARTED
    assert serve(tag, tag) is Served.JOINED
    assert serve(str(Tag("0.1.0", "cpu", "fp16")), tag) is Served.REPLACED


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(
    st.lists(st.text(max_size=4)), st.none() | st.text(), st.none() | st.lists(st.text()), st.text()
)
def test_any_names_have_a_chain_and_a_pick(
    local: list[str], primary: str | None, fallback: list[str] | None, session: str
) -> None:
    models = chain(local, primary=primary, fallback=fallback, session=session)
    assert all(isinstance(model, str) for model in models)
    assert pick(models, set(local)) in (*models, Unavailable(models))
