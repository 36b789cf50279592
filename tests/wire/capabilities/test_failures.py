"""Every operation in every dialect: the real shape is read, and what fails is a `WireError` without secrets."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from eukhe.wire.capabilities import (
    compact,
    count_tokens,
    embed,
    generate_image,
    list_models,
    tokenize,
    usage,
    web_search,
)
from eukhe.wire.capabilities.dialects import DIALECTS
from eukhe.wire.capabilities.site import Site
from eukhe.wire.errors import ErrorKind
from eukhe.wire.request import Limits, Timeouts
from tests.servers.operations import Answer, OperationServer
from tests.wire.capabilities.cases import CASES, KEY, QUICK, Case, failure, run, site

every = pytest.mark.parametrize("case", CASES, ids=str)


def test_the_dialects_that_the_rulebook_may_name_are_those_that_are_implemented_and_tried() -> None:
    implemented = {
        "count_tokens": tuple(count_tokens.COUNT_TOKENS),
        "list_models": tuple(list_models.LIST_MODELS),
        "embed": tuple(embed.EMBED),
        "generate_image": tuple(generate_image.GENERATE_IMAGE),
        "tokenize": tuple(tokenize.TOKENIZE),
        "usage": tuple(usage.USAGE),
        "web_search": tuple(web_search.WEB_SEARCH),
        "compact": tuple(compact.COMPACT),
    }
    assert implemented == DIALECTS
    tried = {
        name: tuple(one.dialect for one in CASES if one.operation == name) for name in DIALECTS
    }
    assert tried == DIALECTS


def test_a_dialect_that_is_not_implemented_is_a_mistake_of_the_program() -> None:
    with pytest.raises(
        ValueError, match="'acme' is no dialect of this operation; there are openai"
    ):
        run(list_models.list_models("acme", Site("http://127.0.0.1:1")))


@every
def test_the_real_shape_is_asked_for_with_the_key_and_read(case: Case) -> None:
    with OperationServer(case.routes) as server:
        assert run(case.ask(site(server, case.base)))
        assert {f"{one.method} {one.path}" for one in server.asked} == set(case.routes)
        for one in server.asked:
            sent = [value for value in one.headers.values() if KEY in value]
            assert len(sent) == 1
            assert KEY not in one.path


@every
@pytest.mark.parametrize(
    "body", [b"", b"<html>no</html>", b"{", b"[]", b'"x"', b"{}", b"\xff\xfe{}", b"[" * 200_000],
    ids=["empty", "page", "cut", "list", "text", "object", "bytes", "deep"],
)  # fmt: skip
def test_another_body_than_the_real_one_is_a_protocol_error(case: Case, body: bytes) -> None:
    with OperationServer({"*": Answer(body)}) as server:
        error = failure(case.ask(site(server, case.base)))
    assert error.kind is ErrorKind.PROTOCOL
    assert error.url.startswith(server.url)


@every
def test_a_refusal_is_told_without_the_key(case: Case) -> None:
    refusal = {"error": {"message": f"Incorrect API key: {KEY}", "code": "invalid_api_key"}}
    with OperationServer({"*": Answer(refusal, 401)}) as server:
        error = failure(case.ask(site(server, case.base)))
    assert (error.kind, error.status) == (ErrorKind.AUTH, 401)
    assert "Incorrect API key: [hidden]" in error.message
    assert KEY not in repr(error)
    assert KEY not in repr(error.__dict__)


@every
def test_an_error_in_a_reply_of_status_200_is_an_error(case: Case) -> None:
    said = {"error": {"message": f"model is overloaded, {KEY}", "type": "server_error"}}
    with OperationServer({"*": Answer(said)}) as server:
        error = failure(case.ask(site(server, case.base)))
    assert error.kind is ErrorKind.OVERLOADED
    assert "model is overloaded, [hidden]" in error.message


@every
def test_a_redirect_is_not_followed(case: Case) -> None:
    with OperationServer({}) as other:
        away = Answer(b"", 307, {"Location": f"{other.url}/steal"})
        with OperationServer({"*": away}) as server:
            error = failure(case.ask(site(server, case.base)))
        assert other.asked == []
    assert (error.kind, error.status) == (ErrorKind.NOT_FOUND, 307)


@every
def test_a_reply_that_is_cut_off_is_an_error(case: Case) -> None:
    whole = next(iter(case.routes.values()))
    assert isinstance(whole, Answer)
    with OperationServer({"*": replace(whole, short=10)}) as server:
        error = failure(case.ask(site(server, case.base)))
    assert error.kind is ErrorKind.STREAM_ENDED
    assert error.transient


@every
def test_a_reset_connection_is_an_error(case: Case) -> None:
    with OperationServer({"*": Answer(reset=True)}) as server:
        error = failure(case.ask(site(server, case.base)))
    assert error.kind is ErrorKind.NETWORK


@every
def test_a_reply_above_the_limit_is_not_held(case: Case) -> None:
    with OperationServer({"*": Answer(b" " * 5000)}) as server:
        error = failure(case.ask(site(server, case.base, limits=Limits(body=4000))))
    assert error.kind is ErrorKind.PROTOCOL
    assert "sends more than 4,000 bytes where" in error.message


@every
def test_a_reply_that_drips_without_end_is_held_to_the_deadline(case: Case) -> None:
    with OperationServer({"*": Answer(b" " * 1000, drip=0.02)}) as server:
        error = failure(case.ask(site(server, case.base, deadline=0.15)))
    assert error.kind is ErrorKind.TIMEOUT
    assert "did not answer in full within 0.15 s" in error.message


def test_a_silent_server_is_left_after_the_read_timeout() -> None:
    with OperationServer({"*": Answer({}, wait=30.0)}) as server:
        quick = replace(QUICK, read=0.1)
        error = failure(CASES[0].ask(site(server, "/v1", timeouts=quick)))
    assert error.kind is ErrorKind.TIMEOUT
    assert "sent nothing for 0.1 s" in error.message


def test_a_cancelled_operation_is_cancelled_and_not_an_error() -> None:
    async def cancelled(at: Site) -> bool:
        asking = asyncio.create_task(CASES[0].ask(at))
        await asyncio.sleep(0.05)
        asking.cancel()
        try:
            await asking
        except asyncio.CancelledError:
            return True
        return False

    with OperationServer({"*": Answer({}, wait=30.0)}) as server:
        assert run(cancelled(site(server, "/v1")))


def test_an_address_that_is_none_is_wrong_use() -> None:
    error = failure(CASES[0].ask(Site("nonsense")))
    assert error.kind is ErrorKind.INVALID_REQUEST
    assert "'nonsense' is no base URL" in error.message


def test_own_headers_are_sent_and_hidden() -> None:
    hidden = {"X-Team": "team-secret-99"}
    refusal = {"error": {"message": "no team team-secret-99"}}
    with OperationServer({"*": Answer(refusal, 403)}) as server:
        at = site(server, "/v1", headers=hidden)
        error = failure(CASES[0].ask(at))
        assert server.asked[0].headers["x-team"] == "team-secret-99"
    assert "team-secret-99" not in error.message
    assert "team-secret-99" not in repr(at)
    assert KEY not in repr(at)


def test_without_a_key_none_is_sent() -> None:
    for case in CASES:
        with OperationServer(case.routes) as server:
            run(case.ask(Site(server.url + case.base, timeouts=Timeouts(read=5.0))))
            for one in server.asked:
                assert not {"authorization", "x-api-key", "x-goog-api-key"} & set(one.headers)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("count_tokens-openai", {"authorization": f"Bearer {KEY}"}),
        ("embed-google", {"x-goog-api-key": KEY}),
        ("tokenize-vertex", {"x-goog-api-key": KEY}),
        ("usage-anthropic", {"x-api-key": KEY, "anthropic-version": "2023-06-01"}),
    ],
)
def test_each_api_gets_the_key_in_its_own_header(name: str, expected: dict[str, str]) -> None:
    case = next(one for one in CASES if str(one) == name)
    with OperationServer(case.routes) as server:
        run(case.ask(site(server, case.base)))
        for one in server.asked:
            assert expected.items() <= one.headers.items()
            assert one.headers["accept"] == "application/json"


def test_a_subscription_of_anthropic_is_a_bearer_with_its_beta() -> None:
    case = next(one for one in CASES if str(one) == "count_tokens-anthropic")
    with OperationServer(case.routes) as server:
        run(case.ask(site(server, "", api_key="sk-ant-oat01-token")))
        headers = server.asked[0].headers
    assert headers["authorization"] == "Bearer sk-ant-oat01-token"
    assert headers["anthropic-beta"] == "oauth-2025-04-20"
    assert headers["anthropic-version"] == "2023-06-01"
    assert "x-api-key" not in headers
