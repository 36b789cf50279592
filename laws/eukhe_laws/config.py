"""The laws of config documents (S4b), in three files, and where spec and core are compared."""

from __future__ import annotations

from eukhe_laws import _config_documents, _config_projects, _config_settings, _config_subject
from eukhe_laws._config_subject import BOUNDS, Config

__all__ = ["AGREEMENT", "CORE", "PARTS", "SPEC"]

SPEC: Config = _config_subject.SPEC
CORE: Config = _config_subject.CORE

#: The files of the laws, in the order of the report.
PARTS = (_config_documents, _config_settings, _config_projects)

#: Where spec and core are compared.
AGREEMENT = BOUNDS
