"""Addresses that come from the environment: of an Azure resource, of an AWS region."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from eukhe.models.addresses import missing_address
from eukhe.models.bundled import PACKAGE_DIR
from eukhe.models.registry import Registry
from tests.models.test_registry import model

if TYPE_CHECKING:
    from pathlib import Path

EAST = "https://bedrock-runtime.us-east-1.amazonaws.com"


def address(
    tmp_path: Path, provider: str, id_: str, environ: dict[str, str], base_url: str = ""
) -> str:
    written = {"providers": {provider: {"baseUrl": base_url}}} if base_url else {}
    (tmp_path / "models.json").write_text(json.dumps(written))
    found = Registry.of(tmp_path, {PACKAGE_DIR: str(tmp_path), **environ})
    return model(found, provider, id_).entry.base_url


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({}, ""),
        ({"AZURE_OPENAI_BASE_URL": "https://x.azure/openai/v1"}, "https://x.azure/openai/v1"),
        (
            {"AZURE_OPENAI_RESOURCE_NAME": "my-res"},
            "https://my-res.openai.azure.com/openai/v1",
        ),
        ({"AZURE_OPENAI_RESOURCE_NAME": "evil.example/"}, ""),
    ],
)
def test_the_address_of_azure_is_that_of_the_resource(
    environ: dict[str, str], url: str, tmp_path: Path
) -> None:
    assert address(tmp_path, "azure", "gpt-5.2-pro", environ) == url


def test_without_an_address_it_is_said_how_to_give_one(tmp_path: Path) -> None:
    found = Registry.of(tmp_path, {PACKAGE_DIR: str(tmp_path)})
    azure = missing_address(model(found, "azure", "gpt-5.2-pro").entry)
    assert "AZURE_OPENAI_RESOURCE_NAME" in azure
    assert "providers.azure.baseUrl" in azure
    assert missing_address(model(found, "openai", "gpt-5.5").entry) == ""


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({}, EAST),
        (
            {"AWS_REGION": "eu-west-3", "AWS_DEFAULT_REGION": "x"},
            EAST.replace("us-east-1", "eu-west-3"),
        ),
        ({"AWS_DEFAULT_REGION": "eu-west-3"}, EAST.replace("us-east-1", "eu-west-3")),
        ({"AWS_REGION": "evil.example/?"}, EAST),
        ({"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "http://127.0.0.1:1"}, "http://127.0.0.1:1"),
    ],
)
def test_the_address_of_bedrock_is_that_of_the_region(
    environ: dict[str, str], url: str, tmp_path: Path
) -> None:
    id_ = "us.anthropic.claude-opus-5-5"
    assert address(tmp_path, "amazon-bedrock", id_, environ) == url


def test_an_address_of_models_json_wins_over_the_environment(tmp_path: Path) -> None:
    own = "http://127.0.0.1:9"
    environ = {"AWS_REGION": "eu-west-3", "AZURE_OPENAI_RESOURCE_NAME": "r"}
    id_ = "us.anthropic.claude-opus-5-5"
    assert address(tmp_path, "amazon-bedrock", id_, environ, own) == own
    assert address(tmp_path, "azure", "gpt-5.2-pro", environ, own) == own


def test_an_arn_names_its_region(tmp_path: Path) -> None:
    arn = "arn:aws:bedrock:eu-north-1:123456789012:application-inference-profile/abc"
    rows = [{"id": arn, "contextWindow": 1000, "baseUrl": EAST, "api": "bedrock-converse-stream"}]
    written = {"providers": {"amazon-bedrock": {"models": rows}}}
    (tmp_path / "models.json").write_text(json.dumps(written))
    found = Registry.of(tmp_path, {PACKAGE_DIR: str(tmp_path), "AWS_REGION": "us-west-2"})
    assert "eu-north-1" in model(found, "amazon-bedrock", arn).entry.base_url


@pytest.mark.parametrize(
    ("environ", "host", "place"),
    [
        ({}, "aiplatform.googleapis.com", ""),
        ({"GOOGLE_CLOUD_PROJECT": "p"}, "aiplatform.googleapis.com", ""),
        (
            {"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "global"},
            "aiplatform.googleapis.com",
            "/projects/p/locations/global",
        ),
        (
            {"GCLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "europe-west1"},
            "europe-west1-aiplatform.googleapis.com",
            "/projects/p/locations/europe-west1",
        ),
        (
            {"GOOGLE_CLOUD_PROJECT": "example.com:p", "GOOGLE_CLOUD_LOCATION": "eu"},
            "aiplatform.eu.rep.googleapis.com",
            "/projects/example.com:p/locations/eu",
        ),
        (
            {"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "evil.example/"},
            "aiplatform.googleapis.com",
            "",
        ),
        (
            {"GOOGLE_CLOUD_PROJECT": "../p", "GOOGLE_CLOUD_LOCATION": "eu"},
            "aiplatform.googleapis.com",
            "",
        ),
    ],
)
def test_the_address_of_vertex_is_that_of_the_project_and_the_location(
    environ: dict[str, str], host: str, place: str, tmp_path: Path
) -> None:
    found = address(tmp_path, "google-vertex", "gemini-3-flash-preview", environ)
    assert found == f"https://{host}/v1{place}/publishers/google"
    own = "http://127.0.0.1:9"
    assert address(tmp_path, "google-vertex", "gemini-3-flash-preview", environ, own) == own
